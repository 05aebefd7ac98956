// residue_reduction against %, with a prime of its own for each number.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const unsigned latency = reduction_latency();
  std::deque<std::uint64_t> expected;
  for (unsigned i = 0; i < 20000; ++i) {
    const std::uint64_t prime = any_prime(bench.random);
    const auto number = static_cast<std::uint64_t>(bench.random.edgy(ringmill::Wide{prime} << 30));
    // Multiples of the prime and their neighbours, too.
    const std::uint64_t multiple = number / prime * prime + static_cast<std::uint64_t>(bench.random.below(3));
    const std::uint64_t chosen = bench.random.chance(30) && multiple != 0 ? multiple - 1 : number;
    bench->number_i = chosen;
    bench->modulus_i = prime;
    bench->reciprocal_i = small_reciprocal(prime);
    expected.push_back(chosen % prime);
    bench.step();
    if (expected.size() < latency) continue;
    bench.expect_equal(bench->residue_o, expected.front(), "residue");
    expected.pop_front();
  }
}
