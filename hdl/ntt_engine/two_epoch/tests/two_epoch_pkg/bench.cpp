// two_epoch_pkg beside a timetable that is found step by step, the bounds at full size, and the ring's addresses.

#include "../timetable.h"
#include "bench.h"

namespace {

using namespace ringmill;

/// Which pairs a tile sends and takes on the ring: word j of tile k becomes word k of tile j.
template <class Model>
void check_ring(Bench<Model>& bench, unsigned tiles) {
  const auto [members, packets, clusters] = Clusters(tiles);
  for (unsigned tile = 0; tile < tiles; ++tile) {
    for (unsigned i = 0; i < 60; ++i) {
      const auto distance = static_cast<unsigned>(bench.random.below(clusters));
      const auto packet = static_cast<unsigned>(bench.random.below(packets));
      const auto from = static_cast<unsigned>(bench.random.below(packets));
      const unsigned cluster = tile / members, own = tile % members / 2;
      const bool intra = distance == 0;
      bench->tile_i = tile;
      bench->distance_i = distance;
      bench->packet_i = packet;
      bench->from_i = from;
      bench->intra_i = intra;
      bench.settle();
      // The tiles that the pair is for, and those that it is from.
      const unsigned to = (cluster + distance) % clusters * members + 2 * (intra ? packet ^ own : packet);
      const unsigned source = (cluster + clusters - distance) % clusters * members + 2 * (intra ? packet ^ own : from);
      bench.expect_equal(bench->read_even_o, to / 2, "pair that is sent");
      bench.expect_equal(bench->read_odd_o, to / 2, "pair that is sent, in the other bank");
      bench.expect_equal(bench->read_parity_o, __builtin_popcount(to) % 2, "bank of its first word");
      bench.expect_equal(bench->factor_o, to + 1, "factor");
      const bool taken = intra || packet == own;
      bench.expect_equal(bench->enable_o, taken ? 3 : 0, "whether a pair is taken");
      if (!taken) continue;
      bench.expect_equal(bench->write_even_o, source / 2, "pair that is taken");
      bench.expect_equal(bench->write_odd_o, source / 2, "pair that is taken, in the other bank");
      bench.expect_equal(bench->write_parity_o, __builtin_popcount(source) % 2, "bank of its first word, taken");
    }
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
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
  if (!transposer) check_ring(bench, tiles);
  if (tiles != 256) return;
  bench.expect(bench->forward_o <= (transposer ? 2400 : 4964), "bound of cycles forward");
  bench.expect(bench->back_o <= (transposer ? 2400 : 5237), "bound of cycles back");
  // Algorithms 3 and 4: 4 iterations of 2 steps; 4 packets of 1 + i + 4 steps for each distance i.
  if (!transposer) bench.expect_equal(bench->exchange_o, 8 + 4 * (31 * 32 / 2 + 31 * 5), "steps of the ring");
}
