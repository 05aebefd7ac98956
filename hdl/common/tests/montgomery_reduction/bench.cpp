// montgomery_reduction beside products by the inverse of R, for primes of all lengths and products up to q R; where the
// modulus moves, with another one for each product.

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
  const bool moves = bench.parameter_or("ModulusMoves", 0) != 0, early = pipeline != 0;
  const std::vector<std::uint64_t> moduli = ringmill::primes(bench.random, std::min(width, 22U), width, word);
  for (const std::uint64_t first : moduli) {
    std::uint64_t next = first;
    bench->modulus_i = first;
    bench->enable_i = 1;
    bench.step();
    ringmill::check_pipeline(bench, latency, 1500, bench->result_o, [&](std::string& inputs) {
      const std::uint64_t q = next;
      if (moves) next = moduli[static_cast<std::size_t>(bench.random.below(moduli.size()))];
      bench->modulus_i = early ? next : q;
      const std::uint64_t radix = ringmill::power_mod(2, word * steps, q);
      const std::uint64_t inverse = ringmill::power_mod(radix, q - 2, q);
      // Products below q R that fit the port.
      const unsigned spare = std::min(word * steps, 2 * width - ringmill::bit_length(q));
      const Wide product = bench.random.edgy(Wide{q} << spare);
      ringmill::put(bench->product_i, product);
      inputs = text(product) + " / 2^" + std::to_string(word * steps) + " mod " + text(q);
      return product % q * inverse % q;
    });
  }
}
