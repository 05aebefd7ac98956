// modular_subtractor beside differences of 128 bits: congruent, and in the range that the header promises.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const bool is_partial = bench.parameter("Partial") != 0;
  for (const Wide q : ringmill::primes(bench.random, std::min(width, 22U), width, 9)) {
    bench->modulus_i = q;
    const Wide bound = is_partial ? Wide{1} << ringmill::bit_length(q) : q;
    for (int i = 0; i < 4000; ++i) {
      const Wide a = bench.random.edgy(bound), b = bench.random.edgy(bound);
      bench->lhs_i = a;
      bench->rhs_i = b;
      bench.settle();
      const Wide difference = bench->difference_o;
      const std::string what = text(a) + " - " + text(b) + " mod " + text(q);
      bench.expect_equal(difference % q, (a + 2 * q - b) % q, what);
      bench.expect(difference < bound, what + " out of range: " + text(difference));
    }
  }
}
