// Magnitudes instead of residues: a proof, by running the very kernels, that `Doubles` is exact in them.
#pragma once
#include "../kernels/prime.cuh"

// The largest magnitude that a value of `Doubles` can have at its place, in units of p. The largest of all must
// stay within 8; `worst` keeps it.
//
// Also counts what `Doubles` would do: sums, products and fused products; comparisons are not counted.
class Bounds {
 public:
  typedef double Value;
  struct Factor {};
  static constexpr u32 factor_words = 1;

  static double& worst() {
    thread_local double largest = 0;
    return largest;
  }

  explicit Bounds(const Prime&) {}

  static Factor factor(const u64*, u32) {
    ++counts.factors;
    return {};
  }
  Value load(u64) const { return seen(1, 1); }
  // Tidied, made positive, and turned into an integer.
  u64 store(Value) const {
    counts.operations += 3 + 1 + 1;
    return 0;
  }
  static u64 keep(Value x) { return bits_of(x); }
  static Value restore(u64 word) { return double_of(word); }
  // Where conversions ask for it they add it up.
  static double real(Value) {
    ++counts.operations;
    return 0;
  }
  static Value whole(double) { return seen(1, 0); }
  static Value zero() { return 0; }
  static Value add(Value a, Value b) { return seen(a + b, 1); }
  static Value sub(Value a, Value b) { return seen(a + b, 1); }
  // What is multiplied must be within 4p: if it is not, that is as if a value were far too large.
  Value mul(Value x, Factor) const { return seen(x <= 4 ? 0.5 + x / 8 : 1000, 6); }
  // Two residues are loaded, and one of them is doubled to be compared, and reduced.
  Value mul_words(u64, u64) const {
    counts.operations += 2 + 2;
    return mul(1, {});
  }
  Value tidy(Value) const { return seen(0.5 + 1e-9, 3); }

 private:
  // What so many operations give.
  static double seen(double bound, u64 operations) {
    counts.operations += operations;
    if (bound > worst()) worst() = bound;
    return bound;
  }
};
