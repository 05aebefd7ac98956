// Columns of residues on their way to other primes: Chinese remaindering (Halevi, Polyakov, Shoup, ePrint 2018/117,
// sec. 2.2).
//
// For D the product of the source primes p_i, x an integer with residues x_i and t a multiplier let
//
//     y_i = t x_i (D/p_i)^-1 modulo p_i, any representative, |y_i| < 7/2 p_i
//
// Then t x = sum_i y_i D/p_i - v D modulo D for every v, and sum_i y_i / p_i says which v makes it the
// representative that is wanted. That fraction is summed in doubles. It has at most 128 terms of magnitude 7/2, each
// wrong by at most 7/2 2^-53 because 1/p_i is, and 132 sums with those of groups of threads, each below 2^9 and wrong
// by at most 2^-45: in all that is below 2^-44 + 132 2^-45 < 2^-37. Where it could decide, with a margin of 2, the sign
// of an integer of many words decides.
#pragma once
#include "doubles.cuh"
#include "words.cuh"

// Columns of a block: neighbours in memory, one for each thread of a warp.
constexpr u32 COLUMNS = 32;
// Threads that share a column, in different warps: what is the same for all columns is one address in a warp.
constexpr u32 GROUPS = 4;
// Sources that there are at most, and commonly.
constexpr u32 MOST_SOURCES = 128;
constexpr u32 FEW_SOURCES = 40;

// Limbs that are converted. As `Source` in src/device/conversion/source.rs.
struct Source {
  u64 words;
  // The place of each source limb in `words`, in limbs.
  u64 places;
  // A `Prime` for each.
  u64 primes;
  // t (D/p_i)^-1: a factor for each.
  u64 scale;
  // For each of the `width` words of D, from the lowest, that of every D/p_i and of D.
  u64 cofactors;
  u32 count;
  u32 width;
};
SIZE(Source, 48)
FIELD(Source, words, 0)
FIELD(Source, places, 8)
FIELD(Source, primes, 16)
FIELD(Source, scale, 24)
FIELD(Source, cofactors, 32)
FIELD(Source, count, 40)
FIELD(Source, width, 44)

// An integer of many words, made from the lowest to the highest.
class LongSum {
 public:
  // a b is added at the present word. With |a| < 2^53 and at most 130 terms the sum of a word and of what was
  // carried is below 2^126.
  DEVICE void add(i64 a, u64 b) {
    const u64 x = static_cast<u64>(a) * b;
    const u64 top = high_product(static_cast<u64>(a), b) - (a < 0 ? b : 0);
    low += x;
    high += static_cast<i64>(top + (low < x));
  }

  // The present word, which is complete; the rest is carried to the next.
  DEVICE u64 next() {
    const u64 word = low;
    low = static_cast<u64>(high);
    high >>= 63;
    return word;
  }

  // What is left: below 2^62 in magnitude.
  DEVICE i64 carry() const { return static_cast<i64>(low); }

 private:
  u64 low = 0;
  i64 high = 0;
};

// The columns of a block.
template <class Field, u32 Most>
class Columns {
 public:
  DEVICE explicit Columns(Block& block)
      : factors(block.shared<u64, Most * COLUMNS>()), fractions(block.shared<double, GROUPS * COLUMNS>()) {}

  // The y_i of thread t's group in its column, which is `column` of n: a phase of its own.
  //
  // On an H100, for each source and column: 8 bytes, and 8 operations on doubles.
  DEVICE void prepare(const Source& source, u64 n, u64 column, u32 t) {
    double fraction = 0;
    for (u32 i = t / COLUMNS; i < source.count; i += GROUPS) {
      const Prime& prime = pointer<const Prime>(source.primes)[i];
      const Field field(prime);
      const u64 place = pointer<const u64>(source.places)[i];
      const u64 word = fetch(pointer<const u64>(source.words)[place * n + column]);
      const auto factor = Field::factor(pointer<const u64>(source.scale), i);
      const typename Field::Value y = field.mul(field.load(word), factor);
      factors.set(i * COLUMNS + t % COLUMNS, Field::keep(y));
      fraction = fused(Field::real(y), prime.inverse, fraction);
    }
    fractions.set(t, fraction);
  }

  // y_i of thread t's column, in later phases; so all below.
  DEVICE typename Field::Value factor(u32 i, u32 t) {
    return Field::restore(factors.get(i * COLUMNS + t % COLUMNS));
  }

  DEVICE i64 whole_factor(u32 i, u32 t) { return static_cast<i64>(Field::real(factor(i, t))); }

  // The v of the representative in (-D/2, D/2): the integer next to the fraction. D is odd, so the fraction is no
  // half.
  DEVICE double nearest(const Source& source, u32 t) {
    const double sum = fraction(t);
    const double near = rounded(sum), off = sum_of(sum, -near);
    if (off < 0.5 - DOUBT && off > DOUBT - 0.5) return near;
    const double below = off > 0 ? near : sum_of(near, -1);
    return reaches(source, 2 * static_cast<i64>(below) + 1, t) ? sum_of(below, 1) : below;
  }

  // The v of the representative in [0, D): the integer below the fraction, or the fraction itself.
  DEVICE double below(const Source& source, u32 t) {
    const double sum = fraction(t);
    const double near = rounded(sum), off = sum_of(sum, -near);
    if (off >= DOUBT) return near;
    if (off <= -DOUBT) return sum_of(near, -1);
    return reaches(source, 2 * static_cast<i64>(near), t) ? near : sum_of(near, -1);
  }

 private:
  static constexpr double DOUBT = 1.0 / 68719476736.0;

  Shared<u64> factors;
  Shared<double> fractions;

  // sum_i y_i / p_i
  DEVICE double fraction(u32 t) {
    double sum = 0;
    for (u32 group = 0; group < GROUPS; ++group) {
      sum = sum_of(sum, fractions.get(group * COLUMNS + t % COLUMNS));
    }
    return sum;
  }

  // The nearest integer of a small number.
  DEVICE static double rounded(double x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 2^52
    return sum_of(sum_of(x, magic), -magic);
  }

  // Whether the fraction is at least half this number, exactly: the sign of sum_i 2 y_i D/p_i - halves D. It is seldom
  // asked for: few registers count, not time.
  DEVICE bool reaches(const Source& source, i64 halves, u32 t) {
    LongSum sum;
    const u64* cofactors = pointer<const u64>(source.cofactors);
#pragma unroll 1
    for (u32 j = 0; j < source.width; ++j) {
#pragma unroll 1
      for (u32 i = 0; i < source.count; ++i) sum.add(2 * whole_factor(i, t), *cofactors++);
      sum.add(-halves, *cofactors++);
      sum.next();
    }
    return sum.carry() >= 0;
  }
};
