// Fields of bits in ports of any width.

#pragma once

#include <cstdint>
#include <type_traits>

namespace dedicated {

/// The bits from `low` on, at most 32.
template <class Port>
std::uint64_t get_field(const Port& port, unsigned low, unsigned width) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint64_t>(port) >> low & mask;
  } else {
    std::uint64_t pair = port[low / 32];
    if (low % 32 + width > 32) pair |= std::uint64_t{port[low / 32 + 1]} << 32;
    return pair >> (low % 32) & mask;
  }
}

template <class Port>
void put_field(Port& port, unsigned low, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((port & ~(mask << low)) | value << low);
  } else {
    const unsigned shift = low % 32;
    port[low / 32] = static_cast<std::uint32_t>((port[low / 32] & ~(mask << shift)) | value << shift);
    if (shift + width <= 32) return;
    const unsigned rest = 32 - shift;
    port[low / 32 + 1] = static_cast<std::uint32_t>((port[low / 32 + 1] & ~(mask >> rest)) | value >> rest);
  }
}

}  // namespace dedicated
