// Opcodes, errors, and an instruction as units take it: core_pkg::instruction_t.

#pragma once

#include <cstdint>

#include "bits.h"

namespace core {

enum Opcode : unsigned {
  LOAD = 0x01, CONSTANTS = 0x02, STORE = 0x03, TABLE = 0x04, NTT = 0x10, VECTOR = 0x20, MAC = 0x21, AUTOMORPHISM = 0x22,
  WAIT = 0x30, INTERRUPT = 0x31, CONVERT = 0x40
};

enum Error : unsigned {
  NONE = 0, UNKNOWN = 1, BUFFER = 2, SLOT = 3, EMPTY = 4, MODULUS = 5, IN_USE = 6, MISALIGNED = 7, OUTSIDE = 8,
  CONSTANT = 9, SHIFT = 10, WORD = 11, BLOCK = 12, READ = 13, WRITE = 14, DESCRIPTOR = 15, TAIL = 16,
  DOUBTS = 17, BAD_TABLE = 18, ROWS = 19
};

struct Instruction {
  unsigned opcode = 0, operation = 0, destination = 0, a = 0, b = 0, slot = 0, count = 0;
  std::uint64_t immediate = 0;

  static constexpr unsigned kWidth = 102;

  /// As the port has it.
  Wide bits() const {
    const auto at = [](unsigned field, unsigned low) { return Wide{field} << low; };
    return immediate | at(count, 64) | at(slot, 70) | at(b, 74) | at(a, 79) | at(destination, 84) | at(operation, 89) |
           at(opcode, 94);
  }

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// The index-th instruction of a port.
template <class Port>
Instruction instruction_of(const Port& port, unsigned index = 0) {
  const auto field = [&](unsigned low, unsigned width) {
    return static_cast<unsigned>(bits(port, index * Instruction::kWidth + low, width));
  };
  return {field(94, 8), field(89, 5), field(84, 5), field(79, 5), field(74, 5), field(70, 4), field(64, 6),
          bits(port, index * Instruction::kWidth, 64)};
}

}  // namespace core
