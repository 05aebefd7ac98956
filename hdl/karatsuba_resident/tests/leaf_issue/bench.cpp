// leaf_issue: leaves in rounds, in order, with the pause between polynomials; the last round waits while it has to.

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned levels = parameter("Levels"), coefficients = parameter("Coefficients"), multipliers = parameter("Multipliers");
  unsigned leaves = 1;
  for (unsigned i = 0; i < levels; ++i) leaves *= 3;
  const unsigned rounds = (leaves + multipliers - 1) / multipliers;
  bench->loaded_i = 0;
  bench->hold_i = 0;
  bench.reset();
  unsigned started = 0, done = 0, round = 0, row = 0, place = 0, quiet = 0;
  bool running = false;
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    bench->loaded_i = bench.random.chance(started % 3 == 0 ? 2 : 100);
    bench->hold_i = started % 2 == 1 && bench.random.chance(90);
    bench.settle();
    const bool loaded = bench->loaded_i, start = bench->start_o, held = bench->hold_i;
    bench.expect(!start || loaded, "starts when one waits");
    if (start) bench.expect(started == done, "one at a time");
    // From the last round on one is as good as done.
    if (!running) bench.expect_equal(start, loaded, "starts at once");
    if (start) ++started;
    place = bench->place_o;
    const bool last = bench->last_o;
    bench.expect(!last || !held, "the last round waits");
    bench.step();
    if (start) running = true;
    const unsigned valid = bench->valid_o;
    if (valid == 0) {
      ++quiet;
      bench.expect(row == 0, "no gap in a round");
      bench.expect(!bench->first_o && !bench->restart_o && !last, "nothing begins");
      if (done == started) {
        if (quiet >= coefficients && !start) running = false;
      } else if (round != 0 && round != rounds - 1) {
        bench.expect(false, "no gap between rounds");
      }
      continue;
    }
    const unsigned here = round == rounds - 1 ? leaves - round * multipliers : multipliers;
    bench.expect_equal(valid, (1u << here) - 1, "multipliers with leaves");
    bench.expect_equal(place, row, "place");
    bench.expect_equal(bench->first_o, row == 0, "first");
    bench.expect_equal(bench->restart_o, row == 0 && round == 0, "restart");
    bench.expect_equal(last, row == 0 && round == rounds - 1, "the last round begins");
    if (round == 0 && row == 0 && done != 0) bench.expect(quiet >= coefficients, "a pause between polynomials");
    for (unsigned multiplier = 0; multiplier < here; ++multiplier) {
      unsigned leaf = round * multipliers + multiplier;
      for (unsigned digit = 0; digit < levels; ++digit, leaf /= 3) {
        const auto got = resident::get(bench->digits_o, 2 * (multiplier * levels + digit), 2);
        resident::expect_big(bench, got, resident::Big(leaf % 3), "digit");
      }
    }
    quiet = 0;
    if (++row < coefficients) continue;
    row = 0;
    if (++round < rounds) continue;
    round = 0;
    ++done;
  }
  bench.expect(done > 10, "some polynomials");
}
