// ringmill_pkg: word sizes and steps beside their definitions, latencies beside those that the benches measure.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t length = bench.parameter("Length"), width = bench.parameter("Width");
  unsigned word = 0, steps = 0;
  while ((std::uint64_t{1} << word) < 2 * length) ++word;
  while (steps * word < width) ++steps;
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const unsigned product = ringmill::integer_multiplier_latency(width, pipeline);
  bench.settle();
  bench.expect_equal(bench->word_o, word, "word");
  bench.expect_equal(bench->steps_o, steps, "steps");
  bench.expect_equal(bench->montgomery_o, product + ringmill::montgomery_latency(width, word, pipeline), "cycles of a product by Montgomery");
  bench.expect_equal(bench->barrett_o, product + ringmill::barrett_latency(width, pipeline), "cycles of a product by Barrett");
  bench.expect_equal(bench->greater_o, std::max<std::uint64_t>(length, width), "greater");
  bench.expect_equal(bench->greater_swapped_o, std::max<std::uint64_t>(length, width), "greater, the other way round");
  bench.expect_equal(bench->index_o, word, "bits that index one more than the length");
  bench.expect_equal(bench->index_of_one_o, 1, "bits that index one thing");
}
