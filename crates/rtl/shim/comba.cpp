// The C interface of the machines for encryption over the integers; `comba/sys.rs` is the other side of it.

#include <cstring>

#include "comba.h"

// The build script writes it: it includes the models' headers and lists them as COMBA(class, label).
#include "combas.h"

using ringmill::CombaMachine;
using ringmill::CombaModel;
using ringmill::CombaProgress;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
CombaMachine* ringmill_comba_new(const char* label, std::size_t length) noexcept {
#define COMBA(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new CombaModel<model>();
  COMBAS
#undef COMBA
  return nullptr;
}

void ringmill_comba_delete(CombaMachine* machine) noexcept { delete machine; }

int ringmill_comba_start(CombaMachine* machine, const std::uint32_t* job, std::size_t count) noexcept {
  return machine->start(job, count);
}

int ringmill_comba_advance(CombaMachine* machine, std::uint64_t cycles, std::uint64_t* memory, std::uint64_t words,
                           CombaProgress* progress) noexcept {
  return machine->advance(cycles, memory, words, *progress);
}

std::uint64_t ringmill_comba_cycles(const CombaMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
