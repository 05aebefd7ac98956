// Words in ports of any width: packed arrays of words of up to 64 bits.

#pragma once

#include <cstdint>
#include <type_traits>

#include "wide.h"

namespace xor_banks {

template <class Port>
std::uint64_t word_of(const Port& port, unsigned index, unsigned width) {
  const unsigned low = index * width;
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint64_t>(port >> low & ringmill::mask(width));
  } else {
    ringmill::Wide value = 0;
    for (unsigned word = (low + width - 1) / 32 + 1; word-- > low / 32;) value = value << 32 | port[word];
    return static_cast<std::uint64_t>(value >> low % 32 & ringmill::mask(width));
  }
}

template <class Port>
void put_word(Port& port, unsigned index, unsigned width, std::uint64_t value) {
  const unsigned low = index * width;
  if constexpr (std::is_integral_v<Port>) {
    const auto rest = port & ~(ringmill::mask(width) << low);
    port = static_cast<Port>(rest | static_cast<ringmill::Wide>(value) << low);
  } else {
    for (unsigned bit = low, taken = 0; taken < width;) {
      const unsigned part = std::min(32 - bit % 32, width - taken);
      const auto mask = static_cast<std::uint32_t>(ringmill::mask(part) << bit % 32);
      port[bit / 32] = (port[bit / 32] & ~mask) | (static_cast<std::uint32_t>(value >> taken) << bit % 32 & mask);
      bit += part;
      taken += part;
    }
  }
}

}  // namespace xor_banks
