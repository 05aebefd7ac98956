// residue_fold against % of 128 bits: sums of all lengths, both signs, pauses.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const unsigned primes = bench.parameter("Primes"), width = bench.parameter("SumWidth");
  const unsigned latency = fold_latency();
  std::vector<std::uint64_t> moduli;
  bench->valid_i = 0;
  bench.reset();
  for (unsigned i = 0; i < primes; ++i) {
    moduli.push_back(any_prime(bench.random));
    const std::uint64_t words[] = {moduli[i], small_reciprocal(moduli[i]), (std::uint64_t{1} << 58) % moduli[i]};
    for (unsigned table = 0; table < 3; ++table) {
      bench->modulus_write_i = table == 0;
      bench->reciprocal_write_i = table == 1;
      bench->fold_write_i = table == 2;
      bench->table_address_i = i;
      bench->table_data_i = words[table];
      bench.step();
    }
  }
  bench->fold_write_i = 0;
  struct Expected {
    bool valid;
    unsigned prime;
    std::uint64_t residue;
  };
  std::deque<Expected> expected(latency - 1);
  for (unsigned i = 0; i < 10000 + latency; ++i) {
    const auto prime = static_cast<unsigned>(bench.random.below(primes));
    const std::uint64_t q = moduli[prime];
    ringmill::Wide sum = bench.random.edgy(ringmill::Wide{1} << width);
    if (bench.random.chance(20)) sum -= sum % q;
    const bool negate = bench.random.chance(50);
    const auto rest = static_cast<std::uint64_t>(sum % q);
    bench->valid_i = i < 10000 && bench.random.chance(80);
    bench->prime_i = prime;
    bench->negate_i = negate;
    ringmill::put(bench->sum_i, sum);
    expected.push_back({bench->valid_i != 0, prime, negate && rest != 0 ? q - rest : rest});
    bench.step();
    bench.expect_equal(bench->valid_o, expected.front().valid, "valid");
    if (bench->valid_o) {
      bench.expect_equal(bench->prime_o, expected.front().prime, "prime");
      bench.expect_equal(bench->residue_o, expected.front().residue, "residue");
    }
    expected.pop_front();
  }
}
