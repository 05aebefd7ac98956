// xor_banks_pkg beside the timetable that its header defines, and the bounds that the machine was built for.

#include "../field.h"

namespace {

using namespace xor_banks;

template <class Model>
void check_passes(ringmill::Bench<Model>& bench, const Shape& shape, const Timetable& table) {
  std::uint64_t base = 0;
  for (unsigned step = 0; step < table.passes.size(); ++step) {
    const Pass& pass = table.passes[step];
    const std::string name = " of step " + std::to_string(step);
    bench->step_i = step;
    unsigned time_bits = 0;
    for (unsigned m = 0; m < shape.log_n; ++m) {
      bench->index_bit_i = m;
      bench.settle();
      const bool space = is_space(shape, pass, m);
      bench.expect_equal(bench->space_o, space, "whether banks tell apart bit " + std::to_string(m) + name);
      if (!space) bench.expect_equal(bench->time_bit_o, time_bits++, "place of bit " + std::to_string(m) + name);
    }
    bench.expect_equal(time_bits, shape.slot_bits(), "bits of the time" + name);
    bench.expect_equal(bench->pair_bit_o, pass.bit, "bit" + name);
    bench.expect_equal(bench->slot_cycles_o, pass.slot_cycles(), "cycles a slot" + name);
    const bool last = step + 1 == table.passes.size();
    bench.expect_equal(bench->gap_o, last ? 0 : table.gaps[step + 1], "gap" + name);
    if (!shape.fermat()) continue;
    if (step != 0 && pass.dimension.low != table.passes[step - 1].dimension.low) {
      base += table.passes[step - 1].dimension.order() / 2 * 3;
    }
    bench.expect_equal(bench->table_o, base, "first word of the table" + name);
    bench.expect_equal(bench->root_o, base + pass.dimension.order(), "first power of the root" + name);
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace xor_banks;
  const Shape shape = shape_of(bench);
  const auto latency = static_cast<unsigned>(bench.parameter("Latency"));
  for (const bool inverse : {false, true}) {
    const Timetable table = timetable(shape, inverse, latency);
    bench->inverse_i = inverse;
    check_passes(bench, shape, table);
    bench.expect_equal(bench->passes_o, table.passes.size(), "passes");
    bench.expect_equal(bench->reads_o, table.reads.size(), "cycles of reads");
    bench.expect_equal(bench->cycles_o, table.cycles, "cycles");
    if (shape.fermat()) bench.expect_equal(bench->reads_o, 2 * shape.log_n * shape.slots(), "two passes a bit");
    if (shape.fermat() && shape.log_n == 15) {
      bench.expect(shape.units() != 16 || bench->cycles_o <= 30800, "at most 30,800 cycles with 16 units");
      bench.expect(shape.units() != 64 || bench->cycles_o <= 7760, "at most 7,760 cycles with 64 units");
    }
  }
  const auto factors = static_cast<unsigned>(rings_of(bench)[0].constants().size());
  bench.expect_equal(bench->factors_o, shape.fermat() ? factors : factors / shape.units(), "factors of a memory");
  bench.expect_equal(bench->slot_latency_o, slot_latency_of(bench), "latency of a slot");
  const bool shareable = !shape.fermat() || is_shareable(shape);
  bench.expect_equal(bench->memories_o, shape.fermat() && shareable ? 1 : shape.units(), "memories of factors");
  for (unsigned bank = 0, unit = 0; bank < shape.banks(); ++bank) {
    if (__builtin_popcount(bank) % 2 != 0) continue;
    bench->unit_i = unit++;
    bench.settle();
    bench.expect_equal(bench->own_bank_o, bank, "bank of a unit");
  }
}
