// Sums of products, word by word.
#pragma once
#include "doubles.cuh"
#include "words.cuh"

// Pairs and sums that a launch is given at most; more take several launches.
constexpr u32 MOST_PAIRS = 64;
constexpr u32 MOST_SUMS = 32;

// As `DotParameters` in src/device/products.rs.
struct DotParameters {
  // The pairs of all sums, one sum after the other.
  u64 first[MOST_PAIRS];
  u64 second[MOST_PAIRS];
  // For each pair the limb of its second operand, by the limb of the first: a table of words.
  u64 places[MOST_PAIRS];
  u64 results[MOST_SUMS];
  // A `Prime` for each limb.
  u64 primes;
  // What sums are multiplied with, a factor for each limb; 0 if that is 1.
  u64 multiplier;
  u64 n;
  // Where the pairs of each sum end.
  u32 ends[MOST_SUMS];
  u32 sums;
  // Bit 0: the first sum goes on from its result; bit 1: the last goes on in another launch.
  u32 parts;
};
SIZE(DotParameters, 1952)
FIELD(DotParameters, first, 0)
FIELD(DotParameters, second, 512)
FIELD(DotParameters, places, 1024)
FIELD(DotParameters, results, 1536)
FIELD(DotParameters, primes, 1792)
FIELD(DotParameters, multiplier, 1800)
FIELD(DotParameters, n, 1808)
FIELD(DotParameters, ends, 1816)
FIELD(DotParameters, sums, 1944)
FIELD(DotParameters, parts, 1948)

// Sums of products. Grid: blocks of a limb, limbs.
//
// Memory bound: each operand is read once, 8 bytes a word, by all sums that it is in, since a thread finds it in
// the first-level cache the second time; each result is written once. The three sums of a tensor product read four
// words and write three, 56 bytes or 19 ps on an H100 (3.0e12 bytes/s); their four products take about 50 operations
// on doubles, 4 ps.
template <class Field>
struct Dot {
  static constexpr u32 threads = 256;
  typedef typename Field::Value Value;

  DEVICE static void run(const DotParameters& in, Block& block) {
    const Field field(pointer<const Prime>(in.primes)[block.y()]);
    block.last([&](u32 t) {
      const u32 column = block.x() * threads + t;
      if (column >= in.n) return;
      const u64 i = block.y() * in.n + column;
      for (u32 s = 0; s < in.sums; ++s) {
        u64* result = pointer<u64>(in.results[s]) + i;
        const bool goes_on = s == 0 && (in.parts & 1) != 0;
        Value sum = goes_on ? field.load(fetch(*result)) : Field::zero();
#pragma unroll 4
        for (u32 k = s == 0 ? 0 : in.ends[s - 1]; k < in.ends[s]; ++k) {
          const u64 place = pointer<const u64>(in.places[k])[block.y()];
          const u64 a = fetch(pointer<const u64>(in.first[k])[i]);
          const u64 b = fetch(pointer<const u64>(in.second[k])[place * in.n + column]);
          sum = Field::add(sum, field.mul_words(a, b));
          // Within 8p: a residue or a tidy sum, and eight products.
          if (k % 8 == 7) sum = field.tidy(sum);
        }
        const bool ended = s + 1 < in.sums || (in.parts & 2) == 0;
        if (in.multiplier != 0 && ended) {
          sum = field.mul(field.tidy(sum), Field::factor(pointer<const u64>(in.multiplier), block.y()));
        }
        put(*result, field.store(sum));
      }
    });
  }
};
