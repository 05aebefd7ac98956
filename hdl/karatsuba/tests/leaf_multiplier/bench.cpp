// leaf_multiplier beside schoolbook products: leaves in a row, and with whole leaves of time between them.

#include "../numbers.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

/// What came in a leaf's time, and the products that leave later.
struct Leaf {
  bool valid = false;
  std::vector<karatsuba::Number> key;
  std::vector<std::vector<std::uint64_t>> binary;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto coefficients = static_cast<unsigned>(bench.parameter("Coefficients"));
  const auto chunks = static_cast<unsigned>(bench.parameter("Chunks"));
  const auto lanes = static_cast<unsigned>(bench.parameter("Lanes"));
  const auto width = static_cast<unsigned>(bench.parameter("KeyWidth"));
  const auto bits = static_cast<unsigned>(bench.parameter("BinaryWidth"));
  const unsigned length = coefficients * chunks;
  const unsigned sum_width = width + bits + ringmill::bit_length(coefficients - 1);
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  std::vector<Leaf> leaves;
  const auto check = [&](unsigned cycle) {
    // Two cycles behind the times of leaves.
    if (cycle < 1) return;
    const unsigned now = (cycle - 1) / length, i = (cycle - 1) % length / chunks, c = (cycle - 1) % chunks;
    for (unsigned part = 0; part < 2; ++part) {
      const bool valid = now >= part + 1 && leaves[now - part - 1].valid;
      bench.expect_equal(part == 0 ? bench->low_valid_o : bench->high_valid_o, valid, "valid");
      if (!valid) continue;
      const Leaf& leaf = leaves[now - part - 1];
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned place = part * coefficients + i;
        std::uint64_t sum = 0;
        for (unsigned j = 0; j < coefficients; ++j) {
          if (place >= j && place - j < coefficients) sum += leaf.key[j][c] * leaf.binary[lane][place - j];
        }
        const auto got = part == 0 ? xor_banks::word_of(bench->low_o, lane, sum_width)
                                   : xor_banks::word_of(bench->high_o, lane, sum_width);
        bench.expect_equal(got, sum, "coefficient " + std::to_string(place) + " chunk " + std::to_string(c));
      }
    }
  };
  for (unsigned round = 0; round < 200; ++round) {
    Leaf leaf;
    leaf.valid = bench.random.chance(75);
    for (unsigned j = 0; j < coefficients; ++j) leaf.key.push_back(karatsuba::random_number(bench.random, chunks, width, 0));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      leaf.binary.emplace_back();
      for (unsigned j = 0; j < coefficients; ++j) {
        leaf.binary.back().push_back(bench.random.chance(20) ? karatsuba::mask(bits) : bench.random.word() & karatsuba::mask(bits));
      }
    }
    leaves.push_back(leaf);
    for (unsigned cycle = 0; cycle < length; ++cycle) {
      const unsigned c = cycle % chunks;
      bench->valid_i = leaf.valid;
      bench->first_i = leaf.valid && cycle == 0;
      bench->key_i = leaf.key[cycle / chunks][c];
      bench->binary_i = c < lanes ? leaf.binary[c][cycle / chunks] : bench.random.word() & karatsuba::mask(bits);
      bench.step();
      check(round * length + cycle);
    }
  }
}
