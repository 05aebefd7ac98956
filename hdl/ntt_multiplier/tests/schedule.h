// The schedule of the NTT multiplier by its definition: where each index lies, which pair is when, and the tables that
// the host loads. Follows the header of ntt_multiplier_pkg, not its functions.

#pragma once

#include <cstdint>
#include <vector>

#include "primes.h"
#include "wide.h"

namespace ringmill {

/// A machine's shape and its modulus.
struct Ring {
  unsigned log_n;
  unsigned log_units;
  std::uint64_t modulus;
  std::uint64_t psi = 0;  // of order 2n
  std::uint64_t radix = 0;  // R of Montgomery's reduction

  Ring(unsigned log_n, unsigned log_units, std::uint64_t modulus)
      : log_n(log_n), log_units(log_units), modulus(modulus) {
    const unsigned word = log_n + 1;
    radix = power_mod(2, word * ((32 + word - 1) / word), modulus);
    for (std::uint64_t base = 2; psi == 0; ++base) {
      const std::uint64_t root = power_mod(base, (modulus - 1) >> word, modulus);
      if (power_mod(root, n(), modulus) == modulus - 1) psi = root;
    }
  }

  std::uint64_t n() const { return std::uint64_t{1} << log_n; }
  unsigned units() const { return 1U << log_units; }
  unsigned bank_bits() const { return log_units + 1; }
  unsigned slots() const { return 1U << (log_n - bank_bits()); }
  unsigned word_bits() const { return log_n + 1; }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % modulus);
  }
  std::uint64_t negated(std::uint64_t a) const { return a == 0 ? 0 : modulus - a; }
  /// psi^e for any e.
  std::uint64_t power(std::int64_t exponent) const {
    const auto order = static_cast<std::int64_t>(2 * n());
    return power_mod(psi, static_cast<std::uint64_t>((exponent % order + order) % order), modulus);
  }
};

inline std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

/// Bank and address of an index.
inline unsigned bank_of(const Ring& ring, std::uint64_t index) {
  unsigned bank = 0;
  for (unsigned m = 0; m < ring.log_n; ++m) bank ^= static_cast<unsigned>(index >> m & 1) << (m % ring.bank_bits());
  return bank;
}
inline unsigned address_of(const Ring& ring, std::uint64_t index) {
  return static_cast<unsigned>(index >> ring.bank_bits());
}

/// The index that bank `bank` is asked for in slot `slot` of a pass on bit `bit`: time gives the bits outside the window, and
/// one setting of those inside leads to the bank.
inline std::uint64_t index_of(const Ring& ring, unsigned bit, unsigned slot, unsigned bank) {
  const unsigned width = ring.bank_bits();
  const unsigned start = bit + 1 > width ? bit + 1 - width : 0;
  const std::uint64_t low = slot & ((std::uint64_t{1} << start) - 1);
  const std::uint64_t time = low | static_cast<std::uint64_t>(slot >> start) << (start + width);
  unsigned differ = bank_of(ring, time) ^ bank;
  std::uint64_t index = time;
  for (unsigned m = start; m < start + width; ++m) {
    index |= static_cast<std::uint64_t>(differ >> (m % width) & 1) << m;
  }
  return index;
}

inline unsigned own_bank(unsigned unit) { return 2 * unit + static_cast<unsigned>(__builtin_popcount(unit)) % 2; }

/// Values of a polynomial where the forward transform leaves them: entry i at psi^(2 brv(i) + 1).
inline std::vector<std::uint64_t> values_of(const Ring& ring, const std::vector<std::uint64_t>& coefficients) {
  std::vector<std::uint64_t> values(ring.n());
  for (std::uint64_t i = 0; i < ring.n(); ++i) {
    const std::uint64_t point = ring.power(static_cast<std::int64_t>(2 * reversed(i, ring.log_n) + 1));
    std::uint64_t value = 0;
    for (std::uint64_t j = ring.n(); j-- > 0;) value = (ring.times(value, point) + coefficients[j]) % ring.modulus;
    values[i] = value;
  }
  return values;
}

/// Product modulo x^n + 1 and the modulus, term by term.
inline std::vector<std::uint64_t> negacyclic_product(const Ring& ring, const std::vector<std::uint64_t>& a,
                                                     const std::vector<std::uint64_t>& b) {
  const std::uint64_t n = ring.n();
  std::vector<std::uint64_t> result(n);
  for (std::uint64_t k = 0; k < n; ++k) {
    Wide plus = 0, minus = 0;
    for (std::uint64_t i = 0; i <= k; ++i) plus += a[i] * b[k - i];
    for (std::uint64_t i = k + 1; i < n; ++i) minus += a[i] * b[n + k - i];
    result[k] = (static_cast<std::uint64_t>(plus % ring.modulus) + ring.modulus
        - static_cast<std::uint64_t>(minus % ring.modulus)) % ring.modulus;
  }
  return result;
}

