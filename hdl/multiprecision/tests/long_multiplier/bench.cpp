// long_multiplier against schoolbook products.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  // Halves and their sums, a product of 60 bits, two more sums.
  const unsigned latency = 1 + ringmill::integer_multiplier_latency(kWord + 1, 1) + 2;
  std::deque<Big> expected;
  for (unsigned i = 0; i < 20000; ++i) {
    const ringmill::Wide bound = ringmill::Wide{1} << kLong;
    const auto word = [&] {
      const ringmill::Wide any = ringmill::Wide{bench.random.word()} << 64 | bench.random.word();
      return bench.random.chance(30) ? bench.random.edgy(bound) : any & (bound - 1);
    };
    const ringmill::Wide lhs = word(), rhs = word();
    ringmill::put(bench->lhs_i, lhs);
    ringmill::put(bench->rhs_i, rhs);
    expected.push_back(Big::of(bench->lhs_i) * Big::of(bench->rhs_i));
    bench.step();
    if (expected.size() < latency) continue;
    bench.expect(Big::of(bench->product_o) == expected.front(), "product");
    expected.pop_front();
  }
}
