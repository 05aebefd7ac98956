// reciprocal_division against long division: quotients next to half integers, both conversions, as fast as it takes
// them.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), static_cast<unsigned>(bench.parameter("Total")), 2};
  const unsigned latency = division_latency();
  bench->valid_i = bench->reciprocal_write_i = 0;
  bench->conversion_i = 0;
  bench.reset();
  for (unsigned round = 0; round < 6; ++round) {
    const bool scale = round % 2 == 1;
    // The least and the greatest q, and one between.
    const Big least = Big::power(30 * sizes.base - 3) + 1, greatest = Big::power(30 * sizes.base) - 1;
    const Big between = Big::power(30 * sizes.base - 1) + Big::random(bench.random, 30 * sizes.base - 3) * 2 + 1;
    const Big q = round < 2 ? least : round < 4 ? greatest : between;
    bench->reciprocal_write_i = 1;
    for (const bool which : {false, true}) {
      const Big reciprocal = Big::power(kLong * sizes.fraction(which) + which) / q + 1;
      for (unsigned k = 0; k < 2 * sizes.reciprocal(which); ++k) {
        bench->reciprocal_address_i = (which ? 2 * sizes.reciprocal(false) : 0) + k;
        bench->reciprocal_data_i = reciprocal.word(k);
        bench.step();
      }
    }
    bench->reciprocal_write_i = 0;
    bench->conversion_i = scale;

    const unsigned count = 12, words = sizes.sum_words(scale);
    // A lift's sum is below base 2^30 q; what a scale divides is below Q / 2, and the quotient at most 2^(30 (L - l)).
    const Big fits = (q << (30 * (sizes.total - sizes.base) - 1)) - q;
    const Big bound = scale ? std::min(Big::power(30 * sizes.total - 1), fits) : q * sizes.base << 30;
    std::vector<Big> numbers, quotients;
    std::vector<bool> signs;
    for (unsigned i = 0; i < count; ++i) {
      Big number = Big::random(bench.random, bound.bits() + 8) % bound;
      if (bench.random.chance(60)) {
        // Half an odd multiple of q / t, rounded up or down.
        number = ((number / q * 2 + 1) * q >> (scale ? 2 : 1)) + static_cast<std::uint64_t>(bench.random.below(3)) - 1;
        if (!(number < bound)) number = bound - 1;
      }
      numbers.push_back(i == 0 ? bound - 1 : i == 1 ? Big(0) : number);
      quotients.push_back(((numbers.back() << (scale ? 2 : 1)) + q) / (q << 1));
      signs.push_back(bench.random.chance(50));
    }
    unsigned in = 0, in_word = 0, out = 0, out_word = 0;
    std::uint64_t ends_at = 0;
    std::deque<std::uint64_t> leaves_at;
    const std::uint64_t patience = bench.cycles() + 8 * count * (words + sizes.division(scale) + latency);
    while (out < count && bench.cycles() < patience) {
      const bool last = in_word + 1 == words;
      // A number comes while the one before is divided, but not while that one waits.
      const bool gives = in < count && (round < 4 || bench.random.chance(50));
      bench->valid_i = gives && bench.cycles() + sizes.division(scale) >= ends_at;
      bench->word_i = in < count ? numbers[in].word(in_word) : 0;
      bench->last_i = bench->valid_i && last;
      bench->negative_i = in < count && signs[in];
      if (bench->valid_i) {
        in_word = last ? 0 : in_word + 1;
        if (last) {
          // It waits a cycle, and for the one before.
          ends_at = std::max(bench.cycles() + 1, ends_at) + sizes.division(scale);
          leaves_at.push_back(ends_at + latency);
          ++in;
        }
      }
      bench.step();
      bench.expect(bench->valid_o || !bench->last_o, "last without a word");
      if (!bench->valid_o || leaves_at.empty()) continue;
      const Big word = (quotients[out] >> (kLong * out_word)).low(kLong);
      bench.expect_equal(ringmill::get(bench->long_o), word.wide(), "word");
      bench.expect_equal(bench->last_o, out_word + 1 == sizes.results(scale), "last");
      if (++out_word == sizes.results(scale)) {
        bench.expect_equal(bench->negative_o, signs[out], "sign");
        bench.expect_equal(bench.cycles(), leaves_at.front(), "cycle of the last word");
        leaves_at.pop_front();
        out_word = 0;
        ++out;
      }
    }
    bench.expect_equal(out, count, "numbers that left");
  }
}
