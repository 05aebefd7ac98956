// coefficient_packer: bits in the order in which they came, with pauses on both sides.

#include <deque>

#include "../big.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const unsigned width = static_cast<unsigned>(bench.parameter("Width")), beat = static_cast<unsigned>(bench.parameter("BeatWidth"));
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.reset();
  std::deque<bool> bits;
  // How many bits each group has, the last one's without an end yet.
  std::deque<std::size_t> groups{0};
  unsigned words = 0;
  bool offered = false, last = false;
  resident::Big word;
  for (unsigned cycle = 0; cycle < 30000; ++cycle) {
    const bool pauses = cycle % 2000 < 1000;
    if (!offered && !(pauses && bench.random.chance(40))) {
      offered = true;
      word = resident::random_bits(bench.random, width);
      last = bench.random.chance(3);
    }
    bench->valid_i = offered;
    bench->last_i = last;
    resident::put(bench->data_i, 0, width, word);
    bench->ready_i = !(pauses && bench.random.chance(30));
    bench.settle();
    const bool takes = offered && bench->ready_o, gives = bench->valid_o && bench->ready_i;
    if (bench->valid_o) {
      const bool ends = groups.size() > 1 && groups.front() <= beat;
      bench.expect_equal(bench->last_o, ends, "last");
      bench.expect(ends || groups.front() >= beat, "a beat has come");
      for (unsigned i = 0; i < beat; ++i) {
        const bool expected = i < groups.front() && bits[i];
        resident::expect_big(bench, resident::get(bench->data_o, i, 1), resident::Big(expected), "bit " + std::to_string(i));
      }
    }
    if (gives) {
      const std::size_t taken = std::min<std::size_t>(beat, groups.front());
      bits.erase(bits.begin(), bits.begin() + static_cast<std::ptrdiff_t>(taken));
      groups.front() -= taken;
      if (groups.front() == 0 && groups.size() > 1) groups.pop_front();
    }
    if (takes) {
      offered = false;
      ++words;
      groups.back() += width;
      for (unsigned i = 0; i < width; ++i) bits.push_back(word.bit(i));
      if (last) groups.push_back(0);
    }
    bench.step();
  }
  bench.expect(words > 2000, "some words");
}
