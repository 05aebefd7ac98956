// The sizes of a constants block in memory.

#pragma once

#include <bit>
#include <cstdint>

#include "engine.h"

namespace core {

/// Constants of a Fermat ring of n dimensions: for each field of the index, of L bits, 2^L words of a table and half as
/// many powers of a root, for both directions.
inline std::uint64_t fermat_constants(std::uint64_t n) {
  std::uint64_t count = 0, fields = 0;
  while (n >> (fields + 1) != 0) ++fields;
  for (std::uint64_t length = 1; length <= fields; length *= 2) {
    if ((fields & length) != 0) count += (std::uint64_t{1} << length) * 3 / 2;
  }
  return 2 * count;
}

/// With dedicated reads: n words of tables, and for each of 2^b units b factors and two more.
template <class Bench>
std::uint64_t constant_count(const Bench& bench) {
  const std::uint64_t n = bench.parameter("N"), units = bench.parameter("Units");
  if (engine_of(bench) == XOR_BANKS) return fermat_constants(n);
  return n + units * (static_cast<std::uint64_t>(std::bit_width(units)) - 1 + 2);
}

/// The modulus and seven zeros, the constants, zeros up to a multiple of 8.
template <class Bench>
std::uint64_t block_words(const Bench& bench) {
  return 8 + (constant_count(bench) + 7) / 8 * 8;
}

}  // namespace core
