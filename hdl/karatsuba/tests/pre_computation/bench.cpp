// pre_computation beside sums of leaves: all twenty-seven, each on its line at its time.

#include "../pieces.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace karatsuba;
  constexpr unsigned kLatency = 3;
  const auto width = static_cast<unsigned>(bench.parameter("KeyWidth"));
  const auto bits = static_cast<unsigned>(bench.parameter("BinaryWidth"));
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  // The pieces by the cycle in which they began, and nothing else.
  std::deque<std::pair<unsigned, std::vector<Leaf>>> pieces;
  unsigned cycle = 0;
  const auto step = [&] {
    bench.step();
    ++cycle;
    while (!pieces.empty() && cycle >= pieces.front().first + kLeaves * kLength + kLatency) pieces.pop_front();
    const bool any = !pieces.empty() && cycle >= pieces.front().first + kLatency;
    const unsigned at = any ? cycle - pieces.front().first - kLatency : 0, time = at / kLength, place = at % kLength;
    for (unsigned line = 0; line < 8; ++line) {
      const bool valid = any && (time & line) == line;
      bench.expect_equal(bench->valid_o >> line & 1, valid, "valid " + std::to_string(line));
      bench.expect_equal(bench->first_o >> line & 1, valid && place == 0, "first " + std::to_string(line));
      if (!valid) continue;
      const Leaf leaf = leaf_of(pieces.front().second, time, line, width);
      bench.expect_equal(xor_banks::word_of(bench->key_o, line, width), leaf.key[place], "chunk");
      bench.expect_equal(xor_banks::word_of(bench->binary_o, line, bits), leaf.binary[place], "coefficient");
    }
  };
  for (unsigned round = 0; round < 12; ++round) {
    bench->valid_i = 0;
    bench->first_i = 0;
    if (bench.random.chance(50)) {
      for (unsigned i = 0; i < bench.random.below(60); ++i) step();
    }
    const std::vector<Leaf> piece = random_piece(bench.random, width);
    pieces.emplace_back(cycle, piece);
    for (unsigned i = 0; i < kLeaves * kLength; ++i) {
      bench->valid_i = 1;
      bench->first_i = i == 0;
      bench->key_i = piece[i / kLength].key[i % kLength];
      bench->binary_i = piece[i / kLength].binary[i % kLength];
      step();
    }
  }
}
