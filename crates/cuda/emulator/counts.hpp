// What kernels do: operations and words, counted while the host runs them.
#pragma once

// As `Counts` in src/machine/emulator/counts.rs.
struct Counts {
  // Operations with doubles that a GPU would do: only `Bounds` counts them.
  u64 operations;
  // Words of polynomials from and to memory.
  u64 read;
  u64 written;
  // Factors from tables: only `Bounds` counts them.
  u64 factors;
};
SIZE(Counts, 32)
FIELD(Counts, operations, 0)
FIELD(Counts, read, 8)
FIELD(Counts, written, 16)
FIELD(Counts, factors, 24)

// Of the launch that the host's thread runs.
inline thread_local Counts counts = {};

// The words that were read last: a GPU has them in a first-level cache, so that sums that share operands read each
// once.
struct Recent {
  static constexpr u32 size = 8;
  const void* words[size];
  u32 next;

  // Whether this one is new.
  bool note(const void* word) {
    for (const void* known : words) {
      if (known == word) return false;
    }
    words[next++ % size] = word;
    return true;
  }
};
inline thread_local Recent recent = {};

template <class T>
inline T fetch(const T& word) {
  if (recent.note(&word)) counts.read += sizeof(T) / sizeof(u64);
  return word;
}
template <class T>
inline void put(T& word, T value) {
  counts.written += sizeof(T) / sizeof(u64);
  word = value;
}
