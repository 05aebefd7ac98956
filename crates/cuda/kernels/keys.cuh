// Sums of digits times the elements of a switching key.
#pragma once
#include "doubles.cuh"
#include "map.cuh"
#include "words.cuh"

// Digits that a launch is given at most, and polynomials that are added to a side; more take several launches.
constexpr u32 MOST_ELEMENTS = 40;
constexpr u32 MOST_ADDENDS = 16;

// As `KeySumParameters` in src/device/key_sums.rs.
struct KeySumParameters {
  u64 digits[MOST_ELEMENTS];
  // Both halves of the elements, and for each half the place of every limb in it: a table of words.
  u64 keys[2][MOST_ELEMENTS];
  u64 places[2][MOST_ELEMENTS];
  u64 addends[2][MOST_ADDENDS];
  u64 results[2];
  // A `Prime` for each limb.
  u64 primes;
  // What addends are multiplied with, a factor for each of their limbs.
  u64 raise;
  // What digits times key elements are multiplied with, a factor for each limb; 0 if that is 1.
  u64 scale;
  u64 n;
  Map map;
  u32 count;
  u32 addend_counts[2];
  // The first limbs are those that addends have.
  u32 addend_limbs;
  // Whether the sums go on from what the results hold.
  u32 goes_on;
  u32 unused;
};
SIZE(KeySumParameters, 1944)
FIELD(KeySumParameters, digits, 0)
FIELD(KeySumParameters, keys, 320)
FIELD(KeySumParameters, places, 960)
FIELD(KeySumParameters, addends, 1600)
FIELD(KeySumParameters, results, 1856)
FIELD(KeySumParameters, primes, 1872)
FIELD(KeySumParameters, raise, 1880)
FIELD(KeySumParameters, scale, 1888)
FIELD(KeySumParameters, n, 1896)
FIELD(KeySumParameters, map, 1904)
FIELD(KeySumParameters, count, 1920)
FIELD(KeySumParameters, addend_counts, 1924)
FIELD(KeySumParameters, addend_limbs, 1932)
FIELD(KeySumParameters, goes_on, 1936)
FIELD(KeySumParameters, unused, 1940)

// Both sums, moved by an automorphism. Grid: blocks of a limb, limbs.
//
// Memory bound: of k digits and the key 3k words are read, 2 are written, and the addends read: with 3 digits and an
// addend for each side 104 bytes or 35 ps a column and limb on an H100 (3.0e12 bytes/s). Each digit is read once for
// both sides. Six products take about 80 operations on doubles, 6 ps.
template <class Field>
struct KeySum {
  static constexpr u32 threads = 256;
  typedef typename Field::Value Value;

  DEVICE static void run(const KeySumParameters& in, Block& block) {
    const u32 limb = block.y();
    const Field field(pointer<const Prime>(in.primes)[limb]);
    block.last([&](u32 t) {
      const u32 column = block.x() * threads + t;
      if (column >= in.n) return;
      const u32 source = in.map.source(column);
      const u64 i = limb * in.n + column, from = limb * in.n + source;
      u64 *b = pointer<u64>(in.results[0]) + i, *a = pointer<u64>(in.results[1]) + i;
      Value first = Field::zero(), second = Field::zero();
#pragma unroll 4
      for (u32 k = 0; k < in.count; ++k) {
        const u64 digit = fetch(pointer<const u64>(in.digits[k])[from]);
        first = Field::add(first, field.mul_words(key(in, 0, k, limb, source), digit));
        second = Field::add(second, field.mul_words(key(in, 1, k, limb, source), digit));
        // Within 8p: a residue or a tidy sum, and eight products.
        if (k % 8 == 7) {
          first = field.tidy(first);
          second = field.tidy(second);
        }
      }
      if (in.scale != 0 && in.count != 0) {
        first = field.mul(field.tidy(first), Field::factor(pointer<const u64>(in.scale), limb));
        second = field.mul(field.tidy(second), Field::factor(pointer<const u64>(in.scale), limb));
      }
      if (in.goes_on != 0) {
        first = Field::add(first, field.load(fetch(*b)));
        second = Field::add(second, field.load(fetch(*a)));
      }
      put(*b, field.store(Field::add(first, raised(in, field, 0, limb, from))));
      put(*a, field.store(Field::add(second, raised(in, field, 1, limb, from))));
    });
  }

 private:
  DEVICE static u64 key(const KeySumParameters& in, u32 side, u32 k, u32 limb, u32 column) {
    const u64 place = pointer<const u64>(in.places[side][k])[limb];
    return fetch(pointer<const u64>(in.keys[side][k])[place * in.n + column]);
  }

  // The addends of a side, times what raises them.
  DEVICE static Value raised(const KeySumParameters& in, const Field& field, u32 side, u32 limb, u64 at) {
    if (limb >= in.addend_limbs || in.addend_counts[side] == 0) return Field::zero();
    Value sum = Field::zero();
    for (u32 k = 0; k < in.addend_counts[side]; ++k) {
      sum = field.tidy(Field::add(sum, field.load(fetch(pointer<const u64>(in.addends[side][k])[at]))));
    }
    return field.mul(sum, Field::factor(pointer<const u64>(in.raise), limb));
  }
};
