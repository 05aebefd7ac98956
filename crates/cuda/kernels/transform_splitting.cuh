// Splitting and joining the digits of lines in registers.
#pragma once
#include "transform_lines.cuh"

// Splits all high digits of a thread: trees from the node `root` on, where `factor(root, level, node)` belongs to
// node `node` of level `level` below a root. With `Pairs` the first level is done by itself: where there are five,
// or where it is no level of a tree, but a dimension of two.
template <class Line, bool Pairs, bool Unit, Magnitude In, Magnitude Out, class Field, class Factor>
DEVICE void split_high(const Field& field, Registers<typename Field::Value, Line::values>& x, u32 root,
                       Factor factor) {
  constexpr u32 lows = Line::lows;
  if constexpr (Pairs) {
    constexpr u32 half = Line::values / 2;
    constexpr Magnitude middle = plan_of_splitting<1>(In, LIMIT, Unit).largest;
#pragma unroll
    for (u32 i = 0; i < half; ++i) {
      split<1, Unit, In, LIMIT>(field, x, i, half, [&](u32 level, u32 node) { return factor(root, level, node); });
    }
#pragma unroll
    for (u32 i = 0; i < 2 * lows; ++i) {
      const u32 side = i / lows;
      split<Line::high_levels - 1, Unit, middle, Out>(
          field, x, side * half + i % lows, lows,
          [&](u32 level, u32 node) { return factor(2 * root + side, level, node); });
    }
  } else {
#pragma unroll
    for (u32 i = 0; i < lows; ++i) {
      split<Line::high_levels, Unit, In, Out>(
          field, x, i, lows, [&](u32 level, u32 node) { return factor(root, level, node); });
    }
  }
}

// The bound of its results.
template <class Line, bool Pairs, bool Unit>
CONSTANT Magnitude after_splitting_high(Magnitude in, Magnitude out) {
  if constexpr (Pairs) {
    const Magnitude middle = plan_of_splitting<1>(in, LIMIT, Unit).largest;
    return plan_of_splitting<Line::high_levels - 1>(middle, out, Unit).largest;
  } else {
    return plan_of_splitting<Line::high_levels>(in, out, Unit).largest;
  }
}

// Splits all low digits of a thread; `factor(i, level, node)` belongs to its i-th high digit.
template <class Line, bool Unit, Magnitude In, Magnitude Out, class Field, class Factor>
DEVICE void split_low(const Field& field, Registers<typename Field::Value, Line::values>& x, Factor factor) {
#pragma unroll
  for (u32 i = 0; i < Line::highs; ++i) {
    split<Line::low_levels, Unit, In, Out>(
        field, x, i * Line::low, 1, [&](u32 level, u32 node) { return factor(i, level, node); });
  }
}

// The inverse of `split_low`.
template <class Line, Magnitude In, class Field, class Factor>
DEVICE void join_low(const Field& field, Registers<typename Field::Value, Line::values>& x, Factor factor) {
#pragma unroll
  for (u32 i = 0; i < Line::highs; ++i) {
    join<Line::low_levels, false, In>(field, x, i * Line::low, 1,
                                      [&](u32 level, u32 node) { return factor(i, level, node); }, {});
  }
}

// The inverse of `split_high`; with `Scaled` its last level multiplies as `join` does.
template <class Line, bool Pairs, bool Scaled, Magnitude In, class Field, class Factor>
DEVICE void join_high(const Field& field, Registers<typename Field::Value, Line::values>& x, u32 root,
                      Factor factor, typename Field::Factor scale) {
  constexpr u32 lows = Line::lows;
  if constexpr (Pairs) {
    constexpr u32 half = Line::values / 2;
    constexpr Magnitude middle = plan_of_joining<Line::high_levels - 1>(In).largest;
#pragma unroll
    for (u32 i = 0; i < 2 * lows; ++i) {
      const u32 side = i / lows;
      join<Line::high_levels - 1, false, In>(
          field, x, side * half + i % lows, lows,
          [&](u32 level, u32 node) { return factor(2 * root + side, level, node); }, {});
    }
#pragma unroll
    for (u32 i = 0; i < half; ++i) {
      join<1, Scaled, middle>(
          field, x, i, half, [&](u32 level, u32 node) { return factor(root, level, node); }, scale);
    }
  } else {
#pragma unroll
    for (u32 i = 0; i < lows; ++i) {
      join<Line::high_levels, Scaled, In>(
          field, x, i, lows, [&](u32 level, u32 node) { return factor(root, level, node); }, scale);
    }
  }
}

// The bound of its results.
template <class Line, bool Pairs>
CONSTANT Magnitude after_joining_high(Magnitude in) {
  if constexpr (Pairs) {
    return plan_of_joining<1>(plan_of_joining<Line::high_levels - 1>(in).largest).largest;
  } else {
    return plan_of_joining<Line::high_levels>(in).largest;
  }
}
