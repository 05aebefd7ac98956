// comba_row beside schoolbook columns: products one after the other, with as few zeros between them as there must be.

#include "../digits.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto taps = static_cast<unsigned>(bench.parameter("Taps"));
  const auto width = static_cast<unsigned>(bench.parameter("DigitWidth"));
  ringmill::put(bench->digit_i, 0);
  bench.reset();
  for (unsigned i = 0; i < 200; ++i) {
    const unsigned length = 1 + static_cast<unsigned>(bench.random.below(2 * taps));
    const comba::Digits b = comba::random_digits(bench.random, taps, width);
    const comba::Digits x = comba::random_digits(bench.random, length, width);
    for (unsigned tap = 0; tap < taps; ++tap) xor_banks::put_word(bench->taps_i, tap, width, b[tap]);
    // After each step, the column of the digit before.
    for (unsigned cycle = 0; cycle < length + taps; ++cycle) {
      ringmill::put(bench->digit_i, cycle < length ? x[cycle] : 0);
      bench.step();
      if (cycle == 0) continue;
      const unsigned column = cycle - 1;
      std::uint64_t expected = 0;
      for (unsigned tap = 0; tap < taps; ++tap) {
        if (column >= tap && column - tap < length) expected += x[column - tap] * b[tap];
      }
      bench.expect_equal(static_cast<std::uint64_t>(xor_banks::word_of(
                             bench->column_o, 0, 2 * width + ringmill::bit_length(taps - 1))),
                         expected, "column " + std::to_string(column));
    }
  }
}
