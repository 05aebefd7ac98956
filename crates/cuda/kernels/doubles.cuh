// Residues as signed integers in doubles: for GPUs that multiply doubles as fast as integers of 32 bits.
//
// |x| <= 8p with p < 2^50, so every sum is an exact integer of at most 53 bits. A product of |x| <= A p, A <= 4, with
// a centred factor, |w| <= p/2:
//
//     h = fl(x w)              l = x w - h       exact, by fused multiplication
//     k = round(h (1/p))       |x w / p - k| <= 1/2 + A/8: two roundings, of h and of 1/p, of A p/2 2^-53 each
//     r = (h - k p) + l        |r| <= p (1/2 + A/8)
//
// The rounding adds 1.5 2^52 with one more fused multiplication: the sum is between 2^52 and 2^53, because
// |x w / p| < 2^51, so its last bit counts ones. h - k p is a multiple of ulp(h) or of 1, and below 2^53: the fused
// multiplication that computes it does not round, nor does the last sum. These are six operations, where integers
// take more than twenty instructions.
//
// The emulator's bounds (emulator/bounds.hpp) check for every kernel that all magnitudes stay within 8p, and those of
// what is multiplied within 4p.
#pragma once
#include "prime.cuh"

class Doubles {
 public:
  typedef double Value;

  // A fixed factor, centred: one word of a table.
  struct Factor {
    double w;
  };
  static constexpr u32 factor_words = 1;

  DEVICE explicit Doubles(const Prime& prime) : p(prime.p), inverse(prime.inverse) {}

  DEVICE static Factor factor(const u64* table, u32 i) { return {double_of(table[i])}; }

  // A canonical residue: the pattern of 2^52 + x is that of 2^52 plus x.
  DEVICE Value load(u64 word) const { return sum_of(double_of(word | bits_of(two_52)), -two_52); }

  // Any value, made canonical.
  DEVICE u64 store(Value x) const {
    x = tidy(x);
    x = sum_of(x, x < 0 ? p : 0);
    return bits_of(sum_of(x, two_52)) ^ bits_of(two_52);
  }

  // Any value as it is, to be kept in memory between kernels.
  DEVICE static u64 keep(Value x) { return bits_of(x); }
  DEVICE static Value restore(u64 word) { return double_of(word); }

  // The integer that a value is, |x| < 2^53; and a small integer as a value.
  DEVICE static double real(Value x) { return x; }
  DEVICE static Value whole(double x) { return x; }

  DEVICE static Value zero() { return 0; }
  DEVICE static Value add(Value a, Value b) { return sum_of(a, b); }
  DEVICE static Value sub(Value a, Value b) { return sum_of(a, -b); }

  DEVICE Value mul(Value x, Factor factor) const { return product(x, factor.w); }

  // Of canonical residues: a sum of canonical ones, centred, and the other.
  DEVICE Value mul_words(u64 a, u64 b) const {
    double x = load(a);
    x = x + x > p ? sum_of(x, -p) : x;
    return product(load(b), x);
  }

  // To |x| <= p/2 and a little.
  DEVICE Value tidy(Value x) const { return fused(-quotient(x), p, x); }

 private:
  static constexpr double two_52 = 4503599627370496.0;

  double p, inverse;

  // x / p to the nearest integer, or a neighbour.
  DEVICE double quotient(double x) const {
    constexpr double ones = 1.5 * two_52;
    return sum_of(fused(x, inverse, ones), -ones);
  }

  DEVICE Value product(Value x, Value w) const {
    const double high = product_of(x, w);
    const double low = fused(x, w, -high);
    return sum_of(fused(-quotient(high), p, high), low);
  }
};
