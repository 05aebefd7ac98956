// Fields of ports by their bits, and instructions as core_pkg packs them.

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

/// instruction_t.
struct Instruction {
  unsigned opcode = 0, operation = 0, destination = 0, a = 0, b = 0, slot = 0, count = 0;
  std::uint64_t immediate = 0;

  static constexpr unsigned kWidth = 100;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

template <class Port>
void put_instruction(Port& port, const Instruction& instruction) {
  put_bits(port, 0, 64, instruction.immediate);
  put_bits(port, 64, 6, instruction.count);
  put_bits(port, 70, 4, instruction.slot);
  put_bits(port, 74, 5, instruction.b);
  put_bits(port, 79, 5, instruction.a);
  put_bits(port, 84, 5, instruction.destination);
  put_bits(port, 89, 3, instruction.operation);
  put_bits(port, 92, 8, instruction.opcode);
}

/// The index-th instruction of a port.
template <class Port>
Instruction instruction_of(const Port& port, unsigned index = 0) {
  const auto field = [&](unsigned low, unsigned width) {
    return static_cast<unsigned>(bits(port, index * Instruction::kWidth + low, width));
  };
  return {field(92, 8), field(89, 3), field(84, 5), field(79, 5), field(74, 5), field(70, 4), field(64, 6),
          bits(port, index * Instruction::kWidth, 64)};
}

}  // namespace core
