// Fields of ports by their bits.

#pragma once

#include "bench.h"

namespace core {

using ringmill::Wide;

/// Bits low to low + width - 1 of a port; at most 64.
template <class Port>
std::uint64_t bits(const Port& port, unsigned low, unsigned width) {
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint64_t>(Wide{port} >> low & ringmill::mask(width));
  } else {
    Wide value = 0;
    for (unsigned word = (low + width - 1) / 32 + 1; word-- > low / 32;) value = value << 32 | port[word];
    return static_cast<std::uint64_t>(value >> low % 32 & ringmill::mask(width));
  }
}

template <class Port>
void put_bits(Port& port, unsigned low, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = low + i;
    if constexpr (std::is_integral_v<Port>) {
      port = static_cast<Port>((port & ~(Port{1} << bit)) | static_cast<Port>(value >> i & 1) << bit);
    } else {
      port[bit / 32] = (port[bit / 32] & ~(1U << bit % 32)) | static_cast<std::uint32_t>(value >> i & 1) << bit % 32;
    }
  }
}

}  // namespace core
