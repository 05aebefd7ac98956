// Sizes and cycles of multiprecision_pkg, counted again, and the paper's.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), static_cast<unsigned>(bench.parameter("Total")),
                    static_cast<unsigned>(bench.parameter("Cores"))};
  bench.settle();
  bench.expect_equal(bench->modulus_words_o, sizes.modulus_words(), "words of q");
  bench.expect_equal(bench->constants_o, sizes.lift_sum() + sizes.lift_residues() + sizes.scale_sum(), "constants");
  for (const unsigned scale : {0, 1}) {
    const auto field = [scale](auto port) { return static_cast<std::uint32_t>(ringmill::get(port) >> (32 * scale)); };
    bench.expect_equal(field(bench->words_o), sizes.sum_words(scale), "words of a sum");
    bench.expect_equal(field(bench->fraction_o), sizes.fraction(scale), "words of fraction");
    bench.expect_equal(field(bench->reciprocal_o), sizes.reciprocal(scale), "words of a reciprocal");
    bench.expect_equal(field(bench->dividend_o), sizes.dividend(scale), "words of a dividend");
    bench.expect_equal(field(bench->results_o), sizes.results(scale), "words of a quotient");
    bench.expect_equal(field(bench->slots_o), sizes.slots(scale), "slots");
    bench.expect_equal(field(bench->division_o), sizes.division(scale), "cycles of a division");
  }
  bench.expect_equal(bench->sum_latency_o, sizes.sum_latency(), "latency of a sum");
  bench.expect_equal(bench->quotient_cycles_o, sizes.quotient_cycles(), "cycles of Barrett's reduction");
  bench.expect_equal(bench->scale_interval_o, sizes.scale_interval(), "cycles of a scale");
  if (sizes.base != 41 || sizes.total != 84 || sizes.cores != 8) return;
  // Section 4.3.3: words of the reciprocals; table 2: 401 and 687 cycles.
  bench.expect(sizes.reciprocal(false) == 12 && sizes.reciprocal(true) == 22, "the paper's reciprocals");
  bench.expect_equal(sizes.lift_interval(), 390, "cycles of a lift");
  bench.expect_equal(bench->scale_interval_o, 484, "cycles of a scale");
}
