// ntt_multiplier_pkg beside the timetable that its header defines, and published numbers of the paper's machine.

#include "../schedule.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace ringmill;
  const Ring ring = shape_of(bench);
  const unsigned slots = ring.slots(), k = ring.log_n;
  bench->unit_i = 0;
  bench->step_i = 0;
  bench.settle();
  bench.expect_equal(bench->steps_o, 2 * k - 1, "steps");
  bench.expect_equal(bench->factors_o, factors_of(ring, 0, Words(ring.n()), Words(ring.n())).size(), "factors");
  bench.expect_equal(bench->operand0_o, (k - 1) * slots, "first factor of operand 0");
  bench.expect_equal(bench->inverse_o, (k + 1) * slots, "first factor of the inverse transform");
  bench.expect_equal(bench->operand1_o, 2 * k * slots, "first factor of operand 1");
  bench.expect_equal(bench->single_o, job_cycles(ring, 1), "cycles of one product");
  bench.expect_equal(bench->double_o, job_cycles(ring, 2), "cycles of two products");
  bench.expect_equal(bench->threads_o, threads(ring), "jobs that take turns");
  if (ring.log_n == 10 && ring.log_units == 6) {
    bench.expect_equal(bench->single_o, ring.pipeline == 0 ? 171 : 392, "cycles of one product at the paper's size");
    bench.expect_equal(bench->double_o, ring.pipeline == 0 ? 260 : 592, "cycles of two products at the paper's size");
  }

  const std::vector<Slot> job = timetable(ring, 1);
  unsigned step = 0;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const bool ends = i + 1 == job.size() || job[i + 1].bit != job[i].bit || job[i + 1].inverse != job[i].inverse;
    if (!ends) continue;
    bench->step_i = step;
    bench.settle();
    const std::string name = " of step " + std::to_string(step++);
    bench.expect_equal(bench->bit_o, job[i].bit, "bit" + name);
    bench.expect_equal(bench->class_o, job[i].bit % ring.bank_bits(), "class" + name);
    const unsigned gap = i + 1 == job.size() ? 0 : (job[i + 1].cycle - job[i].cycle) / threads(ring) - 1;
    bench.expect_equal(bench->gap_o, gap, "gap" + name);
    bench.expect(bench->start_o <= job[i].bit && job[i].bit < bench->start_o + ring.bank_bits(), "window" + name);
  }
  bench.expect_equal(step, 2 * k - 1, "passes");

  // The units' banks are those of even parity, in order.
  unsigned unit = 0;
  for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
    if (__builtin_popcount(bank) % 2 != 0) continue;
    bench->unit_i = unit++;
    bench.settle();
    bench.expect_equal(bench->own_bank_o, bank, "bank of a unit");
  }
}
