// two_epoch_pkg beside a timetable that is found step by step, and the bounds at full size.

#include "../timetable.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace ringmill;
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const bool transposer = bench.parameter("Network") != 0;
  const Timetable timetable(tiles, transposer, static_cast<unsigned>(bench.parameter("UnitLatency")));
  const auto& steps = timetable.steps();
  bench->step_i = 0;
  bench.settle();
  bench.expect_equal(bench->steps_o, steps.size(), "steps");
  bench.expect_equal(bench->forward_o, timetable.cycles(false), "cycles forward");
  bench.expect_equal(bench->back_o, timetable.cycles(true), "cycles back");
  if (transposer) bench.expect_equal(bench->return_delay_o, timetable.return_delay(), "delay of pairs that return");
  for (unsigned step = 0; step < steps.size(); ++step) {
    bench->step_i = step;
    bench.settle();
    const std::string name = " of step " + std::to_string(step);
    bench.expect_equal(bench->bit_o, steps[step].bit, "bit" + name);
    bench.expect_equal(bench->exchange_step_o == step, steps[step].exchange, "exchange" + name);
    if (steps[step].exchange) bench.expect_equal(bench->exchange_o, steps[step].end - steps[step].start, "exchange");
    const unsigned gap = step + 1 < steps.size() ? steps[step + 1].start - steps[step].end : 0;
    bench.expect_equal(bench->gap_o, gap, "gap" + name);
  }
  if (tiles != 256) return;
  bench.expect(bench->forward_o <= (transposer ? 2400 : 4964), "bound of cycles forward");
  bench.expect(bench->back_o <= (transposer ? 2400 : 5237), "bound of cycles back");
  // Algorithms 3 and 4: 4 iterations of 2 steps; 4 packets of 1 + i + 4 steps for each distance i.
  if (!transposer) bench.expect_equal(bench->exchange_o, 8 + 4 * (31 * 32 / 2 + 31 * 5), "steps of the ring");
}
