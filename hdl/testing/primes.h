// Primes of which transforms exist, as moduli of tests.

#pragma once

#include <cstdint>
#include <vector>

#include "random.h"

namespace ringmill {

inline std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  Wide result = 1;
  Wide square = base % modulus;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * square % modulus;
    square = square * square % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

/// Whether an odd number above 40 is prime: strong test to twelve bases, a proof below 2^64.
inline bool is_prime(std::uint64_t candidate) {
  std::uint64_t odd = candidate - 1;
  unsigned twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  for (const unsigned base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    Wide power = power_mod(base, odd, candidate);
    bool passes = power == 1 || power == candidate - 1;
    for (unsigned i = 1; i < twos && !passes; ++i) {
      power = power * power % candidate;
      passes = power == candidate - 1;
    }
    if (!passes) return false;
  }
  return true;
}

/// A prime of `bits` bits that is 1 mod 2^word: the first one at or, with `down`, below `start`, cyclically.
inline std::uint64_t prime_from(Wide start, unsigned bits, unsigned word, bool down) {
  const Wide count = Wide{1} << (bits - 1 - word);
  const Wide base = Wide{1} << (bits - 1);
  Wide index = (start - base) >> word;
  while (!is_prime(static_cast<std::uint64_t>(base + (index << word) + 1))) {
    index = (index + (down ? count - 1 : 1)) % count;
  }
  return static_cast<std::uint64_t>(base + (index << word) + 1);
}

/// Primes that are 1 mod 2^word: of each length from `least` to `most` bits the smallest, the greatest, one between.
inline std::vector<std::uint64_t> primes(Random& random, unsigned least, unsigned most, unsigned word) {
  std::vector<std::uint64_t> result;
  for (unsigned bits = std::max(least, word + 6); bits <= most; ++bits) {
    const Wide base = Wide{1} << (bits - 1);
    result.push_back(prime_from(base, bits, word, false));
    result.push_back(prime_from(2 * base - 1, bits, word, true));
    result.push_back(prime_from(base + random.below(base), bits, word, false));
  }
  return result;
}

}  // namespace ringmill
