// leaf_crossbar: each leaf of each line comes out once, by its multiplier, at its time, with its target.

#include <map>

#include "../pieces.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

/// Where a line's leaf goes that came at a time: multiplier, leaves that it waits, unit and product.
struct Way {
  unsigned multiplier, wait, unit, product;
};

Way way_of(unsigned line, unsigned time) {
  const unsigned turn = time & 1;
  switch (line) {
    case 0: return {0, 0, 0, turn};
    case 1: return {1, 0, 0, 2};
    case 2: return {1, turn, 1, turn};
    case 3: return {3, 1, 1, 2};
    case 4: return {2, 0, 2, turn};
    case 5: return {3, 0, 2, 2};
    case 6: return {3, 3, 2, turn};
    default: return {3, 4, 2, 2};
  }
}

struct Expected {
  std::vector<std::uint64_t> key, binary;
  unsigned unit, product;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace karatsuba;
  const auto width = static_cast<unsigned>(bench.parameter("KeyWidth"));
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  // By multiplier and leaf's time.
  std::map<std::pair<unsigned, unsigned>, Expected> expected;
  unsigned now = 0, found = 0;
  for (unsigned round = 0; round < 30; ++round) {
    const bool piece = round < 25 && bench.random.chance(80);
    const unsigned times = piece ? 8 : 1 + static_cast<unsigned>(bench.random.below(7));
    for (unsigned time = 0; time < times; ++time, ++now) {
      std::vector<std::vector<std::uint64_t>> key(8), binary(8);
      for (unsigned line = 0; piece && line < 8; ++line) {
        if ((time & line) != line) continue;
        for (unsigned i = 0; i < kLength; ++i) {
          key[line].push_back(bench.random.word() & mask(width));
          binary[line].push_back(bench.random.below(1024));
        }
        const Way way = way_of(line, time);
        const auto place = std::make_pair(way.multiplier, now + way.wait);
        bench.expect(!expected.contains(place), "one leaf at a time");
        expected[place] = {key[line], binary[line], way.unit, way.product};
      }
      for (unsigned i = 0; i < kLength; ++i) {
        unsigned valid = 0;
        for (unsigned line = 0; line < 8; ++line) {
          if (key[line].empty()) continue;
          valid |= 1u << line;
          xor_banks::put_word(bench->key_i, line, width, key[line][i]);
          xor_banks::put_word(bench->binary_i, line, 10, binary[line][i]);
        }
        bench->valid_i = valid;
        bench->first_i = i == 0 ? valid : 0;
        bench.step();
        for (unsigned multiplier = 0; multiplier < 4; ++multiplier) {
          const auto leaf = expected.find({multiplier, now});
          bench.expect_equal(bench->valid_o >> multiplier & 1, leaf != expected.end(), "valid");
          bench.expect_equal(bench->first_o >> multiplier & 1, leaf != expected.end() && i == 0, "first");
          if (leaf == expected.end()) continue;
          found += i == 0;
          bench.expect_equal(xor_banks::word_of(bench->key_o, multiplier, width), leaf->second.key[i], "chunk");
          bench.expect_equal(xor_banks::word_of(bench->binary_o, multiplier, 10), leaf->second.binary[i], "coefficient");
          bench.expect_equal(xor_banks::word_of(bench->target_o, multiplier, 4), leaf->second.unit << 2 | leaf->second.product,
                             "target");
        }
      }
    }
  }
  bench.expect_equal(found, expected.size(), "all leaves");
}
