// The C interface of the multi-precision conversion pipelines; `multiprecision/sys.rs` is the other side of it.

#include <cstring>

#include "conversion.h"

// The build script writes it: it includes the models' headers and lists them as CONVERSION(class, label).
#include "conversions.h"

using ringmill::Conversion;
using ringmill::ConversionMachine;
using ringmill::ConversionModel;
using ringmill::TableEntry;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
ConversionMachine* ringmill_conversion_new(const char* label, std::size_t length) noexcept {
#define CONVERSION(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new ConversionModel<model>();
  CONVERSIONS
#undef CONVERSION
  return nullptr;
}

void ringmill_conversion_delete(ConversionMachine* machine) noexcept { delete machine; }

int ringmill_conversion_load(ConversionMachine* machine, const TableEntry* entries, std::uint64_t count) noexcept {
  return machine->load(entries, count);
}

int ringmill_conversion_run(ConversionMachine* machine, int scale, Conversion* conversion) noexcept {
  return machine->run(scale != 0, *conversion);
}

std::uint64_t ringmill_conversion_cycles(const ConversionMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
