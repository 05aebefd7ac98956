// xor_banks_factors beside an array: random writes of single words, reads of an address a memory.

#include <optional>

#include "../ports.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned memories = number("Memories"), depth = number("Depth"), width = number("Width"), slots = number("Slots");
  const bool same = number("Same") != 0;
  std::vector<std::vector<std::optional<std::uint64_t>>> words(memories);
  for (auto& memory : words) memory.resize(std::size_t{depth} * slots);
  // What the last reads return, the latest last.
  std::deque<std::vector<std::optional<std::uint64_t>>> expected;
  for (unsigned i = 0; i < 20 * depth * slots; ++i) {
    const auto slot = static_cast<unsigned>(bench.random.below(slots));
    bench->read_i = 1;
    bench->read_slot_i = slot;
    expected.emplace_back();
    for (unsigned memory = 0; memory < memories; ++memory) {
      const auto at = static_cast<unsigned>(bench.random.below(depth));
      xor_banks::put_word(bench->read_address_i, memory, 20, at);
      expected.back().push_back(words[memory][slot * depth + at]);
    }
    const auto to = static_cast<unsigned>(bench.random.below(depth)), to_slot = static_cast<unsigned>(bench.random.below(slots));
    const auto to_memory = static_cast<unsigned>(bench.random.below(memories));
    const auto word = static_cast<std::uint64_t>(bench.random.edgy(ringmill::Wide{1} << width));
    bench->write_i = bench.random.chance(60);
    bench->write_slot_i = to_slot;
    bench->write_address_i = same ? to : to * memories + to_memory;
    ringmill::put(bench->write_data_i, word);
    for (unsigned memory = 0; memory < memories && bench->write_i; ++memory) {
      if (same || memory == to_memory) words[memory][to_slot * depth + to] = word;
    }
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
