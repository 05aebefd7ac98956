// The C interface of the cores; `core/sys.rs` is the other side of it.

#include "core.h"

#include <cstring>

// The build script writes it: it includes the models' headers and lists them as CORE(class, label, bytes of a beat).
#include "cores.h"

using ringmill::CoreMachine;
using ringmill::CoreModel;
using ringmill::CoreTiming;

extern "C" {

/// A core after reset, with memory of zeros from begin to before end, or null if there is none of this label in this
/// build.
CoreMachine* ringmill_core_new(const char* label, std::size_t length, std::uint64_t begin, std::uint64_t end) noexcept {
#define CORE(model, text, beat_bytes)                                          \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) {   \
    return new CoreModel<model>(beat_bytes, begin, end);                       \
  }
  CORES
#undef CORE
  return nullptr;
}

void ringmill_core_delete(CoreMachine* core) noexcept { delete core; }

void ringmill_core_set_timing(CoreMachine* core, const CoreTiming* timing) noexcept { core->set_timing(*timing); }

/// Reads and writes of the bytes from begin to before end fail from now on, and no others.
void ringmill_core_break_memory(CoreMachine* core, std::uint64_t begin, std::uint64_t end) noexcept {
  core->break_memory(begin, end);
}

void ringmill_core_write_memory(CoreMachine* core, std::uint64_t address, const std::uint64_t* words,
                                std::uint64_t count) noexcept {
  core->write_memory(address, words, count);
}

void ringmill_core_read_memory(const CoreMachine* core, std::uint64_t address, std::uint64_t* words,
                               std::uint64_t count) noexcept {
  core->read_memory(address, words, count);
}

int ringmill_core_write(CoreMachine* core, std::uint32_t address, std::uint32_t value) noexcept {
  return core->write(address, value);
}

int ringmill_core_read(CoreMachine* core, std::uint32_t address, std::uint32_t* value) noexcept {
  return core->read(address, *value);
}

int ringmill_core_run(CoreMachine* core) noexcept { return core->run(); }

std::uint64_t ringmill_core_cycles(const CoreMachine* core) noexcept { return core->cycles(); }

}  // extern "C"
