// Numbers of up to 128 bits, and ports of any width as such numbers.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "verilated.h"

namespace ringmill {

using Wide = unsigned __int128;

/// The value of a port.
template <class Port>
Wide get(const Port& port) {
  if constexpr (std::is_integral_v<Port>) {
    return port;
  } else {
    Wide value = 0;
    const std::size_t words = std::min<std::size_t>(sizeof(port) / sizeof(EData), 4);
    for (std::size_t i = words; i-- > 0;) value = value << 32 | port[i];
    return value;
  }
}

/// Sets a port; the value must fit it.
template <class Port>
void put(Port& port, Wide value) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>(value);
  } else {
    for (std::size_t i = 0; i < sizeof(port) / sizeof(EData); ++i) {
      port[i] = static_cast<EData>(value);
      value >>= 32;
    }
  }
}

/// 2^bits - 1.
inline Wide mask(unsigned bits) { return bits >= 128 ? ~Wide{0} : (Wide{1} << bits) - 1; }

/// Number of bits of a value; 0 for 0.
inline unsigned bit_length(Wide value) {
  unsigned bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

/// In hexadecimal, for messages.
inline std::string text(Wide value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[static_cast<unsigned>(value & 15)]);
    value >>= 4;
  } while (value != 0);
  return "0x" + digits;
}

}  // namespace ringmill
