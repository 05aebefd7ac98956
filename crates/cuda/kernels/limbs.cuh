// Limbs copied and moved.
#pragma once
#include "map.cuh"

// Limbs that a launch copies at most.
constexpr u32 MOST_COPIES = 120;

// As `CopyParameters` in src/device/limbs.rs.
struct CopyParameters {
  u64 from[MOST_COPIES];
  u64 to[MOST_COPIES];
  u64 n;
};
SIZE(CopyParameters, 1928)
FIELD(CopyParameters, from, 0)
FIELD(CopyParameters, to, 960)
FIELD(CopyParameters, n, 1920)

// Copies limbs from anywhere to anywhere. Grid: blocks of a limb, limbs. Memory bound: 16 bytes a word, which is
// 5.3 ps on an H100 (3.0e12 bytes/s).
struct Copy {
  static constexpr u32 threads = 256;

  DEVICE static void run(const CopyParameters& in, Block& block) {
    const u64* from = pointer<const u64>(in.from[block.y()]);
    u64* to = pointer<u64>(in.to[block.y()]);
    block.last([&](u32 t) {
      const u32 i = block.x() * threads + t;
      if (i < in.n) put(to[i], fetch(from[i]));
    });
  }
};

// As `MoveParameters` in src/device/automorphism.rs.
struct MoveParameters {
  u64 from;
  u64 to;
  // A `Prime` for each limb.
  u64 primes;
  u64 n;
  Map map;
};
SIZE(MoveParameters, 48)
FIELD(MoveParameters, from, 0)
FIELD(MoveParameters, to, 8)
FIELD(MoveParameters, primes, 16)
FIELD(MoveParameters, n, 24)
FIELD(MoveParameters, map, 32)

// The automorphism of a polynomial. Grid: blocks of a limb, limbs. Memory bound, 16 bytes a word: what neighbouring
// threads read lies together but for coefficients of x^n + 1, and a limb of those stays in the second-level cache.
template <class Field>
struct Move {
  static constexpr u32 threads = 256;

  DEVICE static void run(const MoveParameters& in, Block& block) {
    const Field field(pointer<const Prime>(in.primes)[block.y()]);
    const u64* from = pointer<const u64>(in.from) + block.y() * in.n;
    u64* to = pointer<u64>(in.to) + block.y() * in.n;
    block.last([&](u32 t) {
      const u32 i = block.x() * threads + t;
      if (i >= in.n) return;
      const u64 word = fetch(from[in.map.source(i)]);
      put(to[i], in.map.negates(i) ? field.store(Field::sub(Field::zero(), field.load(word))) : word);
    });
  }
};
