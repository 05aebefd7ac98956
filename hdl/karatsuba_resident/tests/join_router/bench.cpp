// join_router: results of all sources, in any order among them, arrive where their numbers say.

#include <vector>

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned sources = parameter("Sources"), targets = parameter("Targets"), results = parameter("Results"),
                 width = parameter("Width"), length = 3;
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  for (unsigned round = 0; round < 3; ++round) {
    // Which result each source has, and what is sent of it.
    std::vector<unsigned> result(sources), sent(sources);
    for (unsigned i = 0; i < sources; ++i) result[i] = i;
    for (unsigned left = results; left != 0;) {
      unsigned valid = 0, first = 0, expected = 0;
      std::vector<resident::Big> words(3 * targets);
      for (unsigned i = 0; i < sources; ++i) {
        // Results have no gap, and no two go to the same place at once.
        const unsigned place = result[i] / 3 % targets * 3 + result[i] % 3;
        if (result[i] >= results || (expected >> place & 1) != 0 || bench.random.chance(30)) continue;
        const resident::Big word = resident::random_bits(bench.random, width);
        valid |= 1u << i;
        if (sent[i] == 0) first |= 1u << i;
        expected |= 1u << place;
        words[place] = word;
        resident::put(bench->data_i, i * width, width, word);
        if (++sent[i] < length) continue;
        sent[i] = 0;
        result[i] += sources;
        --left;
      }
      bench->valid_i = static_cast<std::remove_reference_t<decltype(bench->valid_i)>>(valid);
      bench->first_i = static_cast<std::remove_reference_t<decltype(bench->first_i)>>(first);
      bench.settle();
      bench.expect_equal(bench->valid_o, expected, "where words come");
      for (unsigned place = 0; place < 3 * targets; ++place) {
        if ((expected >> place & 1) == 0) continue;
        resident::expect_big(bench, resident::get(bench->data_o, place * width, width), words[place], "place " + std::to_string(place));
      }
      bench.step();
    }
  }
}
