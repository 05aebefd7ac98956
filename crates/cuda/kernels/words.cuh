// Residues as signed integers of 64 bits: for GPUs on which doubles are slow.
//
// A product with a fixed factor w and its companion c = floor(w 2^64 / q), for |x| < 2^63:
//
//     k = floor((x + 2^63) c / 2^64) - floor(c / 2)    so that only words without a sign are multiplied; the product of
//                                                      the low halves is left out, and the other two are cut off
//     r = x w - k q                                    -1 < x w / q - k < 7/2, so |r| < 7/2 q; computed modulo 2^64
//
// Sums of 2^13 residues do not overflow. What stays within the bounds of doubles (doubles.cuh) does so here, because
// products are below 7/2 q here and at least q/2 there, and there is room for a thousand times as much.
#pragma once
#include "prime.cuh"

class Words {
 public:
  typedef i64 Value;

  // A fixed factor and its companion: two words of a table.
  struct Factor {
    u64 w;
    u64 companion;
  };
  static constexpr u32 factor_words = 2;

  DEVICE explicit Words(const Prime& prime)
      : q(prime.q), ratio(prime.ratio), shift(static_cast<u32>(prime.shift)), aligned(prime.aligned) {}

  DEVICE static Factor factor(const u64* table, u32 i) {
    return {table[2 * i], table[2 * i + 1]};
  }

  DEVICE Value load(u64 word) const { return static_cast<i64>(word); }

  // Any value, made canonical.
  DEVICE u64 store(Value x) const {
    const u64 word = static_cast<u64>(tidy(x));
    return word >= q ? word - q : word;
  }

  // Any value as it is, to be kept in memory between kernels.
  DEVICE static u64 keep(Value x) { return static_cast<u64>(x); }
  DEVICE static Value restore(u64 word) { return static_cast<i64>(word); }

  // The integer that a value is, |x| < 2^53; and a small integer as a value.
  DEVICE static double real(Value x) { return static_cast<double>(x); }
  DEVICE static Value whole(double x) { return static_cast<Value>(x); }

  DEVICE static Value zero() { return 0; }
  DEVICE static Value add(Value a, Value b) { return a + b; }
  DEVICE static Value sub(Value a, Value b) { return a - b; }

  DEVICE Value mul(Value x, Factor factor) const {
    const u64 word = static_cast<u64>(x);
    const u32 low = static_cast<u32>(word), high = static_cast<u32>(word >> 32) ^ 1u << 31;
    const u32 companion_low = static_cast<u32>(factor.companion);
    const u64 companion_high = factor.companion >> 32;
    const u64 middle = (u64(high) * companion_low >> 32) + (low * companion_high >> 32);
    const u64 k = high * companion_high + middle - (factor.companion >> 1);
    return rest(word * factor.w, static_cast<i64>(k));
  }

  // Of canonical residues, by Barrett's reduction: in [0, 4q).
  DEVICE Value mul_words(u64 a, u64 b) const {
    const u64 low = a * b;
    const u64 top = low >> shift | high_product(a, b) << (64 - shift);
    return rest(low, static_cast<i64>(high_product(top, aligned)));
  }

  // To [0, 2q). x ratio / 2^64 is nearer to 0 than x / q, by less than 1/2: for a negative x its floor may be one too
  // large.
  DEVICE Value tidy(Value x) const {
    return rest(static_cast<u64>(x), high_product(x, static_cast<i64>(ratio)) + (x >> 63));
  }

 private:
  u64 q, ratio;
  u32 shift;
  u64 aligned;

  // x - k q
  DEVICE Value rest(u64 x, i64 k) const { return static_cast<i64>(x - static_cast<u64>(k) * q); }
};
