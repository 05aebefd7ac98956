// The C interface of the machines around transform engines; `ntt_engine/sys.rs` is the other side of it.

#include <cstring>

#include "engine.h"

// The build script writes it: it includes the models' headers and lists them as ENGINE(class, label).
#include "engines.h"

using ringmill::EngineMachine;
using ringmill::EngineModel;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
EngineMachine* ringmill_engine_new(const char* label, std::size_t length) noexcept {
#define ENGINE(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new EngineModel<model>();
  ENGINES
#undef ENGINE
  return nullptr;
}

void ringmill_engine_delete(EngineMachine* machine) noexcept { delete machine; }

int ringmill_engine_load(EngineMachine* machine, std::uint64_t modulus, const std::uint64_t* constants,
                         std::uint64_t count) noexcept {
  return machine->load(modulus, constants, count);
}

int ringmill_engine_write(EngineMachine* machine, const std::uint64_t* words, std::uint64_t count) noexcept {
  return machine->write(words, count);
}

int ringmill_engine_read(EngineMachine* machine, std::uint64_t* words, std::uint64_t count) noexcept {
  return machine->read(words, count);
}

int ringmill_engine_transform(EngineMachine* machine, int inverse, std::uint64_t* cycles) noexcept {
  return machine->transform(inverse != 0, *cycles);
}

std::uint64_t ringmill_engine_cycles(const EngineMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
