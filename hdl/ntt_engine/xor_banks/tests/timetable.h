// When the engine reads which words. Knows no formula for gaps: each pass starts as early as the words that it reads
// allow.

#pragma once

#include <algorithm>

#include "shape.h"

namespace xor_banks {

enum class Work { kDecimate, kCombine, kTable, kScale };

struct Pass {
  Work work;
  unsigned bit;  // of the pairs
  Dimension dimension;

  unsigned slot_cycles() const { return work == Work::kTable || work == Work::kScale ? 2 : 1; }
};

inline std::vector<Pass> passes(const Shape& shape, bool inverse) {
  std::vector<Pass> result;
  for (const Dimension& dimension : shape.dimensions) {
    const unsigned low = dimension.low, high = low + dimension.length - 1;
    for (unsigned bit = high; bit > low; --bit) result.push_back({Work::kDecimate, bit, dimension});
    result.push_back({Work::kTable, low, dimension});
    for (unsigned bit = low + 1; bit <= high; ++bit) result.push_back({Work::kCombine, bit, dimension});
  }
  if (shape.fermat()) return result;
  const Dimension all{0, shape.log_n};
  for (unsigned bit = 0; bit < shape.log_n; ++bit) {
    if (!inverse) result.push_back({Work::kCombine, shape.log_n - 1 - bit, all});
    if (inverse) result.push_back({bit + 1 == shape.log_n ? Work::kScale : Work::kDecimate, bit, all});
  }
  return result;
}

/// Whether banks tell index bit m apart in a pass: the pair's bit, and in the other classes the lowest that factors do
/// not depend on, or the lowest of all if they depend on all.
inline bool is_space(const Shape& shape, const Pass& pass, unsigned m) {
  const unsigned width = shape.bank_bits(), low = pass.dimension.low, high = low + pass.dimension.length;
  if (m % width == pass.bit % width) return m == pass.bit;
  for (unsigned bit = m % width; bit < shape.log_n; bit += width) {
    if (!shape.fermat() || bit < low || high <= bit) return bit == m;
  }
  return m < width;
}

/// Whether all units take the same factor in each cycle.
inline bool is_shareable(const Shape& shape) {
  for (const Pass& pass : passes(shape, false)) {
    const unsigned low = pass.dimension.low, high = low + pass.dimension.length;
    for (unsigned m = low; m < high; ++m) {
      if (m != pass.bit && is_space(shape, pass, m)) return false;
    }
  }
  return true;
}

/// The indices that the banks are asked for in a slot, by bank.
inline std::vector<std::uint64_t> indices(const Shape& shape, const Pass& pass, unsigned slot) {
  std::uint64_t time = 0;
  std::vector<unsigned> space(shape.bank_bits());
  for (unsigned m = 0, bit = 0; m < shape.log_n; ++m) {
    if (is_space(shape, pass, m)) {
      space[m % shape.bank_bits()] = m;
    } else {
      time |= std::uint64_t{slot >> bit++ & 1} << m;
    }
  }
  std::vector<std::uint64_t> result(shape.banks(), time);
  for (unsigned bank = 0; bank < shape.banks(); ++bank) {
    const unsigned differ = shape.bank(time) ^ bank;
    for (unsigned j = 0; j < shape.bank_bits(); ++j) result[bank] |= std::uint64_t{differ >> j & 1} << space[j];
  }
  return result;
}

/// One read of all banks.
struct Read {
  unsigned cycle;  // from the first of the transform
  unsigned pass;
  unsigned slot;
  bool second;
};

struct Timetable {
  std::vector<Pass> passes;
  std::vector<unsigned> gaps;  // before each pass
  std::vector<Read> reads;
  unsigned cycles;  // from the first read to the last write
};

inline Timetable timetable(const Shape& shape, bool inverse, unsigned latency) {
  Timetable table{passes(shape, inverse), {}, {}, 0};
  std::vector<unsigned> readable(shape.n(), 0);
  unsigned now = 0;
  for (unsigned p = 0; p < table.passes.size(); ++p) {
    const Pass& pass = table.passes[p];
    const unsigned length = pass.slot_cycles();
    unsigned begin = now;
    for (unsigned slot = 0; slot < shape.slots(); ++slot) {
      for (const std::uint64_t index : indices(shape, pass, slot)) {
        if (readable[index] > slot * length) begin = std::max(begin, readable[index] - slot * length);
      }
    }
    table.gaps.push_back(begin - now);
    for (unsigned slot = 0; slot < shape.slots(); ++slot) {
      for (unsigned i = 0; i < length; ++i) table.reads.push_back({begin + slot * length + i, p, slot, i == 1});
      const unsigned written = begin + slot * length + length - 1 + latency;
      for (const std::uint64_t index : indices(shape, pass, slot)) readable[index] = written + 1;
      table.cycles = written + 1;
    }
    now = begin + shape.slots() * length;
  }
  return table;
}

}  // namespace xor_banks
