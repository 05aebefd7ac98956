// comba_loader with units that are busy for as long as real ones, and for longer now and then: each gets its block and the
// factor of its term, in order, and when units are ready the memory is never idle.

#include "../digits.h"
#include "../memory.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

template <class Model>
class Loader {
 public:
  explicit Loader(ringmill::Bench<Model>& bench)
      : bench_(bench), memory_(bench), words_(static_cast<unsigned>(bench.parameter("Digits")) / 4),
        units_(static_cast<unsigned>(bench.parameter("Units"))), busy_(units_, 0) {
    bench_->start_i = 0;
    bench_->data_i = 0;
    ringmill::put(bench_->unit_ready_i, ringmill::mask(units_));
    bench_.reset();
  }

  void run(bool slow) {
    const auto active = static_cast<unsigned>(1 + bench_.random.below(units_));
    const auto terms = static_cast<unsigned>(1 + bench_.random.below(6));
    const std::uint32_t stride = active * words_ + static_cast<unsigned>(bench_.random.below(5));
    const std::uint32_t elements = 0x10000, factors = 0x20000;
    for (unsigned i = 0; i < terms * stride; ++i) memory_[elements + i] = bench_.random.word();
    for (unsigned i = 0; i < terms * words_; ++i) memory_[factors + i] = bench_.random.word();
    ringmill::put(bench_->active_i, active);
    bench_->terms_i = terms;
    bench_->element_i = elements;
    bench_->stride_i = stride;
    bench_->factor_i = factors;
    bench_->start_i = 1;
    memory_.step();
    bench_->start_i = 0;
    std::fill(busy_.begin(), busy_.end(), 0);
    unsigned started = 0, cycles = 0;
    bool waited = false;
    for (bench_.settle(); bench_->busy_o && cycles < 1000000; ++cycles) {
      ringmill::put(bench_->unit_ready_i, ready());
      bench_.settle();
      const std::uint64_t starts = static_cast<std::uint64_t>(ringmill::get(bench_->unit_start_o));
      if (starts != 0) {
        const unsigned unit = started % active, term = started / active;
        bench_.expect_equal(starts, std::uint64_t{1} << unit, "one unit after the other");
        for (unsigned word = 0; word < words_; ++word) {
          bench_.expect_equal(xor_banks::word_of(bench_->lhs_o, word, 64),
                              memory_[elements + term * stride + unit * words_ + word], "a block");
          bench_.expect_equal(xor_banks::word_of(bench_->rhs_o, word, 64), memory_[factors + term * words_ + word],
                              "a factor");
        }
        ++started;
        busy_[unit] = slow ? 8 * words_ + 2 + static_cast<unsigned>(bench_.random.below(9)) : 1;
      }
      waited |= !bench_->read_o;
      memory_.step();
    }
    bench_.expect_equal(started, active * terms, "blocks");
    if (!slow) bench_.expect_equal(cycles, 2 * words_ * (active + 1) * terms + 1, "cycles");
    else if (active * words_ > 1) waited_ |= waited;
  }

  void check_waits() { bench_.expect(waited_, "some unit was waited for"); }

 private:
  std::uint64_t ready() {
    std::uint64_t ready = 0;
    for (unsigned unit = 0; unit < units_; ++unit) {
      if (busy_[unit] > 0) --busy_[unit];
      if (busy_[unit] == 0) ready |= std::uint64_t{1} << unit;
    }
    return ready;
  }

  ringmill::Bench<Model>& bench_;
  comba::Memory<Model> memory_;
  unsigned words_;
  unsigned units_;
  std::vector<unsigned> busy_;
  bool waited_ = false;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Loader<Model> loader(bench);
  for (unsigned i = 0; i < 60; ++i) loader.run(i % 2 != 0);
  loader.check_waits();
}
