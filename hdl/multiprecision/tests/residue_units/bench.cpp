// residue_units against long integers: its sums are congruent to the coefficient, one coefficient after another.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), 0, 2};
  const unsigned words = sizes.modulus_words(), rounds = sizes.rounds();
  const std::vector<std::uint64_t> primes = some_primes(sizes.base);
  const unsigned latency = units_latency();
  bench->valid_i = 0;
  bench.reset();
  bench->power_write_i = 1;
  for (unsigned prime = 0; prime < sizes.base; ++prime) {
    for (unsigned half = 0; half < 2 * words; ++half) {
      bench->power_unit_i = prime % kUnits;
      bench->power_address_i = prime / kUnits * 2 * words + half;
      bench->power_data_i = Big::power(kWord * (half / 2) + half % 2 * kPrime).residue(primes[prime]);
      bench.step();
    }
  }
  bench->power_write_i = 0;

  struct Coefficient {
    Big number;
    bool negative;
    std::uint64_t last_in;
  };
  std::deque<Coefficient> inside;
  const unsigned count = 20;
  unsigned in = 0, in_word = 0, out = 0, prime = 0;
  std::uint64_t free_at = 0;
  Big next;
  bool negative = false;
  const std::uint64_t patience = bench.cycles() + 8 * count * (2 * words * rounds + words + latency);
  while (out < count && bench.cycles() < patience) {
    bench->valid_i = in < count && bench.cycles() >= free_at && (in < 10 || bench.random.chance(50));
    if (bench->valid_i && in_word == 0) {
      next = in == 0 ? Big::power(kWord * words) - 1 : Big::random(bench.random, kWord * words);
      negative = bench.random.chance(50);
    }
    bench->word_i = next.word(in_word);
    bench->last_i = in_word + 1 == words;
    bench->negative_i = negative;
    if (bench->valid_i && ++in_word == words) {
      inside.push_back({next, negative, bench.cycles()});
      free_at = bench.cycles() + 2 * words * rounds + 1;
      in_word = 0;
      ++in;
    }
    bench.step();
    if (!bench->valid_o || inside.empty()) continue;
    const Coefficient& coefficient = inside.front();
    bench.expect_equal(bench->prime_o, prime, "prime");
    bench.expect_equal(bench->negative_o, coefficient.negative, "sign");
    bench.expect_equal(ringmill::get(bench->sum_o) % primes[prime], coefficient.number.residue(primes[prime]), "sum");
    const std::uint64_t round_ends = coefficient.last_in + 2 * words * (prime / kUnits + 1);
    bench.expect_equal(bench.cycles(), round_ends + latency + prime % kUnits, "cycle");
    if (++prime == sizes.base) {
      inside.pop_front();
      prime = 0;
      ++out;
    }
  }
  bench.expect_equal(out, count, "coefficients that left");
}
