// dedicated_sequencer: every word once a pass, pairs in a row, each word after it was written, cycles as the formula
// says, each factor where the values' bits in the place say, exchanges of the right bits.

#include "../host.h"

namespace {

using namespace dedicated;

enum Operation { Forward, Inverse, Scaled, Product, Difference };
enum Exchange { None, Of_forward, Of_inverse, Pair };

/// One operation of the sequencer with all that is known of it.
template <class Model>
class Run {
 public:
  Run(ringmill::Bench<Model>& bench, const Shape& shape, unsigned latency, Operation operation, unsigned half,
      bool reversed)
      : bench_(bench), shape_(shape), latency_(latency), operation_(operation), half_(half), reversed_(reversed),
        written_(shape.words(), 0) {}

  void operator()() {
    bench_->start_i = 1;
    bench_->operation_i = operation_;
    bench_->half_i = half_;
    bench_->reversed_i = reversed_;
    bench_.step();
    bench_->start_i = 0;
    bench_->operation_i = 7;
    const bool pairs = operation_ >= Product;
    for (unsigned at = 0; at < (pairs ? 1 : shape_.k); ++at) {
      const unsigned number = operation_ == Forward ? at : shape_.k - 1 - at;
      pass(number, at == 0, pairs || at + 1 == shape_.k);
    }
    const std::uint64_t last_write = last_read_ + latency_;
    while (bench_->busy_o && bench_.cycles() <= last_write + 9) {
      bench_.step();
      bench_.expect_equal(bench_->read_o | bench_->write_o, 0, "read after the end");
    }
    bench_.expect_equal(bench_.cycles(), last_write + 1, "end of busy");
    const Timetable cycles{shape_, latency_};
    bench_.expect_equal(last_write - first_read_ + 1,
                        pairs ? cycles.pairs() : operation_ == Scaled ? cycles.scaled() : cycles.passes(), "cycles");
  }

 private:
  ringmill::Bench<Model>& bench_;
  Shape shape_;
  unsigned latency_;
  Operation operation_;
  unsigned half_;
  bool reversed_;
  std::vector<std::uint64_t> written_;
  std::uint64_t first_read_ = 0, last_read_ = 0;

  /// The bit of the address in which successive words of a pass differ.
  unsigned paired_bit(unsigned pass) const {
    if (operation_ == Forward) return pass % shape_.a;
    return (pass == 0 ? shape_.a - 1 : pass - 1) % shape_.a;
  }

  void pass(unsigned number, bool first, bool last) {
    const bool twice = operation_ >= Product || (operation_ == Scaled && last);
    std::vector<unsigned> seen(shape_.words());
    std::uint64_t previous = 0;
    for (std::uint64_t time = 0; time < (twice ? 2 : 1) * shape_.words(); ++time) {
      do bench_.step();
      while (!bench_->read_o && bench_.cycles() < last_read_ + 2 * latency_ + 9);
      bench_.expect(bench_->read_o, "no read");
      if (first && time == 0) first_read_ = bench_.cycles();
      if (time != 0) bench_.expect_equal(bench_.cycles(), last_read_ + 1, "reads in a row");
      last_read_ = bench_.cycles();
      const std::uint64_t address = bench_->address_o;
      ++seen[address];
      if (!first) bench_.expect(last_read_ > written_[address], "read before it is written");
      check(number, first, last, twice, time, address);
      // Of two words in a row the first is written a latency after the first read, the second after the second.
      if (!twice || time % 2 == 1) written_[address] = last_read_ + latency_;
      if (twice && time % 2 == 1) bench_.expect_equal(address, previous, "the same word twice");
      if (!twice && time % 2 == 1) bench_.expect_equal(address ^ previous, 1U << paired_bit(number), "pair");
      previous = address;
    }
    for (const unsigned count : seen) bench_.expect_equal(count, twice ? 2 : 1, "reads of a word");
  }

