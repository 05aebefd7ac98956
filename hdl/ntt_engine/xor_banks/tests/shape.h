// The shape of an engine, its rings and its banks, by the definitions in the header of xor_banks_pkg, not by its
// functions.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench.h"
#include "latency.h"

namespace xor_banks {

using ringmill::Wide;
using Words = std::vector<std::uint64_t>;

/// A field of the index of a Fermat ring: `length` bits from `low` on, the logarithms of the units modulo p.
struct Dimension {
  unsigned low;
  unsigned length;

  std::uint64_t order() const { return std::uint64_t{1} << length; }
  std::uint64_t p() const { return order() + 1; }
  /// Generator of the units modulo p.
  std::uint64_t generator() const { return p() == 3 ? 2 : 3; }
};

/// An engine's sizes. A shape without dimensions is that of x^n + 1 or x^n - 1.
struct Shape {
  unsigned log_n;
  unsigned log_units;
  std::vector<Dimension> dimensions;  // the greatest first

  Shape(unsigned log_n, unsigned log_units, bool fermat) : log_n(log_n), log_units(log_units) {
    unsigned low = 0;
    for (unsigned length = 16; fermat && length != 0; length /= 2) {
      if ((log_n & length) == 0) continue;
      dimensions.push_back({low, length});
      low += length;
    }
  }

  bool fermat() const { return !dimensions.empty(); }
  std::uint64_t n() const { return std::uint64_t{1} << log_n; }
  unsigned units() const { return 1U << log_units; }
  unsigned banks() const { return 2 * units(); }
  unsigned bank_bits() const { return log_units + 1; }
  unsigned slot_bits() const { return log_n - bank_bits(); }
  unsigned slots() const { return 1U << slot_bits(); }

  /// Bank and address of an index.
  unsigned bank(std::uint64_t index) const {
    unsigned bank = 0;
    for (unsigned m = 0; m < log_n; ++m) bank ^= static_cast<unsigned>(index >> m & 1) << (m % bank_bits());
    return bank;
  }
  unsigned address(std::uint64_t index) const { return static_cast<unsigned>(index >> bank_bits()); }
};

/// The unit's own bank: the unit-th of even parity.
inline unsigned own_bank(unsigned unit) { return 2 * unit + static_cast<unsigned>(__builtin_popcount(unit)) % 2; }

inline std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

template <class Model>
Shape shape_of(const ringmill::Bench<Model>& bench) {
  const auto log2 = [&](const char* name) { return ringmill::bit_length(bench.parameter(name)) - 1; };
  return {log2("N"), log2("Units"), bench.parameter("Ring") == 1};
}

/// Cycles from the read of a word to the write of its result: bank 2, selection of operands, butterfly, selection of
/// results.
template <class Model>
unsigned slot_latency_of(const ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  return 2 + 1 + ringmill::butterfly_latency(number("Width"), number("Word"), number("Pipeline"), true) + 1;
}

}  // namespace xor_banks
