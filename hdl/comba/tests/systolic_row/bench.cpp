// systolic_row beside schoolbook columns: elements from blocks less their corrections, and digits of a stream, each by the
// factor that was shifted in before, added to columns that pass.

#include "../digits.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

template <class Model>
class Row {
 public:
  explicit Row(ringmill::Bench<Model>& bench)
      : bench_(bench), taps_(static_cast<unsigned>(bench.parameter("Taps"))),
        corrections_(static_cast<unsigned>(bench.parameter("CorrectionDigits"))),
        width_(static_cast<unsigned>(bench.parameter("SumWidth"))) {
    bench_->load_i = bench_->take_i = bench_->stream_i = bench_->factor_shift_i = bench_->correction_shift_i = 0;
    put_sum(0);
    bench_.reset();
  }

  void element() {
    const auto blocks = static_cast<unsigned>(1 + corrections_ / 32 + bench_.random.below(3));
    comba::Digits x = comba::random_digits(bench_.random, 32 * blocks, 16);
    comba::Digits correction = comba::random_digits(bench_.random, corrections_, 16);
    if (comba::compare(correction, x) > 0) correction = comba::Digits(corrections_);
    const comba::Digits b = load(&correction);
    comba::Digits difference = x;
    comba::add(difference, correction, 0, true);
    for (unsigned cycle = 0; cycle < 32 * blocks + taps_ + 5; ++cycle) {
      bench_->load_i = cycle % 32 == 0 && cycle < 32 * blocks;
      bench_->take_i = cycle == 0;
      for (unsigned digit = 0; digit < 32; ++digit) {
        const unsigned place = cycle + digit;
        xor_banks::put_word(bench_->block_i, digit, 16, place < x.size() ? x[place] : bench_.random.word());
      }
      step(difference, b, cycle, 5);
    }
    bench_->load_i = bench_->take_i = 0;
  }

  void stream() {
    const comba::Digits x = comba::random_digits(bench_.random, 1 + static_cast<unsigned>(bench_.random.below(40)), 16);
    const comba::Digits b = load(nullptr);
    bench_->take_i = 1;
    bench_.step();
    bench_->take_i = 0;
    for (unsigned cycle = 0; cycle < x.size() + taps_ + 5 || cycle <= corrections_; ++cycle) {
      bench_->stream_i = static_cast<std::uint16_t>(cycle < x.size() ? x[cycle] : 0);
      step(x, b, cycle, 4);
    }
  }

 private:
  /// Shifts in a factor, and a correction or none.
  comba::Digits load(const comba::Digits* correction) {
    const comba::Digits b = comba::random_digits(bench_.random, taps_, 16);
    const auto shift = [this](auto& port, const comba::Digits& digits) {
      for (const std::uint64_t digit : digits) {
        if (bench_.random.chance(20)) bench_.step();
        port = 1;
        bench_->digit_i = static_cast<std::uint16_t>(digit);
        bench_.step();
        port = 0;
      }
    };
    shift(bench_->factor_shift_i, b);
    if (correction) shift(bench_->correction_shift_i, *correction);
    return b;
  }

  void put_sum(std::uint64_t sum) { xor_banks::put_word(bench_->sum_i, 0, width_, sum); }

  /// A cycle, at whose end the column of `cycle` - latency + 1 is in the sum.
  void step(const comba::Digits& x, const comba::Digits& b, unsigned cycle, unsigned latency) {
    const std::uint64_t before = bench_.random.word() & 0xffffffff;
    put_sum(before);
    bench_.step();
    if (cycle + 1 < latency) return;
    const unsigned column = cycle + 1 - latency;
    std::uint64_t expected = before;
    for (unsigned tap = 0; tap < taps_; ++tap) {
      if (column >= tap && column - tap < x.size()) expected += x[column - tap] * b[tap];
    }
    bench_.expect_equal(xor_banks::word_of(bench_->sum_o, 0, width_), expected, "column " + std::to_string(column));
  }

  ringmill::Bench<Model>& bench_;
  unsigned taps_;
  unsigned corrections_;
  unsigned width_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Row<Model> row(bench);
  for (unsigned i = 0; i < 40; ++i) {
    row.element();
    if (i % 3 == 0) row.stream();
  }
}
