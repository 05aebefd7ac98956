// Which engine a core has.

#pragma once

#include <cstdint>

namespace core {

/// As WORDS and core_pkg number them.
enum Engine : std::uint64_t { XOR_BANKS = 0, DEDICATED_READ = 1 };

/// Parameter sets that name none have XOR banks.
template <class Bench>
Engine engine_of(const Bench& bench) {
  return static_cast<Engine>(bench.parameter_or("Engine", XOR_BANKS));
}

}  // namespace core
