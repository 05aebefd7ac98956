// Automorphisms as maps of indices, computed from a few constants: `Automorphism` of the ring, word by word.
#pragma once
#include "prime.cuh"

// As `Map` in src/device/automorphism.rs.
struct Map {
  enum : u32 { IDENTITY, LOGARITHMS, VALUES, SIGNED };

  u32 kind;
  u32 log_n;
  // LOGARITHMS: the logarithms that are added; VALUES: the exponent; SIGNED: its inverse modulo 2n.
  u32 factor;
  // LOGARITHMS: the highest bit of each logarithm in an index.
  u32 tops;

  // Where the word at index i of the result comes from.
  DEVICE u32 source(u32 i) const {
    switch (kind) {
      case LOGARITHMS: return sum_of_logarithms(i);
      case VALUES: return position(exponent(i) * factor);
      case SIGNED: return (i * factor) & ((1u << log_n) - 1);
      default: return i;
    }
  }

  // Whether that word comes with the sign of x^n = -1.
  DEVICE bool negates(u32 i) const { return kind == SIGNED && ((i * factor) >> log_n & 1) != 0; }

 private:
  // Fermat rings: an index holds one logarithm for each prime factor, and the orders of all groups are powers of 2.
  // Each sum is taken modulo its order: no carry leaves a highest bit.
  DEVICE u32 sum_of_logarithms(u32 i) const {
    return ((i & ~tops) + (factor & ~tops)) ^ ((i ^ factor) & tops);
  }

  // x^n + 1: the value at position i belongs to the exponent 2 brv(swap(i)) + 1 (`NegacyclicRing`), which is made
  // of the number of the tile of 64 values, reversed, below the place in the tile.
  DEVICE u32 exponent(u32 i) const {
    const u32 index = in_tile(i % 64) << (log_n - 6) | reversed_tile(i / 64);
    return 2 * index + 1;
  }

  // The position of an odd exponent, modulo 2n.
  DEVICE u32 position(u32 odd) const {
    const u32 index = odd / 2 & ((1u << log_n) - 1);
    return reversed_tile(index & ((1u << (log_n - 6)) - 1)) * 64 + in_tile(index >> (log_n - 6));
  }

  // log_n - 6 bits reversed; none of no bits.
  DEVICE u32 reversed_tile(u32 tile) const { return reversed(tile) >> 1 >> (37 - log_n); }

  // Each half of six bits reversed.
  DEVICE static u32 in_tile(u32 i) {
    const u32 all = reversed(i) >> 26;
    return (all & 7) << 3 | all >> 3;
  }
};
SIZE(Map, 16)
FIELD(Map, kind, 0)
FIELD(Map, log_n, 4)
FIELD(Map, factor, 8)
FIELD(Map, tops, 12)
