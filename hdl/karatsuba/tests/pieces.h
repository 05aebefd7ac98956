// A piece of eight leaves, and the leaves that Karatsuba's three recursions make of it.

#pragma once

#include "numbers.h"

namespace karatsuba {

constexpr unsigned kLeaf = 5, kLeaves = 8, kChunks = 5, kPolynomials = 4, kLength = kLeaf * kChunks;

/// Pairs of a leaf: chunks, and coefficients of binary polynomials, one after the other.
struct Leaf {
  std::vector<std::uint64_t> key;
  std::vector<std::uint64_t> binary;
};

/// Whose bits are random; three sums fit.
inline std::vector<Leaf> random_piece(ringmill::Random& random, unsigned width) {
  std::vector<Leaf> piece(kLeaves);
  for (Leaf& leaf : piece) {
    for (unsigned i = 0; i < kLeaf; ++i) {
      for (const std::uint64_t chunk : random_number(random, kChunks, width, 3)) leaf.key.push_back(chunk);
    }
    for (unsigned i = 0; i < kLength; ++i) leaf.binary.push_back(random.below(65));
  }
  return piece;
}

/// What line x has at time t, whose bits include those of x: the sum of leaves t without some of x's bits.
inline Leaf leaf_of(const std::vector<Leaf>& piece, unsigned time, unsigned line, unsigned width) {
  Leaf sum{std::vector<std::uint64_t>(kLength), std::vector<std::uint64_t>(kLength)};
  for (unsigned without = 0; without < kLeaves; ++without) {
    if ((without & line) != without) continue;
    const Leaf& leaf = piece[time ^ without];
    for (unsigned i = 0; i < kLeaf; ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(i * kChunks);
      const Number a(sum.key.begin() + begin, sum.key.begin() + begin + kChunks);
      const Number b(leaf.key.begin() + begin, leaf.key.begin() + begin + kChunks);
      const Number total = add(a, b, 1, width);
      std::copy(total.begin(), total.end(), sum.key.begin() + begin);
    }
    for (unsigned i = 0; i < kLength; ++i) sum.binary[i] += leaf.binary[i];
  }
  return sum;
}

}  // namespace karatsuba