/// The words of a fixed operand for one unit: two a slot, that of U and that of V.
inline void append_operand(const Ring& ring, unsigned unit, const std::vector<std::uint64_t>& values,
                           std::vector<std::uint64_t>& factors) {
  for (unsigned slot = 0; slot < ring.slots(); ++slot) {
    const std::uint64_t index = index_of(ring, 0, slot, own_bank(unit));
    const std::uint64_t lower = values[index & ~std::uint64_t{1}], upper = values[index | 1];
    factors.push_back(ring.times(lower, ring.radix));
    factors.push_back(ring.times(index & 1 ? ring.negated(upper) : upper, ring.radix));
  }
}

/// The words of a pass for one unit, negated where its own bank holds V.
inline void append_pass(const Ring& ring, unsigned unit, unsigned bit, bool inverse, std::vector<std::uint64_t>& factors) {
  const unsigned rest = ring.log_n - 1 - bit;
  for (unsigned slot = 0; slot < ring.slots(); ++slot) {
    const std::uint64_t index = index_of(ring, bit, slot, own_bank(unit));
    const std::uint64_t within = index & ((std::uint64_t{1} << bit) - 1);
    // Exponents of omega = psi^2.
    const auto exponent = static_cast<std::int64_t>(inverse ? reversed(index >> (bit + 1), rest) << bit : within << rest);
    const std::uint64_t factor = ring.times(ring.power(inverse ? -2 * exponent : 2 * exponent), ring.radix);
    factors.push_back(index >> bit & 1 ? ring.negated(factor) : factor);
  }
}

/// All factors of one unit, in the order of use.
inline std::vector<std::uint64_t> factors_of(const Ring& ring, unsigned unit, const std::vector<std::uint64_t>& values0,
                                             const std::vector<std::uint64_t>& values1) {
  std::vector<std::uint64_t> factors;
  for (unsigned bit = ring.log_n - 1; bit >= 1; --bit) append_pass(ring, unit, bit, false, factors);
  append_operand(ring, unit, values0, factors);
  for (unsigned bit = 0; bit + 1 < ring.log_n; ++bit) append_pass(ring, unit, bit, true, factors);
  append_operand(ring, unit, values1, factors);
  return factors;
}

/// The packet of all factors: word 0 of all units, word 1 of all units ...
inline std::vector<std::uint64_t> factor_packet(const Ring& ring, const std::vector<std::uint64_t>& values0,
                                                const std::vector<std::uint64_t>& values1) {
  std::vector<std::vector<std::uint64_t>> units;
  for (unsigned unit = 0; unit < ring.units(); ++unit) units.push_back(factors_of(ring, unit, values0, values1));
  std::vector<std::uint64_t> packet;
  for (std::size_t address = 0; address < units[0].size(); ++address) {
    for (const auto& factors : units) packet.push_back(factors[address]);
  }
  return packet;
}

/// The same of the operands alone.
inline std::vector<std::uint64_t> operand_packet(const Ring& ring, const std::vector<std::uint64_t>& values0,
                                                 const std::vector<std::uint64_t>& values1) {
  std::vector<std::uint64_t> packet;
  for (const auto* values : {&values0, &values1}) {
    std::vector<std::vector<std::uint64_t>> units(ring.units());
    for (unsigned unit = 0; unit < ring.units(); ++unit) append_operand(ring, unit, *values, units[unit]);
    for (std::size_t address = 0; address < units[0].size(); ++address) {
      for (const auto& factors : units) packet.push_back(factors[address]);
    }
  }
  return packet;
}

/// psi^j R, and psi^-j n^-1 R.
inline std::vector<std::uint64_t> input_scale(const Ring& ring) {
  std::vector<std::uint64_t> scale;
  for (std::uint64_t j = 0; j < ring.n(); ++j) {
    scale.push_back(ring.times(ring.power(static_cast<std::int64_t>(j)), ring.radix));
  }
  return scale;
}
inline std::vector<std::uint64_t> output_scale(const Ring& ring) {
  const std::uint64_t inverse = power_mod(ring.n(), ring.modulus - 2, ring.modulus);
  std::vector<std::uint64_t> scale;
  for (std::uint64_t j = 0; j < ring.n(); ++j) {
    scale.push_back(ring.times(ring.times(ring.power(-static_cast<std::int64_t>(j)), inverse), ring.radix));
  }
  return scale;
}

}  // namespace ringmill
