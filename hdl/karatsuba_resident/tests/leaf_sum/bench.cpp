// leaf_sum beside the sum over all bits whose places the digits allow.

#include <deque>
#include <vector>

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const unsigned levels = static_cast<unsigned>(bench.parameter("Levels")), count = 1u << levels;
  std::deque<unsigned> expected;
  for (unsigned cycle = 0; cycle < 3000; ++cycle) {
    const unsigned share = static_cast<unsigned>(bench.random.below(101));
    std::vector<bool> bits(count);
    for (unsigned i = 0; i < count; ++i) {
      bits[i] = bench.random.chance(share);
      resident::put(bench->bits_i, i, 1, resident::Big(bits[i]));
    }
    std::vector<unsigned> digits(levels);
    for (unsigned i = 0; i < levels; ++i) {
      digits[i] = static_cast<unsigned>(bench.random.below(3));
      resident::put(bench->digits_i, 2 * i, 2, resident::Big(digits[i]));
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      bool counts = bits[i];
      for (unsigned digit = 0; digit < levels; ++digit) counts = counts && (digits[digit] == 2 || digits[digit] == (i >> digit & 1));
      sum += counts;
    }
    expected.push_back(sum);
    bench.step();
    if (expected.size() < levels) continue;
    bench.expect_equal(bench->sum_o, expected.front(), "sum");
    expected.pop_front();
  }
}
