// Numbers as digits, the lowest first, and schoolbook products of them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench.h"

namespace comba {

using Digits = std::vector<std::uint64_t>;

/// sum + x b, in as many digits as sum has, each below 2^width.
inline Digits multiply_add(Digits sum, const Digits& x, const Digits& b, unsigned width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < sum.size(); ++j) {
      const std::uint64_t total = sum[i + j] + carry + (j < b.size() ? x[i] * b[j] : 0);
      sum[i + j] = total & mask;
      carry = total >> width;
    }
  }
  return sum;
}

/// sum + number 2^(16 place), or sum - number, modulo 2^16 to the power of sum's digits.
inline void add(Digits& sum, const Digits& number, std::size_t place, bool negative) {
  std::int64_t carry = 0;
  for (std::size_t i = 0; place + i < sum.size(); ++i) {
    const auto digit = static_cast<std::int64_t>(i < number.size() ? number[i] : 0);
    const std::int64_t total = static_cast<std::int64_t>(sum[place + i]) + (negative ? -digit : digit) + carry;
    sum[place + i] = static_cast<std::uint64_t>(total) & 0xffff;
    carry = total >> 16;
  }
}

/// -1, 0 or 1 as a is less than b, equal or greater.
inline int compare(const Digits& a, const Digits& b) {
  for (std::size_t i = std::max(a.size(), b.size()); i-- > 0;) {
    const std::uint64_t left = i < a.size() ? a[i] : 0, right = i < b.size() ? b[i] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

/// The quotient and the remainder of digits of 16 bits, bit by bit.
inline std::pair<Digits, Digits> divide(const Digits& number, const Digits& divisor) {
  Digits quotient(number.size()), rest(divisor.size() + 1);
  for (std::size_t bit = 16 * number.size(); bit-- > 0;) {
    for (std::size_t i = rest.size(); i-- > 0;) {
      rest[i] = (rest[i] << 1 | (i == 0 ? number[bit / 16] >> bit % 16 & 1 : rest[i - 1] >> 15)) & 0xffff;
    }
    if (compare(rest, divisor) < 0) continue;
    add(rest, divisor, 0, true);
    quotient[bit / 16] |= std::uint64_t{1} << bit % 16;
  }
  return {quotient, rest};
}

/// A word of four digits of 16 bits.
inline std::uint64_t word_of(const Digits& digits, std::size_t word) {
  std::uint64_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 16 | (4 * word + i < digits.size() ? digits[4 * word + i] : 0);
  return value;
}

/// Random digits: often all of them, now and then none, are the largest.
inline Digits random_digits(ringmill::Random& random, unsigned count, unsigned width) {
  const ringmill::Wide bound = ringmill::Wide{1} << width;
  Digits digits(count);
  const bool largest = random.chance(20), zero = random.chance(5);
  for (std::uint64_t& digit : digits) {
    digit = zero ? 0 : largest ? static_cast<std::uint64_t>(bound - 1) : static_cast<std::uint64_t>(random.edgy(bound));
  }
  return digits;
}

}  // namespace comba
