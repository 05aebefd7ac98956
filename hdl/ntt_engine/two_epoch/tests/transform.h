// Cyclic transforms and the engine's constants, from their definitions.

#pragma once

#include <cstdint>
#include <vector>

#include "bench.h"

namespace ringmill {

using Words = std::vector<std::uint64_t>;

inline unsigned reverse(unsigned value, unsigned bits) {
  unsigned result = 0;
  for (unsigned i = 0; i < bits; ++i) result = result << 1 | (value >> i & 1);
  return result;
}

/// N = T^2 words modulo a prime, for units that divide by R = 2^(word * steps).
struct Field {
  unsigned bits;  // of T
  std::uint64_t modulus, omega, radix;
  /// Values are those at shift omega^k: 1 for cyclic transforms, an element of order 2 N for negacyclic ones.
  std::uint64_t shift = 1;

  Field(unsigned tiles, std::uint64_t prime, unsigned width, unsigned word)
      : bits(bit_length(tiles) - 1), modulus(prime), omega(0),
        radix(power_mod(2, word * ((width + word - 1) / word), prime)) {
    // An element of order N: its power N / 2 is -1.
    for (std::uint64_t base = 2; omega == 0 || power(omega, n() / 2) != modulus - 1; ++base) {
      omega = power(base, (modulus - 1) / n());
    }
  }

  unsigned tiles() const { return 1U << bits; }
  std::uint64_t n() const { return std::uint64_t{1} << 2 * bits; }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(Wide{a} * b % modulus);
  }
  std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const { return power_mod(base, exponent, modulus); }
  std::uint64_t inverse(std::uint64_t a) const { return power(a, modulus - 2); }
};

/// The sum of a_i root^(i k) for each k: by halves (entries of even and of odd index); by its terms up to 16 entries.
inline Words transform(const Field& field, const Words& a, std::uint64_t root) {
  const std::size_t n = a.size();
  Words values(n);
  if (n <= 16) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        values[k] = (values[k] + field.times(a[i], field.power(root, i * k))) % field.modulus;
      }
    }
    return values;
  }
  Words even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n; ++i) (i % 2 ? odd : even)[i / 2] = a[i];
  even = transform(field, even, field.times(root, root));
  odd = transform(field, odd, field.times(root, root));
  std::uint64_t power = 1;
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = (even[k % (n / 2)] + field.times(power, odd[k % (n / 2)])) % field.modulus;
    power = field.times(power, root);
  }
  return values;
}

/// The sums by their definition: n^2 products.
inline Words slow_transform(const Field& field, const Words& a, std::uint64_t root) {
  Words values(a.size());
  std::uint64_t point = 1;
  for (std::uint64_t& value : values) {
    for (std::size_t i = a.size(); i-- > 0;) value = (field.times(value, point) + a[i]) % field.modulus;
    point = field.times(point, root);
  }
  return values;
}

/// The factor of the pair of a word (`number`, with the bit clear) in a pass on a bit.
inline std::uint64_t high_factor(const Field& field, unsigned bit, unsigned number) {
  const unsigned above = field.bits - 1 - bit;
  const std::uint64_t step = field.n() >> (above + 1);
  const std::uint64_t exponent = reverse(number >> (bit + 1), above) * step;
  return field.times(field.power(field.omega, exponent), field.power(field.shift, step));
}

inline std::uint64_t low_factor(const Field& field, unsigned bit, unsigned number, unsigned tile) {
  const std::uint64_t below = number & ((1U << bit) - 1);
  const std::uint64_t step = field.tiles() >> (bit + 1);
  const std::uint64_t exponent = (below * field.tiles() + reverse(tile, field.bits)) * step;
  return field.times(field.power(field.omega, exponent), field.power(field.shift, step));
}

/// The tables of high factors, or of a tile's low ones, forward and back, times R.
inline Words factors(const Field& field, bool high, unsigned tile) {
  const unsigned size = field.tiles();
  Words table(2 * size);
  for (unsigned bit = 0; bit < field.bits; ++bit) {
    for (unsigned number = 0; number < size; ++number) {
      if (number >> bit & 1) continue;
      const unsigned kept = high ? number >> (bit + 1) << (bit + 1) : number & ((1U << bit) - 1);
      const std::uint64_t factor = high ? high_factor(field, bit, number) : low_factor(field, bit, number, tile);
      table[kept + (1U << bit)] = factor;
      table[size + kept + (1U << bit)] = field.inverse(factor);
    }
  }
  if (high) {
    table[size] = field.inverse(field.n());
    table[size + size / 2] = field.times(table[size + size / 2], table[size]);
  }
  for (std::uint64_t& factor : table) factor = field.times(factor, field.radix);
  return table;
}

}  // namespace ringmill
