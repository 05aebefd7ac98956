// The tables of a pipeline for some primes, from their definitions, and exact lifts and scales.

#pragma once

#include "sizes.h"

namespace multiprecision {

/// What a host writes: table, unit, address, data.
struct Entry {
  unsigned table, unit, address;
  std::uint64_t data;
};

class Tables {
 public:
  Tables(Sizes sizes, std::vector<std::uint64_t> primes) : sizes_(sizes), primes_(std::move(primes)), q_(1), total_(1) {
    for (unsigned j = 0; j < sizes.total; ++j) {
      if (j < sizes.base) q_ = q_ * primes_[j];
      total_ = total_ * primes_[j];
    }
    factors();
    moduli();
    divisors();
    powers();
  }

  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::uint64_t>& primes() const { return primes_; }
  const Big& q() const { return q_; }
  const Big& total() const { return total_; }

 private:
  enum Table { Factors, Moduli, Reciprocals, Folds, Inverses, Division, Total, Base, Quotient, Modulus, Powers };

  static std::uint64_t inverse(const Big& number, std::uint64_t prime) {
    return ringmill::power_mod(number.residue(prime), prime - 2, prime);
  }

  void words(unsigned table, unsigned first, unsigned count, const Big& number) {
    for (unsigned k = 0; k < count; ++k) entries_.push_back({table, 0, first + k, number.word(k)});
  }

  /// The cores' constants: slots without a residue have 0.
  void factors() {
    const unsigned lift = sizes_.lift_sum(), scale = lift + sizes_.lift_residues();
    for (unsigned j = 0; j < sizes_.slots(false) * sizes_.cores; ++j) {
      const unsigned slot = j / sizes_.cores;
      Big factor;
      if (j < sizes_.base) {
        const Big rest = q_ / primes_[j];
        factor = rest * inverse(rest, primes_[j]);
      }
      for (unsigned k = 0; k < sizes_.sum_words(false); ++k) {
        entries_.push_back({Factors, j % sizes_.cores, k * sizes_.slots(false) + slot, factor.word(k)});
      }
      for (unsigned k = sizes_.base; k < sizes_.total; ++k) {
        // Behind the residues: minus q, minus 2^30 q.
        const std::uint64_t prime = primes_[k];
        std::uint64_t word = factor.residue(prime);
        if (j == sizes_.base) word = prime - q_.residue(prime);
        if (j == sizes_.base + 1) word = prime - (q_ << kPrime).residue(prime);
        entries_.push_back({Factors, j % sizes_.cores, lift + (k - sizes_.base) * sizes_.slots(false) + slot, word});
      }
    }
    for (unsigned j = 0; j < sizes_.slots(true) * sizes_.cores; ++j) {
      const Big factor = j < sizes_.total ? total_ / primes_[j] : Big(0);
      for (unsigned k = 0; k < sizes_.sum_words(true); ++k) {
        const unsigned address = scale + k * sizes_.slots(true) + j / sizes_.cores;
        entries_.push_back({Factors, j % sizes_.cores, address, factor.word(k)});
      }
    }
  }

  void moduli() {
    for (unsigned j = 0; j < sizes_.total; ++j) {
      entries_.push_back({Moduli, 0, j, primes_[j]});
      entries_.push_back({Reciprocals, 0, j, small_reciprocal(primes_[j])});
      entries_.push_back({Folds, 0, j, (std::uint64_t{1} << 58) % primes_[j]});
      entries_.push_back({Inverses, 0, j, inverse(total_ / primes_[j], primes_[j])});
    }
  }

  void divisors() {
    for (const unsigned scale : {0, 1}) {
      const Big reciprocal = Big::power(kLong * sizes_.fraction(scale) + scale) / q_ + 1;
      words(Division, scale * 2 * sizes_.reciprocal(false), 2 * sizes_.reciprocal(scale), reciprocal);
    }
    rows(Total, total_, log2(sizes_.total), sizes_.sum_words(true));
    rows(Base, q_, 2, sizes_.modulus_words());
    entries_.push_back({Quotient, 0, 0, (Big::power(30 * sizes_.base + 60) / q_).value()});
    words(Modulus, 0, sizes_.modulus_words(), q_);
  }

  void rows(unsigned table, const Big& modulus, unsigned multiples, unsigned count) {
    for (unsigned row = 0; row < multiples; ++row) words(table, row * count, count, modulus << (multiples - 1 - row));
    words(table, multiples * count, count, (modulus + 1) >> 1);
  }

  void powers() {
    const unsigned halves = 2 * sizes_.modulus_words();
    for (unsigned j = 0; j < sizes_.base; ++j) {
      for (unsigned half = 0; half < halves; ++half) {
        const Big power = Big::power(kWord * (half / 2) + half % 2 * kPrime);
        entries_.push_back({Powers, j % kUnits, j / kUnits * halves + half, power.residue(primes_[j])});
      }
    }
  }

  Sizes sizes_;
  std::vector<std::uint64_t> primes_;
  Big q_, total_;
  std::vector<Entry> entries_;
};

/// An integer: a sign and a magnitude.
struct Signed {
  bool negative = false;
  Big magnitude;

  std::uint64_t residue(std::uint64_t prime) const {
    const std::uint64_t rest = magnitude.residue(prime);
    return negative && rest != 0 ? prime - rest : rest;
  }

  /// round(2 x / q) in (-q/2, q/2): q is odd, so nothing is half an integer.
  Signed scaled(const Big& q) const {
    const Big rest = ((magnitude << 2) + q) / (q << 1) % q;
    const bool turns = (q >> 1) < rest;
    return {negative != turns, turns ? q - rest : rest};
  }
};

}  // namespace multiprecision
