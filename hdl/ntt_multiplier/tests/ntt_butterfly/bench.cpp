// ntt_butterfly beside products of 128 bits, over primes of all lengths.

#include <deque>

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::Wide;
  const unsigned word = ringmill::bit_length(bench.parameter("N"));
  const unsigned steps = (32 + word - 1) / word;
  const unsigned latency = 2 + steps;
  for (const std::uint64_t q : ringmill::primes(bench.random, 22, 32, word)) {
    const std::uint64_t inverse = ringmill::power_mod(ringmill::power_mod(2, word * steps, q), q - 2, q);
    bench->modulus_i = q;
    std::deque<std::pair<Wide, Wide>> expected;
    for (unsigned i = 0; i < 1000 + latency; ++i) {
      const Wide own = bench.random.edgy(q), partner = bench.random.edgy(q), factor = bench.random.edgy(q);
      const bool scale_sum = bench.random.chance(50);
      bench->own_i = own;
      bench->partner_i = partner;
      bench->factor_i = factor;
      bench->scale_sum_i = scale_sum;
      const Wide sum = (own + partner) % q;
      expected.emplace_back(sum, (scale_sum ? sum : own + q - partner) * factor % q * inverse % q);
      bench.step();
      if (expected.size() < latency) continue;
      bench.expect_equal(bench->sum_o, expected.front().first, "sum modulo " + ringmill::text(q));
      bench.expect_equal(bench->product_o, expected.front().second, "product modulo " + ringmill::text(q));
      expected.pop_front();
    }
  }
}
