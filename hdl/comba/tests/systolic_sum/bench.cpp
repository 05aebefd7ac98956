// systolic_sum beside schoolbook sums: passes that follow each other without a gap, quotients that leave the sum alone,
// subtractions with their comparison, and digits that are looked at.

#include "../digits.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

enum Mode : unsigned { kFirst, kAdd, kQuotient, kSubtract };

template <class Model>
class Sum {
 public:
  explicit Sum(ringmill::Bench<Model>& bench)
      : bench_(bench), depth_(static_cast<unsigned>(bench.parameter("Depth"))),
        noise_digits_(static_cast<unsigned>(bench.parameter("NoiseDigits"))),
        width_(static_cast<unsigned>(bench.parameter("SumWidth"))) {
    bench_->start_i = bench_->noise_shift_i = bench_->peek_i = bench_->mode_i = 0;
    bench_->modulus_i = 0;
    put_column(0);
    bench_.reset();
  }

  void sequence() {
    const auto length = static_cast<unsigned>(noise_digits_ + 3 + bench_.random.below(depth_ - noise_digits_ - 4));
    comba::Digits noise = comba::random_digits(bench_.random, noise_digits_, 16);
    for (const std::uint64_t digit : noise) {
      bench_->noise_shift_i = 1;
      bench_->load_digit_i = static_cast<std::uint16_t>(digit);
      bench_.step();
    }
    bench_->noise_shift_i = 0;
    if (noise.back() >> 15) noise.resize(length, 0xffff);
    noise.resize(length);
    sum_ = noise;
    // Several passes one after the other.
    const auto passes = static_cast<unsigned>(1 + bench_.random.below(3));
    std::vector<std::uint64_t> columns;
    std::vector<std::uint64_t> digits;
    for (unsigned pass = 0; pass < passes; ++pass) {
      std::vector<std::uint64_t> own = random_columns(length);
      add(own, 2, false);
      digits.insert(digits.end(), sum_.begin(), sum_.end());
      columns.insert(columns.end(), own.begin(), own.end());
    }
    run(kFirst, length, columns, digits, nullptr);
    peek();

    const comba::Digits kept = sum_;
    std::vector<std::uint64_t> own = random_columns(length);
    sum_ = comba::Digits(length);
    add(own, 1, false);
    run(kQuotient, length, own, sum_, nullptr);
    sum_ = kept;
    peek();

    own = random_columns(length);
    add(own, 1, true);
    comba::Digits modulus = comba::random_digits(bench_.random, length, 16);
    if (bench_.random.chance(30)) modulus = sum_;
    run(kSubtract, length, own, sum_, &modulus);
    bench_.expect_equal(bench_->less_o, comba::compare(sum_, modulus) < 0, "less");
    less_ += bench_->less_o;
    ++count_;
    peek();
  }

  void check_both() { bench_.expect(less_ > 0 && less_ < count_, "less, and not less"); }

 private:
  std::vector<std::uint64_t> random_columns(unsigned count) {
    std::vector<std::uint64_t> columns(count);
    for (std::uint64_t& column : columns) column = static_cast<std::uint64_t>(bench_.random.edgy(ringmill::Wide{1} << width_));
    return columns;
  }

  /// sum +- times columns, modulo 2^16 to the power of its digits.
  void add(const std::vector<std::uint64_t>& columns, unsigned times, bool negative) {
    for (std::size_t place = 0; place < columns.size(); ++place) {
      comba::Digits number;
      for (ringmill::Wide rest = ringmill::Wide{columns[place]} * times; rest != 0; rest >>= 16) {
        number.push_back(static_cast<std::uint64_t>(rest & 0xffff));
      }
      comba::add(sum_, number, place, negative);
    }
  }

  void put_column(std::uint64_t column) { xor_banks::put_word(bench_->column_i, 0, width_, column); }

  /// Passes of `length` columns: the digits as they leave.
  void run(Mode mode, unsigned length, const std::vector<std::uint64_t>& columns,
           const std::vector<std::uint64_t>& digits, const comba::Digits* modulus) {
    for (unsigned cycle = 0; cycle < columns.size() + 3; ++cycle) {
      bench_->start_i = cycle % length == 0 && cycle < columns.size();
      bench_->mode_i = mode == kFirst && cycle != 0 ? kAdd : mode;
      xor_banks::put_word(bench_->length_i, 0, ringmill::bit_length(depth_ - 1), length);
      put_column(cycle >= 2 && cycle - 2 < columns.size() ? columns[cycle - 2] : bench_.random.word() >> (64 - width_));
      const bool leaves = cycle >= 3;
      bench_.settle();
      bench_.expect_equal(bench_->valid_o, leaves, "valid");
      if (leaves) {
        bench_.expect_equal(bench_->digit_o, digits[cycle - 3], "digit " + std::to_string(cycle - 3));
        bench_.expect_equal(bench_->done_o, (cycle - 2) % length == 0, "done");
        bench_->modulus_i = static_cast<std::uint16_t>(modulus ? (*modulus)[cycle - 3] : 0);
      }
      bench_.step();
    }
    bench_->start_i = 0;
    bench_.settle();
    bench_.expect(!bench_->busy_o, "not busy");
  }

  void peek() {
    for (unsigned i = 0; i < 10; ++i) {
      const auto place = static_cast<unsigned>(bench_.random.below(sum_.size()));
      bench_->peek_i = 1;
      xor_banks::put_word(bench_->peek_index_i, 0, ringmill::bit_length(depth_ - 1), place);
      bench_.step();
      bench_.expect_equal(bench_->peek_digit_o, sum_[place], "a digit of the sum");
    }
    bench_->peek_i = 0;
  }

  ringmill::Bench<Model>& bench_;
  unsigned depth_;
  unsigned noise_digits_;
  unsigned width_;
  comba::Digits sum_;
  unsigned less_ = 0;
  unsigned count_ = 0;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Sum<Model> sum(bench);
  for (unsigned i = 0; i < 60; ++i) sum.sequence();
  sum.check_both();
}
