// An instruction as units take it: core_pkg::instruction_t, counted from its lowest bit.

#pragma once

#include <cstdint>

#include "wide.h"

namespace core {

enum Opcode : unsigned { LOAD = 0x01, CONSTANTS = 0x02, STORE = 0x03 };

enum Error : unsigned { NONE = 0, WORD = 11, BLOCK = 12, READ = 13, WRITE = 14 };

struct Instruction {
  unsigned opcode = 0;
  unsigned destination = 0;
  unsigned a = 0;
  unsigned slot = 0;
  std::uint64_t immediate = 0;

  ringmill::Wide bits() const {
    const auto at = [](unsigned field, unsigned low) { return ringmill::Wide{field} << low; };
    return immediate | at(slot, 70) | at(a, 79) | at(destination, 84) | at(opcode, 92);
  }
};

}  // namespace core
