// Operations on each word by itself.
#pragma once
#include "doubles.cuh"
#include "words.cuh"

// Polynomials that a launch is given at most; more take several launches.
constexpr u32 MOST_TERMS = 64;

// As `SumParameters` in src/device/linear.rs.
struct SumParameters {
  u64 terms[MOST_TERMS];
  u64 result;
  // A `Prime` for each limb.
  u64 primes;
  u64 n;
  u32 count;
  // Bit i: whether term i is subtracted.
  u32 unused;
  u64 negative;
};
SIZE(SumParameters, 552)
FIELD(SumParameters, terms, 0)
FIELD(SumParameters, result, 512)
FIELD(SumParameters, primes, 520)
FIELD(SumParameters, n, 528)
FIELD(SumParameters, count, 536)
FIELD(SumParameters, unused, 540)
FIELD(SumParameters, negative, 544)

// result = the sum of the terms, some of them negative. Grid: blocks of a limb, limbs.
template <class Field>
struct Sum {
  static constexpr u32 threads = 256;

  DEVICE static void run(const SumParameters& in, Block& block) {
    const Prime& prime = pointer<const Prime>(in.primes)[block.y()];
    const Field field(prime);
    block.last([&](u32 t) {
      const u64 i = block.y() * in.n + block.x() * threads + t;
      if (block.x() * threads + t >= in.n) return;
      typename Field::Value sum = Field::zero();
      for (u32 k = 0; k < in.count; ++k) {
        const typename Field::Value term = field.load(fetch(pointer<const u64>(in.terms[k])[i]));
        sum = in.negative >> k & 1 ? Field::sub(sum, term) : Field::add(sum, term);
        if (k % 4 == 3) sum = field.tidy(sum);
      }
      put(pointer<u64>(in.result)[i], field.store(sum));
    });
  }
};
