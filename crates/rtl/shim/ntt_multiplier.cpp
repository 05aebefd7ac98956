// The C interface of the NTT multiplier; `sys.rs` is the other side of it.

#include "machine.h"

// The build script writes it: it includes the models' headers and lists them as
// CONFIGURATION(class, log2 n, log2 units, log2 words a beat, pipeline).
#include "configurations.h"

using ringmill::LinkSettings;
using ringmill::Machine;
using ringmill::StreamMachine;
using ringmill::Transfer;

extern "C" {

/// A machine of this shape after reset, or null if there is none in this build.
Machine* ringmill_ntt_multiplier_new(std::uint32_t log_n, std::uint32_t log_units, std::uint32_t log_link,
                                     std::uint32_t pipeline) noexcept {
#define CONFIGURATION(model, n, units, link, depth)                                       \
  if (log_n == (n) && log_units == (units) && log_link == (link) && pipeline == (depth)) \
    return new StreamMachine<model, 1u << (link)>();
  CONFIGURATIONS
#undef CONFIGURATION
  return nullptr;
}

void ringmill_machine_delete(Machine* machine) noexcept { delete machine; }

void ringmill_machine_reset(Machine* machine) noexcept { machine->reset(); }

int ringmill_machine_step(Machine* machine, std::uint64_t cycles) noexcept { return machine->step(cycles); }

int ringmill_machine_read(Machine* machine, std::uint32_t address, std::uint32_t* value) noexcept {
  return machine->read(address, *value);
}

int ringmill_machine_write(Machine* machine, std::uint32_t address, std::uint32_t value) noexcept {
  return machine->write(address, value);
}

int ringmill_machine_transfer(Machine* machine, const LinkSettings* settings, Transfer* transfer) noexcept {
  return machine->transfer(*settings, *transfer);
}

std::uint64_t ringmill_machine_cycles(const Machine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
