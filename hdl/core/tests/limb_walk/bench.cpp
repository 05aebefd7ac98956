// limb_walk beside the definition of places: two walks through all indices, with pauses.

#include "../places.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t n = bench.parameter("N"), words = bench.parameter("Words");
  const core::Places places(bench);
  bench->advance_i = 0;
  bench.reset();
  for (std::uint64_t walked = 0; walked < 2 * n; walked += words) {
    const std::uint64_t first = walked % n;
    while (bench.random.chance(20)) {
      bench->advance_i = 0;
      bench.step();
    }
    bench->advance_i = 1;
    bench.settle();
    for (std::uint64_t k = 0; k < words; ++k) {
      bench.expect_equal(bench->bank_o ^ k, places.bank(first + k), "bank of word " + std::to_string(first + k));
      bench.expect_equal(bench->address_o, places.address(first + k), "address of word " + std::to_string(first + k));
    }
    bench.expect_equal(bench->last_o, first + words == n, "last at word " + std::to_string(first));
    bench.step();
  }
}
