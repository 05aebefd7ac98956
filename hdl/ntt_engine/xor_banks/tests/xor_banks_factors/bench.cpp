// xor_banks_factors beside an array: random writes of single words, reads of one address of all memories.

#include <optional>

#include "../ports.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto memories = static_cast<unsigned>(bench.parameter("Memories"));
  const auto depth = static_cast<unsigned>(bench.parameter("Depth"));
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  std::vector<std::optional<std::uint64_t>> words(std::size_t{depth} * memories);
  // What the last reads return, the latest last.
  std::deque<std::vector<std::optional<std::uint64_t>>> expected;
  for (unsigned i = 0; i < 20 * depth; ++i) {
    const auto at = static_cast<unsigned>(bench.random.below(depth));
    bench->read_i = 1;
    bench->read_address_i = at;
    expected.emplace_back(words.begin() + at * memories, words.begin() + (at + 1) * memories);
    const auto to = static_cast<unsigned>(bench.random.below(words.size()));
    const auto word = static_cast<std::uint64_t>(bench.random.edgy(ringmill::Wide{1} << width));
    bench->write_i = bench.random.chance(60);
    bench->write_address_i = to;
    ringmill::put(bench->write_data_i, word);
    if (bench->write_i) words[to] = word;
    bench.step();
    if (expected.size() < 2) continue;
    for (unsigned memory = 0; memory < memories; ++memory) {
      const auto& known = expected.front()[memory];
      if (!known) continue;
      bench.expect_equal(xor_banks::word_of(bench->read_data_o, memory, width), *known,
                         "word of memory " + std::to_string(memory));
    }
    expected.pop_front();
  }
}
