// factor_memory beside an array: writes of groups of units, reads of all units.

#include "../schedule.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace ringmill;
  const Ring ring = shape_of(bench);
  const auto words = static_cast<unsigned>(bench.parameter("WriteWords"));
  const unsigned depth = (2 * ring.log_n + 2) * ring.slots();
  std::vector<std::vector<std::uint32_t>> stored(ring.units(), std::vector<std::uint32_t>(depth));
  std::vector<std::uint32_t> expected(ring.units()), before(ring.units());
  const bool is_late = bench.parameter("OutputRegister") != 0;
  const auto write = [&](unsigned address, unsigned group) {
    bench->write_address_i = address;
    bench->write_group_i = group;
    for (unsigned i = 0; i < words; ++i) bench->write_data_i[i] = static_cast<std::uint32_t>(bench.random.word());
  };
  const auto commit = [&](unsigned address, unsigned group) {
    for (unsigned i = 0; i < words; ++i) stored[group * words + i][address] = bench->write_data_i[i];
  };
  bench->read_i = 0;
  bench->write_i = 1;
  for (unsigned address = 0; address < depth; ++address) {
    for (unsigned group = 0; group < ring.units() / words; ++group) {
      write(address, group);
      commit(address, group);
      bench.step();
    }
  }
  for (unsigned i = 0; i < 4000; ++i) {
    const auto from = static_cast<unsigned>(bench.random.below(depth));
    const auto to = static_cast<unsigned>(bench.random.below(depth));
    const auto group = static_cast<unsigned>(bench.random.below(ring.units() / words));
    bench->read_i = i == 0 || bench.random.chance(80);
    bench->read_address_i = from;
    bench->write_i = bench.random.chance(50);
    write(to, group);
    before = expected;
    // A read returns what was there before the write of the same cycle.
    for (unsigned unit = 0; unit < ring.units() && bench->read_i; ++unit) expected[unit] = stored[unit][from];
    if (bench->write_i) commit(to, group);
    bench.step();
    for (unsigned unit = 0; unit < ring.units() && i >= is_late; ++unit) {
      bench.expect_equal(bench->read_data_o[unit], (is_late ? before : expected)[unit], "unit " + std::to_string(unit));
    }
  }
}
