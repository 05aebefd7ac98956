// chunk_converter beside big integers: coefficients with and without time between them.

#include "../numbers.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto chunks = static_cast<unsigned>(bench.parameter("Chunks"));
  const auto from = static_cast<unsigned>(bench.parameter("From"));
  const auto width = static_cast<unsigned>(bench.parameter("InputWidth"));
  const auto to = static_cast<unsigned>(bench.parameter("To"));
  bench->valid_i = 0;
  bench.reset();
  // Chunks that come in the cycles that begin now, and the ones that are out after them.
  std::deque<std::uint64_t> expected;
  unsigned waits = 0;
  const auto step = [&](bool valid) {
    bench->valid_i = valid;
    bench.step();
    // The first chunk of all waits for the second.
    bench.expect_equal(bench->valid_o, waits > 0 && !expected.empty(), "valid");
    if (bench->valid_o && !expected.empty()) {
      bench.expect_equal(bench->data_o, expected.front(), "chunk");
      expected.pop_front();
    }
    waits = valid ? 1 : 0;
  };
  for (unsigned round = 0; round < 500; ++round) {
    const bool gap = bench.random.chance(30);
    karatsuba::Number sum(chunks);
    std::vector<std::uint64_t> input;
    for (unsigned c = 0; c < chunks; ++c) {
      input.push_back(bench.random.edgy(width) & karatsuba::mask(width));
      // The chunk, `from * c` bits up, cut into chunks of `to` bits.
      karatsuba::Number part(chunks);
      for (unsigned bit = 0; bit < width; ++bit) {
        const unsigned place = from * c + bit;
        if (place < chunks * to) part[place / to] |= (input[c] >> bit & 1) << (place % to);
      }
      sum = karatsuba::add(sum, part, 1, to);
    }
    for (unsigned c = 0; c < chunks; ++c) {
      bench->data_i = input[c];
      if (c == 1) expected.insert(expected.end(), sum.begin(), sum.end());
      step(true);
    }
    for (unsigned i = 0; gap && i < 1 + bench.random.below(3); ++i) step(false);
  }
}
