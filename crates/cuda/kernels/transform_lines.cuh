// What the transforms of both rings have in common: how lines of words are spread over threads and registers.
//
// A limb of n words is a matrix of R = n / 256 rows of 256 words (one row of n if n < 256). Transforms go down the
// columns in one kernel and along the rows in another one. A line of up to 16 words is one thread's. The words of a
// longer one have two digits, 16 h + l:
//
//     first all h of some l are a thread's registers        then all l of some h
//
// with an exchange through shared memory between. Threads hold 16 words, or 32 where a line has 512: no more than
// 128 registers with everything else.
#pragma once
#include "transform_butterflies.cuh"
#include "prime.cuh"

constexpr u32 ROW = 256;

// Polynomials that a launch is given at most; more take several launches.
constexpr u32 MOST_POLYS = 256;

// As `TransformParameters` in src/device/transforms/mod.rs. Grid: blocks of a limb, limbs, polynomials.
struct TransformParameters {
  // Limb after limb of n words, transformed in place.
  u64 polys[MOST_POLYS];
  // A `Prime` for each limb.
  u64 primes;
  // For each limb the address of its tables.
  u64 tables;
};
SIZE(TransformParameters, 2064)
FIELD(TransformParameters, polys, 0)
FIELD(TransformParameters, primes, 2048)
FIELD(TransformParameters, tables, 2056)

DEVICE u64* limb_of(const TransformParameters& in, const Block& block, u32 n) {
  return pointer<u64>(in.polys[block.z()]) + block.y() * n;
}

DEVICE const Prime& prime_of(const TransformParameters& in, const Block& block) {
  return pointer<const Prime>(in.primes)[block.y()];
}

DEVICE const u64* tables_of(const TransformParameters& in, const Block& block) {
  return pointer<const u64>(pointer<const u64>(in.tables)[block.y()]);
}

CONSTANT u32 log2_of(u32 x) { return x < 2 ? 0 : 1 + log2_of(x / 2); }

// The digits of a line of `Size` words.
template <u32 Size>
struct LineDigits {
  static constexpr u32 low = Size > 16 ? 16 : 1;
  static constexpr u32 high = Size / low;
  // Registers of a thread, and threads of a line.
  static constexpr u32 values = low == 1 || high > 16 ? high : 16;
  static constexpr u32 threads = Size / values;
  // Low digits that a thread has at first, high ones that it has then.
  static constexpr u32 lows = values / high;
  static constexpr u32 highs = values / low;
  static constexpr u32 high_levels = log2_of(high);
  static constexpr u32 low_levels = log2_of(low);

  // The digits of register v of a line's thread g at first, ...
  DEVICE static u32 first_high(u32 v) { return v / lows; }
  DEVICE static u32 first_low(u32 g, u32 v) { return v % lows * threads + g; }
  // ... and then.
  DEVICE static u32 then_high(u32 g, u32 v) { return v / low * threads + g; }
  DEVICE static u32 then_low(u32 v) { return v % low; }
};

// A block's columns: neighbouring threads have neighbouring columns. At least 64 bytes of a row, so that no memory
// is moved that is not needed; 128 to 256 threads.
template <u32 Rows>
struct ColumnTile {
  typedef LineDigits<Rows> Line;
  static constexpr u32 lines = Rows > 256 ? 8 : Line::threads < 8 ? 128 / Line::threads : 16;
  static constexpr u32 threads = lines * Line::threads;
  // Half a warp has the same digits, or two neighbouring ones if it has two times eight columns, which are apart by
  // half the banks for both digits.
  static constexpr u32 apart = lines < 16 ? lines : 0;
  static constexpr u32 words = Line::high * (Line::low * lines + apart);

  DEVICE static u32 line(u32 t) { return t % lines; }
  DEVICE static u32 thread(u32 t) { return t / lines; }
  // In shared memory.
  DEVICE static u32 place(u32 line, u32 high, u32 low) {
    return high * (Line::low * lines + apart) + low * lines + line;
  }
};

// A block's rows: neighbouring threads have one row, which half a warp works on if it has 256 words.
// At most 128 threads.
template <u32 Size, u32 Rows>
struct RowTile {
  typedef LineDigits<Size> Line;
  static constexpr u32 lines = Rows < 8 ? Rows : 8;
  static constexpr u32 threads = lines * Line::threads;
  // A row of shared words has one more than digits: both digits run over all banks.
  static constexpr u32 stride = Line::high * (Line::low + 1);
  static constexpr u32 words = lines * stride;

  DEVICE static u32 line(u32 t) { return t / Line::threads; }
  DEVICE static u32 thread(u32 t) { return t % Line::threads; }
  // In shared memory.
  DEVICE static u32 place(u32 line, u32 high, u32 low) {
    return line * stride + high * (Line::low + 1) + low;
  }
};

