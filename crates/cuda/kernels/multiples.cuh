// Multiples of polynomials over other bases.
#pragma once
#include "convert.cuh"

// Polynomials of a launch at most.
constexpr u32 MOST_MULTIPLES = 64;

// As `MultiplesParameters` in src/device/conversion/multiples.rs.
struct MultiplesParameters {
  u64 from[MOST_MULTIPLES];
  u64 to[MOST_MULTIPLES];
  // The place of each limb of a result in what it is made from, or none.
  u64 places;
  // A `Prime` and a factor for each.
  u64 primes;
  u64 factors;
  u64 n;
};
SIZE(MultiplesParameters, 1056)
FIELD(MultiplesParameters, from, 0)
FIELD(MultiplesParameters, to, 512)
FIELD(MultiplesParameters, places, 1024)
FIELD(MultiplesParameters, primes, 1032)
FIELD(MultiplesParameters, factors, 1040)
FIELD(MultiplesParameters, n, 1048)

// to = factor * from, or to + factor * from if `Added`; limbs that are not in `from` count as 0. Grid: blocks of a limb,
// limbs, polynomials.
//
// On an H100 it is bound by memory: 16 or 24 bytes a word.
template <class Field, bool Added>
struct Multiples {
  static constexpr u32 threads = 256;

  DEVICE static void run(const MultiplesParameters& in, Block& block) {
    block.last([&](u32 t) {
      const u64 column = u64(block.x()) * threads + t;
      const u64 place = pointer<const u64>(in.places)[block.y()];
      if (column >= in.n || (Added && place == NOWHERE)) return;
      const Field field(pointer<const Prime>(in.primes)[block.y()]);
      u64& word = pointer<u64>(in.to[block.z()])[block.y() * in.n + column];
      typename Field::Value sum = Field::zero();
      if (place != NOWHERE) {
        const auto factor = Field::factor(pointer<const u64>(in.factors), block.y());
        const u64 from = fetch(pointer<const u64>(in.from[block.z()])[place * in.n + column]);
        sum = field.mul(field.load(from), factor);
      }
      if (Added) sum = Field::add(sum, field.load(fetch(word)));
      put(word, field.store(sum));
    });
  }
};
