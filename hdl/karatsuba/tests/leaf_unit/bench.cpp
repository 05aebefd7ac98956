// leaf_unit beside schoolbook products modulo 2^150, with their targets.

#include "../pieces.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

constexpr unsigned kWidth = 30;

/// A leaf's products: coefficients of each polynomial's.
std::vector<karatsuba::Polynomial> products(const karatsuba::Leaf& leaf, unsigned width) {
  using namespace karatsuba;
  std::vector<Polynomial> products(kPolynomials, Polynomial(2 * kLeaf, Number(kChunks)));
  for (unsigned which = 0; which < kPolynomials; ++which) {
    for (unsigned i = 0; i < kLeaf; ++i) {
      for (unsigned j = 0; j < kLeaf; ++j) {
        for (unsigned c = 0; c < kChunks; ++c) {
          const std::uint64_t term = leaf.key[i * kChunks + c] * leaf.binary[j * kChunks + which];
          Number number(kChunks);
          for (unsigned bit = 0; bit < 64; ++bit) {
            const unsigned place = width * c + bit;
            if (place < kChunks * kWidth) number[place / kWidth] |= (term >> bit & 1) << (place % kWidth);
          }
          products[which][i + j] = add(products[which][i + j], number, 1, kWidth);
        }
      }
    }
  }
  return products;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace karatsuba;
  constexpr unsigned kLatency = 4;
  const auto width = static_cast<unsigned>(bench.parameter("KeyWidth"));
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  struct Sent {
    bool valid;
    unsigned target;
    std::vector<Polynomial> products;
  };
  std::vector<Sent> sent;
  for (unsigned now = 0; now < 60; ++now) {
    Leaf leaf;
    for (unsigned i = 0; i < kLength; ++i) {
      leaf.key.push_back(bench.random.edgy(width) & mask(width));
      leaf.binary.push_back(bench.random.below(1024));
    }
    sent.push_back({bench.random.chance(75), static_cast<unsigned>(bench.random.below(16)), products(leaf, width)});
    for (unsigned i = 0; i < kLength; ++i) {
      bench->valid_i = sent.back().valid;
      bench->first_i = sent.back().valid && i == 0;
      bench->key_i = leaf.key[i];
      bench->binary_i = leaf.binary[i];
      bench->target_i = sent.back().target;
      bench.step();
      const unsigned cycle = now * kLength + i + 1;
      for (unsigned part = 0; part < 2; ++part) {
        const unsigned later = (part + 1) * kLength + kLatency;
        const bool came = cycle >= later && sent[(cycle - later) / kLength].valid;
        bench.expect_equal(bench->valid_o >> part & 1, came, "valid");
        if (!came) continue;
        const Sent& was = sent[(cycle - later) / kLength];
        const unsigned place = (cycle - later) % kLength;
        bench.expect_equal(xor_banks::word_of(bench->target_o, part, 4), was.target, "target");
        for (unsigned which = 0; which < kPolynomials; ++which) {
          bench.expect_equal(xor_banks::word_of(bench->data_o, part * kPolynomials + which, kWidth),
                             was.products[which][part * kLeaf + place / kChunks][place % kChunks], "chunk");
        }
      }
    }
  }
}
