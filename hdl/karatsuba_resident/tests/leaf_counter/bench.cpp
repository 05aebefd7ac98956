// leaf_counter beside division by three.

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const unsigned digits = static_cast<unsigned>(bench.parameter("Digits"));
  const std::uint64_t start = bench.parameter("Start"), step = bench.parameter("Step");
  std::uint64_t all = 1, number = start;
  for (unsigned i = 0; i < digits; ++i) all *= 3;
  bench->restart_i = 1;
  bench->step_i = 0;
  bench.step();
  for (unsigned round = 0; round < 10000; ++round) {
    std::uint64_t rest = number;
    for (unsigned i = 0; i < digits; ++i, rest /= 3) {
      bench.expect_equal(static_cast<std::uint64_t>(bench->digits_o) >> 2 * i & 3, rest % 3, "digit " + std::to_string(i));
    }
    const bool restarts = bench.random.below(1000) == 0, steps = bench.random.chance(70);
    bench->restart_i = restarts;
    bench->step_i = steps;
    bench.step();
    number = restarts ? start : steps ? (number + step) % all : number;
  }
}
