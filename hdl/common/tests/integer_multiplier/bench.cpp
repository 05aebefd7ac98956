// integer_multiplier beside products of 128 bits.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const Wide bound = Wide{1} << bench.parameter("Width");
  ringmill::check_pipeline(bench, 2, 40000, bench->product_o, [&](std::string& inputs) {
    const Wide a = bench.random.edgy(bound), b = bench.random.edgy(bound);
    bench->lhs_i = a;
    bench->rhs_i = b;
    inputs = text(a) + " * " + text(b);
    return a * b;
  });
}
