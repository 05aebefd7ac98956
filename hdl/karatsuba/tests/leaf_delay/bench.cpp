// leaf_delay beside a queue; flags are zero after reset.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::size_t depth = 25 * bench.parameter("Leaves");
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  bench->flags_i = 0;
  bench.reset();
  std::deque<std::pair<unsigned, std::uint64_t>> expected;
  for (unsigned i = 0; i < 1000; ++i) {
    bench->flags_i = bench.random.below(4);
    ringmill::put(bench->data_i, bench.random.word() & ((std::uint64_t{1} << width) - 1));
    bench.settle();
    expected.emplace_back(bench->flags_i, static_cast<std::uint64_t>(ringmill::get(bench->data_i)));
    if (expected.size() > depth) {
      bench.expect_equal(bench->flags_o, expected.front().first, "flags");
      bench.expect_equal(ringmill::get(bench->data_o), expected.front().second, "data");
      expected.pop_front();
    } else {
      bench.expect_equal(bench->flags_o, 0, "flags after reset");
    }
    bench.step();
  }
}
