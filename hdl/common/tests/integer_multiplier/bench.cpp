// integer_multiplier beside products of 128 bits.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const Wide bound = Wide{1} << bench.parameter("Width");
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const unsigned latency = ringmill::integer_multiplier_latency(width, pipeline);
  ringmill::check_pipeline(bench, latency, 40000, bench->product_o, [&](std::string& inputs) {
    const Wide a = bench.random.edgy(bound), b = bench.random.edgy(bound);
    bench->lhs_i = a;
    bench->rhs_i = b;
    inputs = text(a) + " * " + text(b);
    return a * b;
  });
}
