// Digits in base 2^bits of the representative in [0, q).
#pragma once
#include "columns.cuh"

// As `IntegersParameters` in src/device/conversion/words.rs.
struct IntegersParameters {
  Source source;
  // An integer that is added to every one: as many words as are made.
  u64 offset;
  // Word j of column c at j n + c.
  u64 to;
  u64 n;
  u32 words;
  u32 unused;
};
SIZE(IntegersParameters, 80)
FIELD(IntegersParameters, source, 0)
FIELD(IntegersParameters, offset, 48)
FIELD(IntegersParameters, to, 56)
FIELD(IntegersParameters, n, 64)
FIELD(IntegersParameters, words, 72)
FIELD(IntegersParameters, unused, 76)

// The integers in [0, D) with the residues of each column, plus the offset. Each group of threads makes a part of the
// words; what it carries out is added to the next ones in the end. Grid: blocks of columns.
//
// On an H100, for S sources and W words of a column: 8 S operations on doubles, 8 (S + W) bytes and S W products of 64
// by 64 bits with their sums, of 12 instructions each.
template <class Field, u32 Most>
struct Integers {
  static constexpr u32 threads = COLUMNS * GROUPS;

  DEVICE static void run(const IntegersParameters& in, Block& block) {
    Columns<Field, Most> columns(block);
    Shared<i64> carries = block.shared<i64, COLUMNS * GROUPS>();
    block.phase([&](u32 t) {
      const u64 column = block.x() * COLUMNS + t % COLUMNS;
      if (column < in.n) columns.prepare(in.source, in.n, column, t);
    });
    block.phase([&](u32 t) {
      const u64 column = block.x() * COLUMNS + t % COLUMNS;
      if (column < in.n) carries.set(t, part(in, columns, column, t));
    });
    block.last([&](u32 t) {
      const u64 column = block.x() * COLUMNS + t % COLUMNS;
      if (column >= in.n || t >= COLUMNS) return;
      for (u32 group = 0; group + 1 < GROUPS; ++group) {
        carry(in, carries.get(group * COLUMNS + t), first(in, group + 1), column);
      }
    });
  }

  // The first word of a group's part.
  DEVICE static u32 first(const IntegersParameters& in, u32 group) { return in.words * group / GROUPS; }

  // Makes a group's words, as if nothing were carried in; returns what is carried out.
  DEVICE static i64 part(const IntegersParameters& in, Columns<Field, Most>& columns, u64 column, u32 t) {
    const Source& source = in.source;
    const i64 turns = static_cast<i64>(columns.below(source, t));
    const u32 group = t / COLUMNS;
    LongSum sum;
    for (u32 j = first(in, group); j < first(in, group + 1); ++j) {
      sum.add(1, pointer<const u64>(in.offset)[j]);
      if (j < source.width) {
        const u64* cofactors = pointer<const u64>(source.cofactors) + j * (source.count + 1);
        for (u32 i = 0; i < source.count; ++i) sum.add(columns.whole_factor(i, t), cofactors[i]);
        sum.add(-turns, cofactors[source.count]);
      }
      put(pointer<u64>(in.to)[j * in.n + column], sum.next());
    }
    return sum.carry();
  }

  // Adds to the words from the j-th on.
  DEVICE static void carry(const IntegersParameters& in, i64 carried, u32 j, u64 column) {
    for (; j < in.words && carried != 0; ++j) {
      u64& word = pointer<u64>(in.to)[j * in.n + column];
      const u64 sum = fetch(word) + static_cast<u64>(carried);
      put(word, sum);
      carried = (carried >> 63) + (sum < static_cast<u64>(carried));
    }
  }
};

// Digits of a launch at most.
constexpr u32 MOST_DIGITS = 128;

// As `DigitsParameters` in src/device/conversion/words.rs.
struct DigitsParameters {
  u64 to[MOST_DIGITS];
  // Word j of column c at j n + c.
  u64 integers;
  // A `Prime` for each limb of a digit, 2^(bits of a piece) as a factor, and what is added to the last piece.
  u64 primes;
  u64 factors;
  u64 starts;
  u64 n;
  // The first digit of this launch.
  u32 first;
  // Bits of a digit, its pieces, and bits of each but the last; pieces are below every prime.
  u32 bits;
  u32 pieces;
  u32 piece_bits;
};
SIZE(DigitsParameters, 1080)
FIELD(DigitsParameters, to, 0)
FIELD(DigitsParameters, integers, 1024)
FIELD(DigitsParameters, primes, 1032)
FIELD(DigitsParameters, factors, 1040)
FIELD(DigitsParameters, starts, 1048)
FIELD(DigitsParameters, n, 1056)
FIELD(DigitsParameters, first, 1064)
FIELD(DigitsParameters, bits, 1068)
FIELD(DigitsParameters, pieces, 1072)
FIELD(DigitsParameters, piece_bits, 1076)

// Digit k modulo each prime: (... ((start + last piece) factor + next) factor + ...) + first piece. Grid: blocks of a
// limb, limbs, digits.
//
// On an H100 it is bound by memory, mostly by the 8 bytes written for a word; the integers are in the second-level
// cache.
template <class Field>
struct DigitsOfIntegers {
  static constexpr u32 threads = 256;

  DEVICE static void run(const DigitsParameters& in, Block& block) {
    block.last([&](u32 t) {
      const u64 column = u64(block.x()) * threads + t;
      if (column >= in.n) return;
      const Field field(pointer<const Prime>(in.primes)[block.y()]);
      const auto factor = Field::factor(pointer<const u64>(in.factors), block.y());
      typename Field::Value x = field.load(pointer<const u64>(in.starts)[block.y()]);
      for (u32 i = in.pieces; i-- > 0;) {
        x = Field::add(x, field.load(piece(in, in.first + block.z(), i, column)));
        if (i > 0) x = field.mul(x, factor);
      }
      put(pointer<u64>(in.to[block.z()])[block.y() * in.n + column], field.store(x));
    });
  }

  // Piece i of digit k.
  DEVICE static u64 piece(const DigitsParameters& in, u32 k, u32 i, u64 column) {
    const u32 from = i * in.piece_bits;
    const u32 length = in.bits - from < in.piece_bits ? in.bits - from : in.piece_bits;
    const u64 at = u64(k) * in.bits + from;
    const u64* words = pointer<const u64>(in.integers) + at / 64 * in.n + column;
    const u32 shift = at % 64;
    u64 bits = fetch(words[0]) >> shift;
    // No more words than there are.
    if (shift + length > 64) bits |= fetch(words[in.n]) << (64 - shift);
    return bits & ((1ULL << length) - 1);
  }
};
