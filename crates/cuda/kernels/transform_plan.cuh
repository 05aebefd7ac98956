// Where butterflies have to reduce their inputs: worked out when kernels are compiled.
//
// Every value has a bound known beforehand, so a value is brought to p/2 (`Field::tidy`) only where needed: no sum may
// pass 8p, and nothing that is multiplied 4p. Within trees sums stay within 4p: the next level multiplies half of them,
// and the other half is then reduced together, every fourth level. The bounds are those of doubles.cuh; words.cuh has
// room for more. That the plans are right is seen by running the kernels on bounds (emulator/bounds.hpp).
#pragma once
#include "machine.cuh"

// A bound in units of p / 1024, rounded up.
typedef u32 Magnitude;

constexpr Magnitude UNIT = 1024;
// Of sums, and of what is multiplied.
constexpr Magnitude LIMIT = 8 * UNIT;
constexpr Magnitude PRODUCT_LIMIT = 4 * UNIT;
constexpr Magnitude TIDY = UNIT / 2 + 1;

// Of a value times a centred factor: doubles.cuh.
CONSTANT Magnitude of_product(Magnitude x) { return UNIT / 2 + (x + 7) / 8; }

// The butterflies of a tree of 2^Levels words: level by level from its root, node by node. Butterfly i, counted
// from 0 to 2^(Levels - 1), of a level joins two words of node `node`.
template <u32 Levels>
struct Butterfly {
  u32 node, upper, lower;

  CONSTANT Butterfly(u32 level, u32 i)
      : node(i >> (Levels - 1 - level)),
        upper(i + (node << (Levels - 1 - level))),
        lower(upper + (1u << (Levels - 1 - level))) {}
};

// Which butterflies reduce their upper and their lower input first: bit 8 level + i. Enough for four levels.
struct Plan {
  u32 upper, lower;
  // The largest of the results.
  Magnitude largest;
};

constexpr u32 PLANNED_LEVELS = 4;

CONSTANT u32 plan_bit(u32 level, u32 i) { return 8 * level + i; }

namespace planning {

// Notes which of two inputs have to be reduced, so that their sum is within a limit, and returns its bound.
// `product`: the lower one is multiplied before.
CONSTANT Magnitude add(Plan& plan, u32 bit, Magnitude upper, Magnitude lower, bool product,
                       Magnitude limit) {
  if (product && lower > PRODUCT_LIMIT) {
    plan.lower |= 1u << bit;
    lower = TIDY;
  }
  if (upper + (product ? of_product(lower) : lower) > limit) {
    plan.upper |= 1u << bit;
    upper = TIDY;
  }
  if (upper + (product ? of_product(lower) : lower) > limit) {
    plan.lower |= 1u << bit;
    lower = TIDY;
  }
  return upper + (product ? of_product(lower) : lower);
}

template <u32 Size>
CONSTANT void end(Plan& plan, const Magnitude (&x)[Size]) {
  for (u32 i = 0; i < Size; ++i) plan.largest = x[i] > plan.largest ? x[i] : plan.largest;
}

}  // namespace planning

// For `split` (transform_butterflies.cuh) of inputs up to `in` to results up to `out`. `unit`: the factor of every
// level's node 0 is 1.
template <u32 Levels>
CONSTANT Plan plan_of_splitting(Magnitude in, Magnitude out, bool unit) {
  static_assert(Levels <= PLANNED_LEVELS, "a plan has 32 bits");
  Magnitude x[1 << Levels] = {};
  for (Magnitude& bound : x) bound = in;
  Plan plan = {0, 0, 0};
  for (u32 level = 0; level < Levels; ++level) {
    for (u32 i = 0; i < 1u << (Levels - 1); ++i) {
      const Butterfly<Levels> at(level, i);
      const bool product = !unit || at.node != 0;
      const Magnitude limit = level == Levels - 1 ? out : PRODUCT_LIMIT;
      x[at.upper] = planning::add(plan, plan_bit(level, i), x[at.upper], x[at.lower], product, limit);
      x[at.lower] = x[at.upper];
    }
  }
  planning::end(plan, x);
  return plan;
}

// For `join` of inputs up to `in`: all differences are multiplied.
template <u32 Levels>
CONSTANT Plan plan_of_joining(Magnitude in) {
  static_assert(Levels <= PLANNED_LEVELS, "a plan has 32 bits");
  Magnitude x[1 << Levels] = {};
  for (Magnitude& bound : x) bound = in;
  Plan plan = {0, 0, 0};
  for (u32 level = Levels; level-- > 0;) {
    for (u32 i = 0; i < 1u << (Levels - 1); ++i) {
      const Butterfly<Levels> at(level, i);
      const u32 bit = plan_bit(level, i);
      x[at.upper] = planning::add(plan, bit, x[at.upper], x[at.lower], false, PRODUCT_LIMIT);
      x[at.lower] = of_product(x[at.upper]);
    }
  }
  planning::end(plan, x);
  return plan;
}
