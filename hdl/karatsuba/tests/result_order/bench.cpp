// result_order: results of any length, with time in and between them.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto count = static_cast<unsigned>(bench.parameter("Count"));
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  for (unsigned result = 0; result < 100; ++result) {
    const auto length = static_cast<unsigned>(1 + bench.random.below(5));
    for (unsigned i = 0; i < length;) {
      bench->valid_i = bench.random.chance(70);
      bench->first_i = bench->valid_i && i == 0;
      bench.settle();
      bench.expect_equal(bench->valid_o, bench->valid_i ? 1u << (result % count) : 0, "whose product it is");
      i += bench->valid_i;
      bench.step();
    }
  }
}
