// montgomery_reduction beside products by the inverse of R, for primes of all lengths and products up to q R.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const unsigned latency = ringmill::montgomery_latency(width, word, pipeline);
  const unsigned steps = (width + word - 1) / word;
  for (const std::uint64_t q : ringmill::primes(bench.random, std::min(width, 22U), width, word)) {
    const std::uint64_t radix = ringmill::power_mod(2, word * steps, q);
    const std::uint64_t inverse = ringmill::power_mod(radix, q - 2, q);
    // Products below q R that fit the port.
    const unsigned spare = std::min(word * steps, 2 * width - ringmill::bit_length(q));
    const Wide bound = Wide{q} << spare;
    bench->modulus_i = q;
    bench.step();
    ringmill::check_pipeline(bench, latency, 1500, bench->result_o, [&](std::string& inputs) {
      const Wide product = bench.random.edgy(bound);
      ringmill::put(bench->product_i, product);
      inputs = text(product) + " / 2^" + std::to_string(word * steps) + " mod " + text(q);
      return product % q * inverse % q;
    });
  }
}
