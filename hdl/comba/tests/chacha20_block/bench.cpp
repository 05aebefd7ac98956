// chacha20_block beside the algorithm, and its first block under a key of zeros, which is published (RFC 8439, A.1).

#include <deque>

#include "../chacha20.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  constexpr unsigned kLatency = 42;
  const auto check = [&bench](const comba::Block& expected) {
    for (unsigned word = 0; word < 16; ++word) {
      bench.expect_equal(bench->block_o[word], expected[word], "word " + std::to_string(word));
    }
  };
  for (unsigned key = 0; key < 4; ++key) {
    comba::Seed seed{};
    for (unsigned i = 0; i < 8; ++i) {
      if (key > 0) seed[i] = static_cast<std::uint32_t>(bench.random.word());
      bench->key_i[i] = seed[i];
    }
    std::deque<comba::Block> expected;
    for (unsigned fed = 0; fed < 200; ++fed) {
      const auto counter = fed == 0 ? 0 : static_cast<std::uint32_t>(bench.random.edgy(ringmill::Wide{1} << 32));
      bench->counter_i = counter;
      expected.push_back(comba::chacha20(seed, counter));
      bench.step();
      if (expected.size() < kLatency) continue;
      if (key == 0 && fed == kLatency - 1) {
        bench.expect_equal(bench->block_o[0], 0xade0b876, "the published first word");
        bench.expect_equal(bench->block_o[15], 0x8665eeb2, "the published last word");
      }
      check(expected.front());
      expected.pop_front();
    }
  }
}
