// core_conversion_pkg beside the document's figures.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned width = number("Width"), word = number("Word"), pipeline = number("Pipeline");
  // Two cycles to the operands; reduced addend, sum, correction behind the residue.
  const unsigned product = 2 + ringmill::integer_multiplier_latency(width, pipeline);
  const unsigned residue = product + ringmill::montgomery_latency(width, word, pipeline), latency = residue + 3;
  bench.settle();
  bench.expect_equal(bench->fraction_bits_o, 2 * width - 16, "bits of a fraction");
  bench.expect_equal(bench->fraction_sum_bits_o, 2 * width - 10, "bits of a sum of 31 fractions and 1/2");
  bench.expect_equal(bench->product_latency_o, product, "latency of a product");
  bench.expect_equal(bench->residue_latency_o, residue, "latency of a residue");
  bench.expect_equal(bench->latency_o, latency, "latency of a result");
  for (unsigned i = 0; i < 200; ++i) {
    const auto draw = [&](unsigned low, unsigned high) {
      return low + static_cast<unsigned>(bench.random.below(high - low + 1));
    };
    const unsigned slots = draw(1, 1024), sources = draw(1, 31), targets = draw(1, 32), own = draw(0, 1);
    bench->slots_i = slots;
    bench->sources_i = sources;
    bench->targets_i = targets;
    bench->own_i = own;
    bench.settle();
    // Sources and fractions in each of two steps more than there are slots; results, or the time of a lane, in the others.
    const unsigned results = std::max(targets * (sources + 1 + own), latency);
    const unsigned expected = (slots + 2) * 3 * sources + 2 * latency + slots * results + latency + 2;
    bench.expect_equal(bench->cycles_o, expected, "cycles");
  }
}
