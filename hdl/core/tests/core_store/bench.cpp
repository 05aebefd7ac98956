// core_store between banks and a stream of beats: limbs in natural order from their places by definition, under pauses
// of the request and of the data, failed writes, and the cycles without pauses.

#include <array>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../instruction.h"
#include "../places.h"
#include "axi_memory.h"
#include "bench.h"

namespace {

/// One STORE after the other, with banks before and a bus behind the unit.
template <class Model>
class Run {
 public:
  explicit Run(ringmill::Bench<Model>& bench)
      : bench_(bench), n_(bench.parameter("N")), width_(static_cast<unsigned>(bench.parameter("Width"))),
        beat_words_(bench.parameter("DataWidth") / 64), places_(bench),
        banks_(places_.banks(), std::vector<std::uint64_t>(n_ / places_.banks())) {}

  unsigned percent = 100;

  /// The cycles until the last beat was taken.
  std::uint64_t go(bool fails, unsigned log_rows = 0) {
    const auto number = [&] { return static_cast<unsigned>(bench_.random.below(1U << log_rows)); };
    const unsigned strip = number(), row = number();
    length_ = n_ >> log_rows;
    std::vector<std::uint64_t> limb(length_);
    const std::uint64_t slots = length_ / places_.banks();
    for (std::uint64_t i = 0; i < length_; ++i) {
      limb[i] = static_cast<std::uint64_t>(bench_.random.edgy(ringmill::Wide{1} << width_));
      const std::uint64_t index = strip * length_ + i;
      banks_[places_.bank(index)][places_.address(index) + row * slots - strip * slots] = limb[i];
    }
    start(log_rows, strip, row);
    const std::uint64_t begin = bench_.cycles();
    while (received_.size() < length_ && bench_.cycles() - begin < 50 * n_) cycle();
    const std::uint64_t cycles = bench_.cycles() - begin;
    bench_.expect(received_ == limb, "words of a STORE");
    for (int i = 0; i < 20 || !requested_; ++i) {
      cycle();
      bench_.expect_equal(bench_->done_o, 0, "done before the bus");
    }
    bench_.expect_equal(received_.size(), length_, "words in all");
    bench_->write_done_i = 1;
    bench_->write_error_i = fails;
    cycle();
    bench_->write_done_i = 0;
    bench_->write_error_i = bench_.random.chance(50);
    bench_.expect_equal(bench_->done_o, 1, "done behind the last response");
    bench_.expect_equal(bench_->error_o, fails ? core::WRITE : core::NONE, "error of a STORE");
    cycle();
    bench_.expect_equal(bench_->done_o, 0, "done for a cycle");
    return cycles;
  }

 private:
  void start(unsigned log_rows, unsigned strip, unsigned row) {
    instruction_ = {.opcode = core::STORE,
                    .operation = strip,
                    .a = static_cast<unsigned>(bench_.random.below(32)),
                    .b = row,
                    .count = log_rows,
                    .immediate = bench_.random.word() & ~std::uint64_t{63}};
    received_.clear();
    requested_ = false;
    bench_->start_i = 1;
    ringmill::put(bench_->instruction_i, instruction_.bits());
    bench_->request_ready_i = bench_->data_ready_i = 0;
    bench_.step();
    bench_->start_i = 0;
    ringmill::put(bench_->instruction_i, 0);
  }

  void cycle() {
    bench_->request_ready_i = bench_.random.chance(percent);
    bench_->data_ready_i = bench_.random.chance(percent);
    bench_.settle();
    if (bench_->request_valid_o && bench_->request_ready_i) {
      bench_.expect(!requested_, "a second request");
      bench_.expect_equal(bench_->request_address_o, instruction_.immediate + 8 * length_ * instruction_.operation,
                          "address of the request");
      bench_.expect_equal(bench_->request_beats_o, length_ / beat_words_, "beats of the request");
      requested_ = true;
    }
    if (bench_->data_valid_o && bench_->data_ready_i) {
      const ringmill::AxiWords words = ringmill::words_of(bench_->data_o);
      received_.insert(received_.end(), words.begin(), words.begin() + static_cast<long>(beat_words_));
    }
    if (bench_->store_read_o) bench_.expect_equal(bench_->store_read_buffer_o, instruction_.a, "buffer");
    const std::array<std::uint64_t, 2> read{bench_->store_read_o, bench_->store_read_address_o};
    bench_.step();
    answer(before_);
    before_ = read;
  }

  /// The words of a read come two cycles later; there is noise where there was none.
  void answer(const std::array<std::uint64_t, 2>& read) {
    for (std::uint64_t bank = 0; bank < places_.banks(); ++bank) {
      const std::uint64_t noise = bench_.random.word() & static_cast<std::uint64_t>(ringmill::mask(width_));
      xor_banks::put_word(bench_->store_read_data_i, static_cast<unsigned>(bank), width_,
                          read[0] != 0 ? banks_[bank][read[1]] : noise);
    }
  }

  ringmill::Bench<Model>& bench_;
  std::uint64_t n_, length_ = 0;
  unsigned width_;
  std::uint64_t beat_words_;
  core::Places places_;
  std::vector<std::vector<std::uint64_t>> banks_;
  core::Instruction instruction_;
  std::vector<std::uint64_t> received_;
  std::array<std::uint64_t, 2> before_{};
  bool requested_ = false;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->start_i = bench->request_ready_i = bench->data_ready_i = bench->write_done_i = 0;
  bench.reset();
  Run<Model> run(bench);
  for (int i = 0; i < 40; ++i) {
    run.percent = i % 4 == 0 ? 100 : i % 4 == 1 ? 70 : i % 4 == 2 ? 20 : 95;
    run.go(bench.random.chance(30));
    if (core::engine_of(bench) == core::DEDICATED_READ) continue;
    const auto depth = static_cast<unsigned>(bench.parameter("N") / (2 * bench.parameter("Units")));
    run.go(bench.random.chance(30), 1 + static_cast<unsigned>(bench.random.below(std::min<unsigned>(5, std::bit_width(depth) - 1))));
  }
  // Banks and their register, selection, queue; then a beat every cycle.
  run.percent = 100;
  bench.expect_equal(run.go(false), 4 + bench.parameter("N") * 64 / bench.parameter("DataWidth"), "cycles of a STORE");
}
