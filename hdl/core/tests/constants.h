// The sizes of a constants block in memory.

#pragma once

#include <cstdint>

namespace core {

/// Constants of a Fermat ring of n dimensions: for each field of the index, of L bits, 2^L words of a table and half as
/// many powers of a root, for both directions.
inline std::uint64_t constant_count(std::uint64_t n) {
  std::uint64_t count = 0, fields = 0;
  while (n >> (fields + 1) != 0) ++fields;
  for (std::uint64_t length = 1; length <= fields; length *= 2) {
    if ((fields & length) != 0) count += (std::uint64_t{1} << length) * 3 / 2;
  }
  return 2 * count;
}

/// The modulus and seven zeros, the constants, zeros up to a multiple of 8.
inline std::uint64_t block_words(std::uint64_t n) { return 8 + (constant_count(n) + 7) / 8 * 8; }

}  // namespace core
