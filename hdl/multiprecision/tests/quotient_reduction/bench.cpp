// quotient_reduction against long division: congruent, below 3 q, for the least and the greatest q.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), static_cast<unsigned>(bench.parameter("Total")), 2};
  const unsigned bits = 30 * sizes.base, words = sizes.modulus_words(), long_words = sizes.results(true);
  bench->valid_i = bench->quotient_write_i = bench->modulus_write_i = 0;
  bench.reset();
  for (unsigned round = 0; round < 9; ++round) {
    const Big any = Big::random(bench.random, bits - 3);
    const Big q = round % 3 == 0   ? Big::power(bits - 3) + 1
                  : round % 3 == 1 ? Big::power(bits) - 1
                                   : Big::power(bits - 2) + (any >> 1 << 1) + 1;
    bench->quotient_write_i = 1;
    bench->table_data_i = (Big::power(bits + 60) / q).value();
    bench.step();
    bench->quotient_write_i = 0;
    bench->modulus_write_i = 1;
    for (unsigned k = 0; k < words; ++k) {
      bench->table_address_i = k;
      bench->table_data_i = q.word(k);
      bench.step();
    }
    bench->modulus_write_i = 0;
    for (unsigned i = 0; i < 60; ++i) {
      const Big bound = Big::power(30 * (sizes.total - sizes.base));
      Big number = Big::random(bench.random, bound.bits() - 1);
      if (bench.random.chance(40)) number = number / q * q + static_cast<std::uint64_t>(bench.random.below(3)) - 1;
      if (i == 0) number = bound - 1;
      if (i == 1 || !(number < bound)) number = 0;
      const bool negative = bench.random.chance(50);
      for (unsigned k = 0; k < long_words; ++k) {
        bench->valid_i = 1;
        ringmill::put(bench->long_i, (number >> (kLong * k)).low(kLong).wide());
        bench->last_i = k + 1 == long_words;
        bench->negative_i = negative;
        if (k + 1 < long_words) bench.step();
        bench->valid_i = 1;
        while (k + 1 < long_words && bench.random.chance(30)) {
          bench->valid_i = 0;
          bench.step();
        }
      }
      // The words leave together, the last one after quotient_cycles.
      Big rest;
      for (unsigned step = 1; step <= sizes.quotient_cycles(); ++step) {
        bench.step();
        bench->valid_i = 0;
        const bool expected = step + words > sizes.quotient_cycles();
        bench.expect_equal(bench->valid_o, expected, "valid");
        if (!expected) continue;
        rest = rest + (Big(bench->word_o) << (kWord * (step + words - sizes.quotient_cycles() - 1)));
        bench.expect_equal(bench->last_o, step == sizes.quotient_cycles(), "last");
        bench.expect_equal(bench->negative_o, negative, "sign");
      }
      bench.expect(rest < q * 3, "below 3 q");
      bench.expect(rest % q == number % q, "congruent");
    }
  }
}
