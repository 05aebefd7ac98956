// multiply_accumulate against sums of 128 bits: sums of several words, whole sums, pauses, and neighbours' words.

#include "../control.h"
#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  using ringmill::Wide;
  const unsigned slots = bench.parameter("Slots"), constants = bench.parameter("Constants");
  const unsigned link_width = bench.parameter("LinkWidth");
  // Memories, product of 59 bits, sum.
  const unsigned latency = 1 + ringmill::integer_multiplier_latency(kWord, 1) + 1;
  std::vector<std::uint64_t> residues(slots), words(constants);
  bench->control_i = 0;
  bench->constant_write_i = 1;
  for (unsigned i = 0; i < constants; ++i) {
    bench->constant_address_i = i;
    const Wide bound = Wide{1} << (i % 2 == 1 ? kWord : kPrime);
    words[i] = bench->constant_data_i = static_cast<std::uint64_t>(bench.random.edgy(bound));
    bench.step();
  }
  bench->constant_write_i = 0;
  bench->residue_write_i = 1;
  for (unsigned i = 0; i < slots; ++i) {
    bench->residue_address_i = i;
    residues[i] = bench->residue_data_i = static_cast<std::uint64_t>(bench.random.edgy(Wide{1} << kPrime));
    bench.step();
  }
  bench->residue_write_i = 0;

  // What is heard a cycle before it is added, and what the link holds `latency` cycles after a last product.
  std::deque<Wide> heard(latency - 1, 0);
  std::deque<std::pair<bool, Wide>> expected(latency - 1);
  Wide sum = 0;
  const auto cycle = [&](Control control, unsigned slot, unsigned word, Wide neighbour) {
    bench->control_i = control.bits();
    bench->slot_i = slot;
    bench->word_i = word;
    heard.push_back(neighbour);
    if (control.valid) {
      if (control.first && control.opening) sum = 0;
      sum += Wide{residues[slot]} * words[word] + (control.last ? neighbour : 0);
    }
    const bool last = control.valid && control.last;
    expected.emplace_back(last, control.whole ? sum : sum & ringmill::mask(kWord));
    if (last) sum >>= kWord;
    ringmill::put(bench->link_i, heard.front());
    heard.pop_front();
    bench.step();
    if (expected.front().first) bench.expect_equal(ringmill::get(bench->link_o), expected.front().second, "link");
    expected.pop_front();
  };
  const auto any = [&](unsigned count) { return static_cast<unsigned>(bench.random.below(count)); };
  for (unsigned round = 0; round < 2000; ++round) {
    const bool whole = bench.random.chance(50);
    const unsigned steps = 1 + any(4), products = 1 + any(slots);
    for (unsigned step = 0; step < steps; ++step) {
      for (unsigned i = 0; i < products; ++i) {
        // A whole sum has constants of 30 bits: the link holds it.
        unsigned word = any(constants);
        while (whole && words[word] >> kPrime != 0) word = (word + 1) % constants;
        const Wide neighbour = bench.random.edgy(Wide{1} << (whole ? link_width - 1 : kWord));
        cycle({true, i == 0, i + 1 == products, whole || step == 0, whole}, any(slots), word, neighbour);
      }
    }
    while (bench.random.chance(30)) cycle({}, any(slots), any(constants), bench.random.below(Wide{1} << kWord));
  }
  for (unsigned i = 0; i < latency; ++i) cycle({}, 0, 0, 0);
}
