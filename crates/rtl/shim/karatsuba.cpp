// The C interface of the machine for products by Karatsuba's method; `karatsuba/sys.rs` is the other side of it.

#include <cstring>

#include "karatsuba.h"

// The build script writes it: it includes the models' headers and lists them as KARATSUBA(class, label).
#include "karatsubas.h"

using ringmill::KaratsubaJob;
using ringmill::KaratsubaMachine;
using ringmill::KaratsubaModel;

extern "C" {

/// A machine after reset, or null if there is none of this label in this build.
KaratsubaMachine* ringmill_karatsuba_new(const char* label, std::size_t length) noexcept {
#define KARATSUBA(model, text) \
  if (length == sizeof(text) - 1 && std::memcmp(label, text, length) == 0) return new KaratsubaModel<model>();
  KARATSUBAS
#undef KARATSUBA
  return nullptr;
}

void ringmill_karatsuba_delete(KaratsubaMachine* machine) noexcept { delete machine; }

int ringmill_karatsuba_run(KaratsubaMachine* machine, KaratsubaJob* job) noexcept { return machine->run(*job); }

std::uint64_t ringmill_karatsuba_cycles(const KaratsubaMachine* machine) noexcept { return machine->cycles(); }

}  // extern "C"
