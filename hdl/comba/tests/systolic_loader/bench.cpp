// systolic_loader: which register each digit is for, with digits that come late.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto rows = static_cast<unsigned>(bench.parameter("Rows")), taps = static_cast<unsigned>(bench.parameter("Taps"));
  const auto corrections = static_cast<unsigned>(bench.parameter("CorrectionDigits"));
  bench->start_i = bench->noise_i = bench->wide_i = bench->valid_i = 0;
  bench.reset();
  for (unsigned i = 0; i < 30; ++i) {
    const bool noise = i % 3 == 0, wide = i % 3 == 1;
    // Registers in turn: the noise, factors at 100, corrections at 200.
    std::vector<unsigned> expected(noise ? corrections : 0, 1);
    for (unsigned row = 0; row < (wide ? 2 : rows); ++row) {
      expected.insert(expected.end(), taps, 100 + row);
      if (!wide) expected.insert(expected.end(), corrections, 200 + row);
    }
    bench->start_i = 1;
    bench->noise_i = noise;
    bench->wide_i = wide;
    bench->valid_i = 0;
    bench.step();
    bench->start_i = bench->noise_i = bench->wide_i = 0;
    for (unsigned taken = 0, waited = 0; taken < expected.size() && waited < 100000; ++waited) {
      bench->valid_i = bench.random.chance(70);
      bench.settle();
      bench.expect(bench->busy_o && bench->ready_o, "busy");
      const auto factor = static_cast<std::uint64_t>(ringmill::get(bench->factor_shift_o));
      const auto correction = static_cast<std::uint64_t>(ringmill::get(bench->correction_shift_o));
      const unsigned target = bench->valid_i ? expected[taken++] : 0;
      bench.expect_equal(bench->noise_shift_o, target == 1, "noise");
      bench.expect_equal(factor, target / 100 == 1 ? std::uint64_t{1} << target % 100 : 0, "factor");
      bench.expect_equal(correction, target / 100 == 2 ? std::uint64_t{1} << target % 100 : 0, "correction");
      bench.step();
    }
    bench->valid_i = 0;
    bench.settle();
    bench.expect(!bench->busy_o, "done");
  }
}
