// Butterflies on words in registers.
//
// A tree of factors: its root is x^M - z^2, whose halves are x^(M/2) - z and x^(M/2) + z, and so on down to degree
// 1. Splitting leaves the remainders modulo the leaves, in place; joining is its inverse up to a factor M. All loops
// have constant lengths, so that registers are known when kernels are compiled.
#pragma once
#include "transform_plan.cuh"

// The words first, first + step, ... of `x`, 2^Levels of them, from bounds `In` to at most `Out`. `factor(level,
// node)` is z of a node; with `Unit` it is 1 for node 0 of all levels and not asked for.
template <u32 Levels, bool Unit, Magnitude In, Magnitude Out, class Field, u32 Size, class Factor>
DEVICE void split(const Field& field, Registers<typename Field::Value, Size>& x, u32 first, u32 step,
                  Factor factor) {
  constexpr Plan plan = plan_of_splitting<Levels>(In, Out, Unit);
#pragma unroll
  for (u32 level = 0; level < Levels; ++level) {
#pragma unroll
    for (u32 i = 0; i < 1u << (Levels - 1); ++i) {
      const Butterfly<Levels> at(level, i);
      typename Field::Value u = x[first + at.upper * step];
      typename Field::Value v = x[first + at.lower * step];
      if (plan.upper >> plan_bit(level, i) & 1) u = field.tidy(u);
      if (plan.lower >> plan_bit(level, i) & 1) v = field.tidy(v);
      if (!Unit || at.node != 0) v = field.mul(v, factor(level, at.node));
      x[first + at.upper * step] = Field::add(u, v);
      x[first + at.lower * step] = Field::sub(u, v);
    }
  }
}

// The inverse up to a factor 2^Levels: `factor` gives inverses. With `Scaled` the root's results are multiplied by
// a constant: its sums by `scale`, its differences by a factor that holds it already.
template <u32 Levels, bool Scaled, Magnitude In, class Field, u32 Size, class Factor>
DEVICE void join(const Field& field, Registers<typename Field::Value, Size>& x, u32 first, u32 step,
                 Factor factor, typename Field::Factor scale) {
  constexpr Plan plan = plan_of_joining<Levels>(In);
#pragma unroll
  for (u32 rising = 0; rising < Levels; ++rising) {
    const u32 level = Levels - 1 - rising;
#pragma unroll
    for (u32 i = 0; i < 1u << (Levels - 1); ++i) {
      const Butterfly<Levels> at(level, i);
      typename Field::Value u = x[first + at.upper * step];
      typename Field::Value v = x[first + at.lower * step];
      if (plan.upper >> plan_bit(level, i) & 1) u = field.tidy(u);
      if (plan.lower >> plan_bit(level, i) & 1) v = field.tidy(v);
      const typename Field::Value sum = Field::add(u, v);
      x[first + at.upper * step] = Scaled && level == 0 ? field.mul(sum, scale) : sum;
      x[first + at.lower * step] = field.mul(Field::sub(u, v), factor(level, at.node));
    }
  }
}

// x, below 2^bits with bits <= 4, with its bits reversed.
CONSTANT u32 reversed(u32 x, u32 bits) {
  return ((x & 1) << 3 | (x & 2) << 1 | (x & 4) >> 1 | (x & 8) >> 3) >> (4 - bits);
}
