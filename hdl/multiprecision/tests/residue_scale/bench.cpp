// residue_scale against products of 128 bits, in both conversions, with pauses.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const unsigned primes = bench.parameter("Primes");
  const unsigned latency = scale_latency();
  std::vector<std::uint64_t> moduli, inverses;
  bench->valid_i = 0;
  bench.reset();
  for (unsigned i = 0; i < primes; ++i) {
    moduli.push_back(any_prime(bench.random));
    inverses.push_back(static_cast<std::uint64_t>(bench.random.edgy(moduli[i])));
    const std::uint64_t words[] = {moduli[i], small_reciprocal(moduli[i]), inverses[i]};
    for (unsigned table = 0; table < 3; ++table) {
      bench->modulus_write_i = table == 0;
      bench->reciprocal_write_i = table == 1;
      bench->inverse_write_i = table == 2;
      bench->table_address_i = i;
      bench->table_data_i = words[table];
      bench.step();
    }
  }
  bench->inverse_write_i = 0;
  for (const bool scale : {false, true}) {
    bench->conversion_i = scale;
    std::deque<std::pair<bool, std::uint64_t>> expected(latency - 1);
    for (unsigned i = 0; i < 5000 + latency; ++i) {
      const auto prime = static_cast<unsigned>(bench.random.below(primes));
      const auto residue = static_cast<std::uint64_t>(bench.random.edgy(moduli[prime]));
      bench->valid_i = i < 5000 && bench.random.chance(80);
      bench->residue_i = residue;
      bench->prime_i = prime;
      const ringmill::Wide product = ringmill::Wide{residue} * (scale ? inverses[prime] : 1);
      expected.emplace_back(bench->valid_i, static_cast<std::uint64_t>(product % moduli[prime]));
      bench.step();
      bench.expect_equal(bench->valid_o, expected.front().first, "valid");
      if (bench->valid_o) bench.expect_equal(bench->residue_o, expected.front().second, "residue");
      expected.pop_front();
    }
  }
}
