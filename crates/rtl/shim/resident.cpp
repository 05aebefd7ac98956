// The C interface of the machine with a resident key; `karatsuba/resident/sys.rs` is the other side of it.

#include <cstring>

#include "resident.h"

// The build script writes it: it includes the models' headers and lists them as RESIDENT(class, label).
#include "residents.h"

using ringmill::ResidentJobs;
using ringmill::ResidentKey;
using ringmill::ResidentMachine;
using ringmill::ResidentModel;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
ResidentMachine* ringmill_resident_new(const char* label, std::size_t length) noexcept {
#define RESIDENT(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new ResidentModel<model>();
  RESIDENTS
#undef RESIDENT
  return nullptr;
}

void ringmill_resident_delete(ResidentMachine* machine) noexcept { delete machine; }

int ringmill_resident_load(ResidentMachine* machine, const ResidentKey* key) noexcept { return machine->load(*key); }

int ringmill_resident_run(ResidentMachine* machine, ResidentJobs* jobs) noexcept { return machine->run(*jobs); }

std::uint64_t ringmill_resident_cycles(const ResidentMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
