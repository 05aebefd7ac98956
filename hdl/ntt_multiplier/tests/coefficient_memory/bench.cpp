// coefficient_memory beside an array of banks: random writes and reads through all windows, with the addresses that the
// mapping of indices gives.

#include "../ports.h"
#include "../schedule.h"
#include "bench.h"

namespace {

using namespace ringmill;

/// One word of each bank: those with the indices of a slot.
struct Access {
  unsigned region;
  unsigned bit;
  unsigned slot;
};

/// base and mask, found from the addresses of bank 0 and of the banks of one bit.
std::pair<unsigned, unsigned> base_and_mask(const Ring& ring, const Access& access) {
  const unsigned base = address_of(ring, index_of(ring, access.bit, access.slot, 0));
  unsigned mask = 0;
  for (unsigned j = 0; j < ring.bank_bits(); ++j) {
    mask |= base ^ address_of(ring, index_of(ring, access.bit, access.slot, 1U << j));
  }
  return {base, mask};
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Ring ring = shape_of(bench);
  const auto regions = static_cast<unsigned>(bench.parameter("Regions"));
  const unsigned banks = 2 * ring.units();
  // By region and index.
  std::vector<std::vector<std::uint32_t>> words(regions, std::vector<std::uint32_t>(ring.n()));
  std::vector<std::vector<bool>> known(regions, std::vector<bool>(ring.n()));
  std::vector<std::uint32_t> expected(banks), before(banks);
  std::vector<bool> is_expected(banks), was_expected(banks);
  const bool is_late = bench.parameter("OutputRegister") != 0;
  const auto random_access = [&] {
    return Access{static_cast<unsigned>(bench.random.below(regions)),
                  static_cast<unsigned>(bench.random.below(ring.log_n)),
                  static_cast<unsigned>(bench.random.below(ring.slots()))};
  };
  for (unsigned i = 0; i < 6000; ++i) {
    const Access from = random_access(), to = random_access();
    const auto [read_base, read_mask] = base_and_mask(ring, from);
    const auto [write_base, write_mask] = base_and_mask(ring, to);
    const bool reads = bench.random.chance(80);
    bench->read_i = reads;
    bench->read_region_i = from.region;
    bench->read_base_i = read_base;
    bench->read_mask_i = read_mask;
    bench->write_region_i = to.region;
    bench->write_base_i = write_base;
    bench->write_mask_i = write_mask;
    before = expected;
    was_expected = is_expected;
    // A read returns what was there before the write of the same cycle.
    for (unsigned bank = 0; bank < banks && reads; ++bank) {
      const std::uint64_t index = index_of(ring, from.bit, from.slot, bank);
      expected[bank] = words[from.region][index];
      is_expected[bank] = known[from.region][index];
    }
    const bool all = bench.random.chance(50);
    for (unsigned bank = 0; bank < banks; ++bank) {
      const bool writes = all || bench.random.chance(50);
      const auto word = static_cast<std::uint32_t>(bench.random.word());
      put_bit(bench->write_i, bank, writes);
      bench->write_data_i[bank] = word;
      if (!writes) continue;
      const std::uint64_t index = index_of(ring, to.bit, to.slot, bank);
      words[to.region][index] = word;
      known[to.region][index] = true;
    }
    bench.step();
    for (unsigned bank = 0; bank < banks; ++bank) {
      if (!(is_late ? was_expected : is_expected)[bank]) continue;
      bench.expect_equal(bench->read_data_o[bank], (is_late ? before : expected)[bank], "bank " + std::to_string(bank));
    }
  }
}