  void check(unsigned number, bool first, bool last, bool twice, std::uint64_t time, std::uint64_t address) {
    const bool odd = time % 2;
    bench_.expect_equal(bench_->odd_o, odd, "odd");
    bench_.expect_equal(bench_->write_o, !twice || odd, "write");
    bench_.expect_equal(bench_->buffer_o, operation_ >= Product && odd ? 1 : first ? 0 : 2, "buffer");
    bench_.expect_equal(bench_->paired_o, operation_ >= Product, "paired");
    bench_.expect_equal(bench_->by_word_o, operation_ == Product, "by word");
    bench_.expect_equal(bench_->combine_o, operation_ == Forward, "butterfly forward");
    bench_.expect_equal(bench_->multiply_o, operation_ == Product, "multiplication");
    bench_.expect_equal(bench_->scale_sum_o, operation_ == Scaled && last && !odd, "scaled sum");
    bench_.expect_equal(bench_->decimate_o, !bench_->combine_o && !bench_->multiply_o && !bench_->scale_sum_o,
                        "butterfly inverse");
    check_factor(number, last, address);
    const unsigned exchange = twice ? Pair : last ? None : operation_ == Forward ? Of_forward : Of_inverse;
    bench_.expect_equal(bench_->exchange_o, exchange, "exchange");
    if (exchange == Of_forward || exchange == Of_inverse) {
      const unsigned pass = operation_ == Forward ? number : number - 1;
      bench_.expect_equal(bench_->gap_o, std::min(pass, shape_.b - 1), "unit bit of the exchange");
    }
    check_keep(first, address);
  }

  void check_factor(unsigned number, bool last, std::uint64_t address) {
    if (operation_ == Product) return;
    const bool scale = operation_ == Scaled && last, correction = operation_ == Difference;
    const bool few = scale || correction || number < shape_.b;
    bench_.expect_equal(bench_->factor_few_o, few, "few factors");
    std::uint64_t expected = correction ? shape_.b + 1 : scale ? shape_.b : number;
    if (!few) {
      const auto held = shape_.held(number);
      expected = std::uint64_t{1} << (number - shape_.b);
      for (unsigned i = 0; i < shape_.a; ++i) {
        if (held[i].value) expected |= (address >> i & 1) << (held[i].bit - (shape_.b - 1));
      }
    }
    bench_.expect_equal(bench_->factor_address_o, expected, "factor");
  }

  /// Of the pairs of unit 0 and of another: which coefficients the halves are.
  void check_keep(bool first, std::uint64_t address) {
    for (const std::uint64_t unit : {std::uint64_t{0}, std::uint64_t{1}}) {
      unsigned keep = bench_->keep_o;
      if (unit == 0 && bench_->swap_first_o) keep = (keep & 1) << 1 | keep >> 1;
      for (const std::uint64_t half : {std::uint64_t{0}, std::uint64_t{1}}) {
        bool expected = true;
        if (operation_ == Forward && first && half_ != 0) {
          std::uint64_t index = half << (shape_.k - 1);
          for (unsigned i = 0; i < shape_.k - 1; ++i) {
            const auto held = shape_.held(0)[i];
            index |= ((shape_.number({0, unit, address}) >> i) & 1) << held.bit;
          }
          if (reversed_) index = (shape_.n() - index) % shape_.n();
          expected = (index >= shape_.n() / 2) == (half_ == 2);
        }
        bench_.expect_equal(keep >> half & 1, expected, "half that counts");
      }
    }
  }
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  const unsigned latency = 6 + static_cast<unsigned>(bench.parameter("UnitLatency"));
  bench->start_i = 0;
  bench.reset();
  for (const Operation operation : {Forward, Inverse, Scaled, Product, Difference}) {
    for (unsigned half = 0; half < (operation == Forward ? 3 : 1); ++half) {
      for (const bool reversed : {false, true}) Run(bench, shape, latency, operation, half, reversed)();
    }
  }
}
