// Single bits of ports of any width.

#pragma once

#include <cstdint>
#include <type_traits>

#include "wide.h"

namespace ringmill {

template <class Port>
bool bit_of(const Port& port, unsigned bit) {
  if constexpr (std::is_integral_v<Port>) {
    return port >> bit & 1;
  } else {
    return port[bit / 32] >> (bit % 32) & 1;
  }
}

template <class Port>
void put_bit(Port& port, unsigned bit, bool value) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((port & ~(std::uint64_t{1} << bit)) | std::uint64_t{value} << bit);
  } else {
    port[bit / 32] = (port[bit / 32] & ~(1U << bit % 32)) | std::uint32_t{value} << bit % 32;
  }
}

}  // namespace ringmill
