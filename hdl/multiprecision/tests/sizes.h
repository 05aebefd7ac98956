// Sizes of the pipeline, counted again from the bits of numbers.

#pragma once

#include <algorithm>

#include "big.h"
#include "latency.h"
#include "primes.h"

namespace multiprecision {

constexpr unsigned kWord = 59, kPrime = 30, kLong = 118, kUnits = 4;

inline unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

/// ceil(log2) of a count.
inline unsigned log2(unsigned count) {
  unsigned bits = 0;
  while (1u << bits < count) ++bits;
  return bits;
}

/// Cycles of residue_reduction: two products of 31 bits, a difference, two corrections.
inline unsigned reduction_latency() { return 2 * ringmill::integer_multiplier_latency(31, 1) + 3; }

/// Of residue_scale: tables, a product of 30 bits, reduction. Of residue_fold: tables, upper product, sum, reduction,
/// sign.
inline unsigned scale_latency() { return 1 + ringmill::integer_multiplier_latency(kPrime, 1) + reduction_latency(); }
inline unsigned fold_latency() { return 1 + 2 + reduction_latency() + 1; }

/// Of reciprocal_division behind its last product: memories, halves, a product of 60 bits, two sums, a sum.
inline unsigned division_latency() { return 1 + (1 + ringmill::integer_multiplier_latency(kWord + 1, 1) + 2) + 1; }

/// Of residue_units behind a round's last product: memories, a product of 30 bits, sum, one register.
inline unsigned units_latency() { return 1 + ringmill::integer_multiplier_latency(kPrime, 1) + 1 + 1; }

struct Sizes {
  unsigned base, total, cores;

  unsigned modulus_words() const { return ceil_div(30 * base + 2, kWord); }
  unsigned lift_bits() const { return 30 * base + 30 + log2(base); }
  unsigned sum_words(bool scale) const {
    return ceil_div(scale ? 30 * total + log2(total) : lift_bits(), kWord);
  }
  unsigned fraction(bool scale) const {
    return ceil_div((scale ? 30 * total : lift_bits()) + 30 * base + 1, kLong);
  }
  /// The greatest reciprocal: of the least q, 2^(30 base - 3), so a power of 2 itself.
  unsigned reciprocal(bool scale) const {
    const unsigned exponent = kLong * fraction(scale) + scale - (30 * base - 3);
    return ceil_div(exponent + 1, kLong);
  }
  unsigned dividend(bool scale) const { return ceil_div(sum_words(scale), 2); }
  unsigned results(bool scale) const { return scale ? ceil_div(30 * (total - base), kLong) : 1; }
  unsigned slots(bool scale) const { return ceil_div(scale ? total : base + 2, cores); }
  unsigned rounds() const { return ceil_div(base, kUnits); }

  /// Products of the columns from `from` on, one a cycle; a column without any takes a cycle, too.
  unsigned division(bool scale, unsigned from = 0) const {
    unsigned cycles = 0;
    for (unsigned column = from; column < fraction(scale) + results(scale); ++column) {
      unsigned products = 0;
      for (unsigned i = 0; i < dividend(scale); ++i) products += i <= column && column - i < reciprocal(scale);
      cycles += std::max(products, 1u);
    }
    return cycles;
  }

  /// Of sum_of_products: a core's memories, product of 59 bits and sum, the cores of an arm.
  unsigned sum_latency() const { return 1 + ringmill::integer_multiplier_latency(kWord, 1) + 1 + cores / 2; }

  unsigned lift_sum() const { return slots(false) * sum_words(false); }
  unsigned lift_residues() const { return slots(false) * (total - base); }
  unsigned scale_sum() const { return slots(true) * sum_words(true); }
  unsigned quotient_cycles() const { return 2 * ringmill::integer_multiplier_latency(64, 1) + modulus_words() + 2; }

  /// From the end of a lift's sum to the first step with its quotient: behind the division two pieces are written.
  unsigned lift_gap() const { return sum_latency() + division(false) + division_latency() + 4; }
  unsigned lift_interval() const { return lift_sum() + std::max(lift_residues(), lift_gap()); }

  unsigned scale_interval() const {
    return std::max({scale_sum(), (log2(total) + 2) * (sum_words(true) + 1), division(true),
                     division(true, fraction(true) + 1) + quotient_cycles(), 4 * (modulus_words() + 1),
                     modulus_words() * (2 * rounds() + 1)});
  }

  /// From the first residue in to the last one out, of so many lifts or scales that arrive without pause.
  unsigned lifts(unsigned count) const {
    return base + scale_latency() + lift_sum() + lift_gap() + (count - 1) * lift_interval() + lift_residues() +
           sum_latency() + fold_latency();
  }
  unsigned scales(unsigned count) const {
    const unsigned sum = total + scale_latency() + scale_sum() + sum_latency();
    const unsigned passes = (log2(total) + 2) * (sum_words(true) + 1) + 1 + 4 * (modulus_words() + 1) + 1;
    const unsigned divisions = 1 + division(true) + division_latency() + quotient_cycles();
    return sum + passes + divisions + 2 * modulus_words() * rounds() + units_latency() + (base - 1) % kUnits +
           fold_latency() + (count - 1) * scale_interval();
  }
};

/// floor(2^60 / q).
inline std::uint64_t small_reciprocal(std::uint64_t prime) { return (std::uint64_t{1} << 60) / prime; }

/// Different primes below an odd number. Of those just below 2^30 q is far above 2^(30 l - 3); of those just below the
/// second number 41 make a q of 1228 bits, the paper's length.
constexpr std::uint64_t kGreatest = (1u << 30) - 1, kPapers = 1037500001;

inline std::vector<std::uint64_t> some_primes(unsigned count, std::uint64_t from = kGreatest) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t candidate = from; found.size() < count; candidate -= 2) {
    if (ringmill::is_prime(candidate)) found.push_back(candidate);
  }
  return found;
}

/// A prime of 30 bits: one time of two close to an end.
inline std::uint64_t any_prime(ringmill::Random& random) {
  const std::uint64_t half = 1u << 29;
  std::uint64_t candidate = half | 1;
  if (random.chance(25)) candidate = 2 * half - 1;
  else if (!random.chance(33)) candidate = half | static_cast<std::uint64_t>(random.below(half)) | 1;
  const bool down = candidate > half + half / 2;
  while (!ringmill::is_prime(candidate)) candidate = down ? candidate - 2 : candidate + 2;
  return candidate;
}

}  // namespace multiprecision
