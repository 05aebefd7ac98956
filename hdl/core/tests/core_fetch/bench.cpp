// core_fetch beside a ring in an array: every descriptor once and in order, whatever the memory's pace.

#include "../bits.h"

namespace {

using core::bits;

struct Descriptor {
  std::array<std::uint64_t, 4> words;
  bool failed;
};

template <class Model>
class World {
 public:
  World(ringmill::Bench<Model>& bench, unsigned ring_log)
      : bench_(bench), width_(static_cast<unsigned>(bench.parameter("DataWidth"))), ring_log_(ring_log),
        ring_(std::size_t{1} << ring_log) {
    bench->ring_i = base_;
    bench->ring_log_i = ring_log;
  }

  void cycle(bool taking) {
    produce();
    bench_->request_ready_i = bench_.random.chance(70);
    bench_->ready_i = taking && bench_.random.chance(60);
    answer();
    bench_.settle();
    if (bench_->request_valid_o && bench_->request_ready_i) {
      const std::uint64_t index = (bench_->request_address_o - base_) / 32;
      bench_.expect_equal(bench_->request_address_o, base_ + 32 * (asked_ % ring_.size()), "address asked for");
      bench_.expect(asked_ < tail_ && asked_ < taken_ + 8, "asks for what is there and has room");
      coming_.push_back(static_cast<unsigned>(index % ring_.size()));
      ++asked_;
    }
    bench_.expect_equal(bench_->starved_o, !bench_->valid_o && tail_ != taken_, "starved");
    if (bench_->valid_o && bench_->ready_i) take();
    bench_.step();
  }

  /// The producer may not write over what was not taken.
  void produce() {
    if (!bench_.random.chance(30) || tail_ - taken_ >= ring_.size() || bench_->stop_i) return;
    Descriptor& next = ring_[tail_ % ring_.size()];
    for (auto& word : next.words) word = bench_.random.word();
    next.failed = bench_.random.chance(5);
    bench_->tail_i = static_cast<std::uint32_t>(++tail_);
  }

  void clear() {
    asked_ = taken_ = tail_ = 0;
    bench_->tail_i = 0;
    bench_->clear_i = 1;
    bench_.step();
    bench_->clear_i = 0;
  }

  std::uint64_t taken() const { return taken_; }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t size() const { return ring_.size(); }

 private:
  /// Beats of what was asked for, with pauses.
  void answer() {
    bench_->data_valid_i = !coming_.empty() && bench_.random.chance(50);
    if (!bench_->data_valid_i) return;
    const Descriptor& next = ring_[coming_.front()];
    for (unsigned bit = 0; bit < width_; bit += 64) {
      core::put_bits(bench_->data_i, bit, 64, next.words[(beat_ * width_ + bit) / 64]);
    }
    const unsigned beats = 256 / width_;
    bench_->data_error_i = next.failed && beat_ == (coming_.front() % beats);
    beat_ = (beat_ + 1) % beats;
    if (beat_ == 0) coming_.pop_front();
  }

  void take() {
    const Descriptor& next = ring_[taken_ % ring_.size()];
    bench_.expect_equal(bench_->failed_o, next.failed, "failed");
    bench_.expect_equal(bench_->address_o, base_ + 32 * (taken_ % ring_.size()), "address");
    for (unsigned word = 0; word < 4; ++word) {
      bench_.expect_equal(bits(bench_->descriptor_o, 64 * word, 64), next.words[word], "word of a descriptor");
    }
    ++taken_;
  }

  static constexpr std::uint64_t base_ = 0x123456780000;
  ringmill::Bench<Model>& bench_;
  unsigned width_, ring_log_;
  std::vector<Descriptor> ring_;
  std::deque<unsigned> coming_;
  unsigned beat_ = 0;
  std::uint64_t asked_ = 0, taken_ = 0, tail_ = 0;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->clear_i = bench->stop_i = bench->tail_i = bench->data_valid_i = bench->request_ready_i = bench->ready_i = 0;
  for (const unsigned ring_log : {3U, 5U}) {
    bench.reset();
    World<Model> world(bench, ring_log);
    for (unsigned round = 0; round < 6; ++round) {
      for (unsigned i = 0; i < 1500; ++i) world.cycle(i % 300 < 250);
      bench.expect(world.taken() > 2 * world.size(), "several times round the ring");
      bench.expect(!bench->tail_error_o, "the tail is right");
      // After a stop nothing more is asked for, and what was asked for still comes.
      bench->stop_i = 1;
      const std::uint64_t asked = world.asked();
      for (unsigned i = 0; i < 200; ++i) world.cycle(false);
      bench.expect_equal(world.asked(), asked, "asked for after the stop");
      bench.expect(bench->idle_o, "idle after a stop");
      world.clear();
      bench->stop_i = 0;
    }
    bench->tail_i = static_cast<std::uint32_t>(world.size());
    bench.settle();
    bench.expect(!bench->tail_error_o, "a full ring");
    bench->tail_i = static_cast<std::uint32_t>(world.size() + 1);
    bench.settle();
    bench.expect(bench->tail_error_o && !bench->request_valid_o, "a tail too far");
    bench.expect_equal(bench->next_o, bench->ring_i, "the next descriptor");
    bench->tail_i = 0;
  }
}
