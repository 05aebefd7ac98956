// butterfly beside products of 128 bits: all operations in any order, over primes of all lengths.

#include <deque>

#include "bench.h"
#include "latency.h"

namespace {

enum Operation : unsigned { kDecimate, kCombine, kScaleSum, kScaleDifference, kMultiply };

struct Results {
  ringmill::Wide upper;
  ringmill::Wide lower;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const bool combines = bench.parameter("Combines") != 0;
  const unsigned steps = (width + word - 1) / word;
  const unsigned latency = ringmill::butterfly_latency(width, word, pipeline, combines);
  for (const std::uint64_t q : ringmill::primes(bench.random, std::min(width, 28U), width, word)) {
    const Wide inverse = ringmill::power_mod(ringmill::power_mod(2, word * steps, q), q - 2, q);
    bench->modulus_i = q;
    std::deque<Results> expected;
    Wide previous = 0;
    for (unsigned i = 0; i < 1000 + latency; ++i) {
      const Wide u = bench.random.edgy(q), v = bench.random.edgy(q), w = bench.random.edgy(q);
      // The sums behind the multiplier need an operation before the first.
      const auto operation = i == 0 ? kDecimate : static_cast<Operation>(bench.random.below(5));
      bench->operation_i = operation;
      bench->upper_i = u;
      bench->lower_i = v;
      bench->factor_i = w;
      const Wide sum = (u + v) % q, difference = (u + q - v) % q;
      const Wide scaled = operation == kScaleSum ? sum : operation == kDecimate || operation == kScaleDifference ? difference : v;
      const Wide product = scaled * w % q * inverse % q;
      Results results{operation == kCombine || operation == kMultiply ? u : sum, product};
      if (combines && operation == kCombine) results = {(u + product) % q, (u + q - product) % q};
      if (combines && operation == kScaleDifference) {
        results = {(previous + product) % q, (previous + q - product) % q};
      }
      previous = product;
      expected.push_back(results);
      bench.step();
      if (expected.size() < latency) continue;
      bench.expect_equal(bench->upper_o, expected.front().upper, "upper modulo " + ringmill::text(q));
      bench.expect_equal(bench->lower_o, expected.front().lower, "lower modulo " + ringmill::text(q));
      expected.pop_front();
    }
  }
}
