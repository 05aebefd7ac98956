// Coefficients as chunks of so many bits, the lowest first, and arithmetic on them modulo 2^(bits of all chunks).

#pragma once

#include <cstdint>
#include <vector>

#include "bench.h"

namespace karatsuba {

using Number = std::vector<std::uint64_t>;
using Polynomial = std::vector<Number>;

inline std::uint64_t mask(unsigned width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

/// A number whose upper `spare` bits are zero.
inline Number random_number(ringmill::Random& random, unsigned chunks, unsigned width, unsigned spare) {
  Number number(chunks);
  for (std::uint64_t& chunk : number) chunk = random.chance(10) ? mask(width) : random.word() & mask(width);
  number.back() >>= spare;
  return number;
}

/// a + sign b.
inline Number add(const Number& a, const Number& b, int sign, unsigned width) {
  Number sum(a.size());
  __int128 carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    carry += static_cast<__int128>(a[i]) + sign * static_cast<__int128>(b[i]);
    sum[i] = static_cast<std::uint64_t>(carry) & mask(width);
    carry >>= width;
  }
  return sum;
}

}  // namespace karatsuba
