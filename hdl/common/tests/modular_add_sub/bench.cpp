// modular_add_sub beside remainders of 128-bit integers.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  if (bench.parameter("Pipeline") == 0) {
    for (const std::uint64_t q : ringmill::primes(bench.random, std::min(width, 22U), width, 8)) {
      bench->modulus_i = q;
      for (unsigned i = 0; i < 1500; ++i) {
        const Wide a = bench.random.edgy(q), b = bench.random.edgy(q);
        bench->lhs_i = a;
        bench->rhs_i = b;
        bench.settle();
        bench.expect_equal(bench->sum_o, (a + b) % q, text(a) + " + " + text(b) + " mod " + text(q));
        bench.expect_equal(bench->difference_o, (a + q - b) % q, text(a) + " - " + text(b) + " mod " + text(q));
      }
    }
    return;
  }
  for (const std::uint64_t q : ringmill::primes(bench.random, std::min(width, 22U), width, 8)) {
    bench->modulus_i = q;
    const auto drive = [&](bool sum) {
      return [&bench, q, sum](std::string& inputs) {
        const Wide a = bench.random.edgy(q), b = bench.random.edgy(q);
        bench->lhs_i = a;
        bench->rhs_i = b;
        inputs = text(a) + (sum ? " + " : " - ") + text(b) + " mod " + text(q);
        return sum ? (a + b) % q : (a + q - b) % q;
      };
    };
    ringmill::check_pipeline(bench, 2, 1000, bench->sum_o, drive(true));
    ringmill::check_pipeline(bench, 2, 1000, bench->difference_o, drive(false));
  }
}
