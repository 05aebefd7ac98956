// pre_recursion beside sums of numbers: polynomials with and without time between them.

#include "../numbers.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto half = static_cast<unsigned>(bench.parameter("Half"));
  const auto chunks = static_cast<unsigned>(bench.parameter("Chunks"));
  const auto width = static_cast<unsigned>(bench.parameter("KeyWidth"));
  const auto bits = static_cast<unsigned>(bench.parameter("BinaryWidth"));
  const unsigned length = half * chunks;
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  for (unsigned round = 0; round < 60; ++round) {
    while (bench.random.chance(50)) {
      bench->valid_i = 0;
      bench->first_i = 0;
      bench->key_i = bench.random.word() & karatsuba::mask(width);
      bench.step();
      bench.expect(!bench->through_valid_o && !bench->sum_valid_o, "nothing between polynomials");
      bench.expect(!bench->through_first_o && !bench->sum_first_o, "nothing begins between polynomials");
    }
    karatsuba::Polynomial key;
    std::vector<std::uint64_t> binary;
    for (unsigned i = 0; i < 2 * half; ++i) {
      key.push_back(karatsuba::random_number(bench.random, chunks, width, 1));
      for (unsigned c = 0; c < chunks; ++c) binary.push_back(bench.random.word() & karatsuba::mask(bits - 1));
    }
    for (unsigned cycle = 0; cycle < 2 * length; ++cycle) {
      const unsigned i = cycle / chunks, c = cycle % chunks;
      bench->valid_i = 1;
      bench->first_i = cycle == 0;
      bench->key_i = key[i][c];
      bench->binary_i = binary[cycle];
      bench.step();
      bench.expect(bench->through_valid_o, "what comes goes through");
      bench.expect_equal(bench->through_first_o, cycle % length == 0, "a half begins");
      bench.expect_equal(bench->through_key_o, key[i][c], "chunk");
      bench.expect_equal(bench->through_binary_o, binary[cycle], "binary coefficient");
      bench.expect_equal(bench->sum_valid_o, cycle >= length, "sums come with the upper half");
      bench.expect_equal(bench->sum_first_o, cycle == length, "the sum begins");
      if (cycle < length) continue;
      bench.expect_equal(bench->sum_key_o, karatsuba::add(key[i - half], key[i], 1, width)[c], "chunk of the sum");
      bench.expect_equal(bench->sum_binary_o, binary[cycle - length] + binary[cycle], "sum of binary coefficients");
    }
  }
}
