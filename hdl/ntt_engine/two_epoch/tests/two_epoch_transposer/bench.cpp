// two_epoch_transposer beside its definition: pairs of random words, several transpositions in a row.

#include <deque>
#include <vector>

#include "../clusters.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const unsigned stages = (ringmill::bits_of(tiles) + 1) / 2;
  const unsigned latency = stages + 1 + (stages + 1) % 2;
  std::deque<std::vector<std::uint32_t>> expected;
  for (unsigned cycle = 0; cycle < 6 * tiles; ++cycle) {
    const unsigned step = cycle % tiles;
    bench->step_i = step;
    // Tile j sends word `sent` of its pair to tile j ^ step, where it is word step mod 2.
    static std::vector<std::uint32_t> words;
    if (step % 2 == 0) {
      words.resize(2 * tiles);
      for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(bench.random.word());
      std::vector<std::uint32_t> pairs(2 * tiles);
      for (unsigned tile = 0; tile < tiles; ++tile) {
        for (unsigned z = 0; z < 2; ++z) pairs[2 * (tile ^ step ^ z) + z] = words[2 * tile + (tile % 2 ^ z)];
      }
      expected.push_back(pairs);
      expected.emplace_back();
    }
    for (unsigned i = 0; i < 2 * tiles; ++i) {
      bench->pair_i[i] = step % 2 == 0 ? words[i] : static_cast<std::uint32_t>(bench.random.word());
    }
    bench.settle();
    if (cycle >= latency) {
      const std::vector<std::uint32_t> pairs = expected.front();
      expected.pop_front();
      for (unsigned i = 0; i < pairs.size(); ++i) {
        bench.expect_equal(bench->pair_o[i], pairs[i], "word " + std::to_string(i) + " at " + std::to_string(step));
      }
    }
    bench.step();
  }
}
