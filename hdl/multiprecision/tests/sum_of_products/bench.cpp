// sum_of_products against long integers: sums of residues times long constants, whole sums of small ones, without
// pause.

#include "../control.h"
#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  using ringmill::Wide;
  const unsigned cores = bench.parameter("Cores"), slots = bench.parameter("Slots");
  const unsigned constants = bench.parameter("Constants"), words = constants / slots / 2;
  const unsigned latency = Sizes{0, 0, cores}.sum_latency();
  std::vector<std::uint64_t> residues(cores * slots);
  // Sums of products take the first half of the constants, whole sums the second.
  std::vector<std::vector<std::uint64_t>> table(cores, std::vector<std::uint64_t>(constants));
  bench->control_i = 0;
  bench->residue_write_i = 0;
  bench.reset();
  bench->constant_write_i = 1;
  for (unsigned core = 0; core < cores; ++core) {
    for (unsigned i = 0; i < constants; ++i) {
      const bool top = i < words * slots && i / slots + 1 == words;
      // The last word of a constant leaves room for the sum.
      const unsigned bits = i >= words * slots ? kPrime : top ? 10 : kWord;
      bench->constant_core_i = core;
      bench->constant_address_i = i;
      table[core][i] = bench->constant_data_i = static_cast<std::uint64_t>(bench.random.edgy(Wide{1} << bits));
      bench.step();
    }
  }
  bench->constant_write_i = 0;

  std::deque<std::pair<Control, Wide>> expected(latency - 1);
  const auto cycle = [&](Control control, unsigned slot, unsigned word, Wide value) {
    bench->control_i = control.bits();
    bench->slot_i = slot;
    bench->word_i = word;
    expected.emplace_back(control, value);
    bench.step();
    const auto [past, sum] = expected.front();
    expected.pop_front();
    bench.expect_equal(bench->valid_o, past.valid && past.last, "valid");
    if (!past.valid || !past.last) return;
    bench.expect_equal(bench->whole_o, past.whole, "whole");
    bench.expect_equal(ringmill::get(bench->sum_o), sum, "sum");
  };
  for (unsigned round = 0; round < 30; ++round) {
    for (unsigned i = 0; i < latency; ++i) cycle({}, 0, 0, 0);
    bench->residue_write_i = 1;
    for (unsigned i = 0; i < cores * slots; ++i) {
      bench->residue_core_i = i % cores;
      bench->residue_address_i = i / cores;
      residues[i] = bench->residue_data_i = static_cast<std::uint64_t>(bench.random.edgy(Wide{1} << kPrime));
      cycle({}, 0, 0, 0);
    }
    bench->residue_write_i = 0;
    const unsigned phases = 1 + static_cast<unsigned>(bench.random.below(4));
    for (unsigned phase = 0; phase < phases; ++phase) {
      const bool whole = bench.random.chance(50);
      Big sum;
      for (unsigned step = 0; step < words; ++step) {
        Big part;
        const unsigned first = (whole ? words + step : step) * slots;
        for (unsigned i = 0; i < cores * slots; ++i) {
          part = part + Big(residues[i]) * Big(table[i % cores][first + i / cores]);
        }
        sum = whole ? part : sum + (part << (kWord * step));
        const Wide value = whole ? part.wide() : Wide{sum.word(step)};
        for (unsigned slot = 0; slot < slots; ++slot) {
          cycle({true, slot == 0, slot + 1 == slots, whole || step == 0, whole}, slot, first + slot, value);
        }
      }
    }
  }
  for (unsigned i = 0; i < latency; ++i) cycle({}, 0, 0, 0);
}
