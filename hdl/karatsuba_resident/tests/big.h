// Integers modulo 2^256, and ports of any width as such integers.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bench.h"

namespace resident {

struct Big {
  std::array<std::uint64_t, 4> words{};

  Big() = default;
  Big(std::int64_t value) {
    words.fill(value < 0 ? ~std::uint64_t{0} : 0);
    words[0] = static_cast<std::uint64_t>(value);
  }

  Big operator~() const {
    Big result;
    for (unsigned i = 0; i < 4; ++i) result.words[i] = ~words[i];
    return result;
  }
  Big operator+(const Big& other) const {
    Big sum;
    unsigned __int128 carry = 0;
    for (unsigned i = 0; i < 4; ++i) {
      carry += static_cast<unsigned __int128>(words[i]) + other.words[i];
      sum.words[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return sum;
  }
  Big operator-(const Big& other) const { return *this + ~other + Big(1); }
  Big operator<<(unsigned places) const {
    Big result;
    for (unsigned i = places / 64; i < 4; ++i) {
      result.words[i] = words[i - places / 64] << places % 64;
      if (places % 64 != 0 && i > places / 64) result.words[i] |= words[i - places / 64 - 1] >> (64 - places % 64);
    }
    return result;
  }
  Big operator*(const Big& other) const {
    Big product;
    for (unsigned bit = 0; bit < 256; ++bit) {
      if (other.bit(bit)) product = product + (*this << bit);
    }
    return product;
  }
  bool operator==(const Big& other) const { return words == other.words; }
  /// As integers that are not negative.
  bool operator<(const Big& other) const {
    for (unsigned i = 4; i-- > 0;) {
      if (words[i] != other.words[i]) return words[i] < other.words[i];
    }
    return false;
  }

  bool bit(unsigned place) const { return words[place / 64] >> place % 64 & 1; }
  bool negative() const { return bit(255); }
  Big low(unsigned bits) const {
    Big result;
    for (unsigned i = 0; i < bits && i < 256; ++i) result.words[i / 64] |= static_cast<std::uint64_t>(bit(i)) << i % 64;
    return result;
  }
};

/// Quotient and remainder by a positive integer; the remainder is not negative.
struct Division {
  Big quotient, remainder;
};

inline Division divide(const Big& dividend, const Big& divisor) {
  const Big value = dividend.negative() ? Big(0) - dividend : dividend;
  Division result;
  for (unsigned bit = 256; bit-- > 0;) {
    result.remainder = (result.remainder << 1) + Big(value.bit(bit) ? 1 : 0);
    if (result.remainder < divisor) continue;
    result.remainder = result.remainder - divisor;
    result.quotient = result.quotient + (Big(1) << bit);
  }
  if (!dividend.negative()) return result;
  result.quotient = Big(0) - result.quotient;
  if (result.remainder == Big(0)) return result;
  return {result.quotient - Big(1), divisor - result.remainder};
}

/// A random integer of so many bits: now and then all ones, or few.
inline Big random_bits(ringmill::Random& random, unsigned bits) {
  Big value;
  for (std::uint64_t& word : value.words) word = random.word();
  if (random.chance(5)) value = ~Big(0);
  return value.low(random.chance(5) ? static_cast<unsigned>(random.below(bits + 1)) : bits);
}

template <class Port>
Big get(const Port& port, unsigned low, unsigned width) {
  Big value;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    std::uint64_t one;
    if constexpr (std::is_integral_v<Port>) {
      one = static_cast<std::uint64_t>(port >> bit) & 1;
    } else {
      one = port[bit / 32] >> bit % 32 & 1;
    }
    value.words[i / 64] |= one << i % 64;
  }
  return value;
}

template <class Port>
void put(Port& port, unsigned low, unsigned width, const Big& value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    if constexpr (std::is_integral_v<Port>) {
      const Port one = static_cast<Port>(Port{1} << bit);
      port = static_cast<Port>(value.bit(i) ? port | one : port & ~one);
    } else {
      const std::uint32_t one = std::uint32_t{1} << bit % 32;
      port[bit / 32] = value.bit(i) ? port[bit / 32] | one : port[bit / 32] & ~one;
    }
  }
}

template <class Model>
void expect_big(ringmill::Bench<Model>& bench, const Big& actual, const Big& expected, const std::string& what) {
  bench.expect(actual == expected, what + ", " + ringmill::text(static_cast<ringmill::Wide>(actual.words[1]) << 64 | actual.words[0]) +
                                       " instead of " +
                                       ringmill::text(static_cast<ringmill::Wide>(expected.words[1]) << 64 | expected.words[0]) +
                                       " in the lower words");
}

}  // namespace resident
