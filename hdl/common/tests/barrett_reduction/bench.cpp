// barrett_reduction beside the remainders of 128 bits, for primes and other odd moduli of all lengths,
// and products up to 2^K q.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const unsigned latency = ringmill::barrett_latency(width, pipeline);
  std::vector<std::uint64_t> moduli = ringmill::primes(bench.random, std::min(width, 22U), width, 9);
  for (unsigned bits = 2; bits <= width; ++bits) {
    const Wide base = Wide{1} << (bits - 1);
    for (const Wide q : {base + 1, 2 * base - 1, base + (bench.random.below(base) | 1)}) moduli.push_back(q);
  }
  for (const Wide q : moduli) {
    const unsigned bits = ringmill::bit_length(q);
    bench->modulus_i = q;
    bench->length_i = bits;
    bench->constant_i = ((Wide{1} << (bits + width)) / q) & ringmill::mask(width);
    ringmill::check_pipeline(bench, latency, 600, bench->result_o, [&](std::string& inputs) {
      const Wide product = bench.random.edgy(q << bits);
      ringmill::put(bench->product_i, product);
      inputs = text(product) + " mod " + text(q);
      return product % q;
    });
  }
}
