// Latencies of tile_conversion_pkg, counted again, and the width of an operation.

#include "../operation.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench.settle();
  bench.expect_equal(bench->part_latency_o, tile::kPart, "latency of a sum of three");
  bench.expect_equal(bench->sum_latency_o, tile::kSum, "latency of a sum");
  bench.expect_equal(bench->tile_latency_o, tile::kLatency, "latency of a tile");
  bench.expect_equal(bench->tile_latency_o, 15, "the document's latency");
  bench.expect_equal(bench->operation_width_o, 72, "bits of an operation");
}
