// Exact conversions from one basis to another, disjoint one.
#pragma once
#include "columns.cuh"

// Conversions of a launch at most; more take several launches.
constexpr u32 MOST_JOBS = 32;
// Targets that a thread computes together: each y_i is read once for them.
constexpr u32 TOGETHER = 2;

// As `Job` in src/device/conversion/launch.rs.
struct Job {
  Source source;
  u64 to;
  // The place of each target limb in `to`, in limbs.
  u64 to_places;
  // A `Prime` for each.
  u64 primes;
  // Factors: for every TOGETHER targets and each source one for each of these targets; the last target fills up.
  u64 weights;
  // The factor of v for each target.
  u64 turns;
  // What a division starts from, or 0; the places of its limbs, or none; and the factor for each target.
  u64 own;
  u64 own_places;
  u64 own_factors;
  u32 targets;
  u32 unused;
};
SIZE(Job, 120)
FIELD(Job, source, 0)
FIELD(Job, to, 48)
FIELD(Job, to_places, 56)
FIELD(Job, primes, 64)
FIELD(Job, weights, 72)
FIELD(Job, turns, 80)
FIELD(Job, own, 88)
FIELD(Job, own_places, 96)
FIELD(Job, own_factors, 104)
FIELD(Job, targets, 112)
FIELD(Job, unused, 116)

// As `ConvertParameters` in src/device/conversion/launch.rs.
struct ConvertParameters {
  Job jobs[MOST_JOBS];
  u64 n;
  // Blocks that share the targets of a column.
  u32 shares;
  u32 unused;
};
SIZE(ConvertParameters, 3856)
FIELD(ConvertParameters, jobs, 0)
FIELD(ConvertParameters, n, 3840)
FIELD(ConvertParameters, shares, 3848)
FIELD(ConvertParameters, unused, 3852)

// The place of a limb that there is not.
constexpr u64 NOWHERE = ~0ULL;

// to_j = own factor * own_j + turn * v + sum_i weight_ij y_i for every target j. Grid: blocks of columns, shares of the
// targets, jobs.
//
// On an H100, for S sources, T targets and a column: 8 S + T (7.4 S + 12) operations on doubles and 8 (S + T) bytes, for
// divisions T 8 more of both. Sources modulo small primes and targets modulo large ones, or the other way round, do no
// harm: the bound of products (doubles.cuh) holds for factors of A 2^50 whatever the prime.
template <class Field, u32 Most>
struct Convert {
  static constexpr u32 threads = COLUMNS * GROUPS;
  typedef typename Field::Value Value;

  DEVICE static void run(const ConvertParameters& in, Block& block) {
    const Job& job = in.jobs[block.z()];
    Columns<Field, Most> columns(block);
    block.phase([&](u32 t) {
      const u64 column = block.x() * COLUMNS + t % COLUMNS;
      if (column < in.n) columns.prepare(job.source, in.n, column, t);
    });
    block.last([&](u32 t) {
      const u64 column = block.x() * COLUMNS + t % COLUMNS;
      u32 first = TOGETHER * (block.y() * GROUPS + t / COLUMNS);
      if (column >= in.n || first >= job.targets) return;
      const double turns = columns.nearest(job.source, t);
      for (; first < job.targets; first += TOGETHER * GROUPS * in.shares) {
        combine(in, job, columns, column, t, turns, first);
      }
    });
  }

  // TOGETHER targets from this one; beyond the last it is the last again.
  DEVICE static void combine(const ConvertParameters& in, const Job& job, Columns<Field, Most>& columns,
                             u64 column, u32 t, double turns, u32 first) {
    Registers<Value, TOGETHER> sums;
    const Field fields[TOGETHER] = {Field(prime(job, first)), Field(prime(job, first + 1))};
#pragma unroll
    for (u32 k = 0; k < TOGETHER; ++k) {
      const u32 j = target(job, first + k);
      sums[k] = fields[k].mul(Field::whole(turns), Field::factor(pointer<const u64>(job.turns), j));
      if (job.own != 0) sums[k] = Field::add(sums[k], own(in, job, fields[k], column, j));
    }
    const u64* weights = pointer<const u64>(job.weights) + u64(first) * job.source.count * Field::factor_words;
    // Four products at a time: more would not fit in the registers that full occupancy leaves.
#pragma unroll 2
    for (u32 i = 0; i < job.source.count; ++i) {
      const Value y = columns.factor(i, t);
#pragma unroll
      for (u32 k = 0; k < TOGETHER; ++k) {
        const Value term = fields[k].mul(y, Field::factor(weights, TOGETHER * i + k));
        sums[k] = Field::add(sums[k], term);
        if (i % 8 == 7) sums[k] = fields[k].tidy(sums[k]);
      }
    }
#pragma unroll
    for (u32 k = 0; k < TOGETHER; ++k) {
      const u64 place = pointer<const u64>(job.to_places)[target(job, first + k)];
      put(pointer<u64>(job.to)[place * in.n + column], fields[k].store(sums[k]));
    }
  }

  DEVICE static u32 target(const Job& job, u32 j) { return j < job.targets ? j : job.targets - 1; }

  DEVICE static const Prime& prime(const Job& job, u32 j) {
    return pointer<const Prime>(job.primes)[target(job, j)];
  }

  // What a division starts from.
  DEVICE static Value own(const ConvertParameters& in, const Job& job, const Field& field, u64 column,
                          u32 j) {
    const u64 place = pointer<const u64>(job.own_places)[j];
    if (place == NOWHERE) return Field::zero();
    const u64 word = fetch(pointer<const u64>(job.own)[place * in.n + column]);
    return field.mul(field.load(word), Field::factor(pointer<const u64>(job.own_factors), j));
  }
};
