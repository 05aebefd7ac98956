// comba_accumulator beside schoolbook products: sums of products with idle cycles between, shifted out, and how long
// products take.

#include "../digits.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

template <class Model>
class Unit {
 public:
  explicit Unit(ringmill::Bench<Model>& bench)
      : bench_(bench), digits_(static_cast<unsigned>(bench.parameter("Digits"))),
        width_(static_cast<unsigned>(bench.parameter("DigitWidth"))), sum_(2 * digits_ + 1) {
    bench_->start_i = bench_->shift_i = 0;
    bench_.reset();
  }

  void multiply() {
    const comba::Digits x = comba::random_digits(bench_.random, digits_, width_);
    const comba::Digits b = comba::random_digits(bench_.random, digits_, width_);
    for (unsigned i = 0; i < digits_; ++i) {
      xor_banks::put_word(bench_->lhs_i, i, width_, x[i]);
      xor_banks::put_word(bench_->rhs_i, i, width_, b[i]);
    }
    bench_->start_i = 1;
    bench_.settle();
    bench_.expect(bench_->ready_o, "ready");
    bench_.step();
    bench_->start_i = 0;
    sum_ = comba::multiply_add(sum_, x, b, width_);
    // The factors are the unit's from now on.
    for (unsigned i = 0; i < digits_; ++i) {
      xor_banks::put_word(bench_->lhs_i, i, width_, 0);
      xor_banks::put_word(bench_->rhs_i, i, width_, 0);
    }
    for (unsigned cycle = 0; cycle < 2 * digits_ + 2; ++cycle) {
      bench_.settle();
      bench_.expect(bench_->busy_o, "busy");
      bench_.expect_equal(bench_->ready_o, cycle + 1 == 2 * digits_ + 2, "ready in the last cycle");
      if (cycle + 1 < 2 * digits_ + 2) bench_.step();
    }
    // Half of the time the next one begins at once.
    idle_ = bench_.random.chance(50);
    if (idle_) bench_.step();
  }

  /// Digits leave; half of the time all of them.
  void shift() {
    if (!idle_) bench_.step();
    idle_ = true;
    const bool all = bench_.random.chance(50);
    const std::size_t count = all ? sum_.size() : static_cast<std::size_t>(bench_.random.below(sum_.size()));
    bench_->shift_i = 1;
    for (std::size_t i = 0; i < count; ++i) {
      bench_.settle();
      bench_.expect(!bench_->busy_o, "not busy");
      bench_.expect_equal(bench_->digit_o, sum_[i], "digit " + std::to_string(i));
      bench_.step();
    }
    bench_->shift_i = 0;
    sum_.erase(sum_.begin(), sum_.begin() + static_cast<std::ptrdiff_t>(count));
    sum_.resize(2 * digits_ + 1);
  }

  void wait() {
    if (!idle_) bench_.step();
    idle_ = true;
    for (std::uint64_t cycles = bench_.random.below(4); cycles > 0; --cycles) bench_.step();
  }

 private:
  ringmill::Bench<Model>& bench_;
  unsigned digits_;
  unsigned width_;
  comba::Digits sum_;
  bool idle_ = true;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Unit<Model> unit(bench);
  for (unsigned i = 0; i < 100; ++i) {
    for (std::uint64_t products = bench.random.below(6); products > 0; --products) {
      unit.multiply();
      if (bench.random.chance(30)) unit.wait();
    }
    unit.shift();
  }
}
