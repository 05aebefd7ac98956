// What is wrong with a descriptor, by the data sheet (docs/machines/core.md), and descriptors that are nearly right.

#pragma once

#include <array>
#include <optional>
#include <set>

#include "constants.h"
#include "instruction.h"

namespace core {

/// The fields of a descriptor.
struct Descriptor {
  unsigned opcode = 0, operation = 0, destination = 0, a = 0, b = 0, slot = 0, count = 0, top = 0;
  std::uint64_t immediate = 0, unused[2] = {0, 0};
};

template <class Port>
void put_descriptor(Port& port, const Descriptor& d) {
  const unsigned fields[] = {d.opcode, d.operation, d.destination, d.a, d.b, d.slot, d.count, d.top};
  for (unsigned byte = 0; byte < 8; ++byte) put_bits(port, 8 * byte, 8, fields[byte]);
  put_bits(port, 64, 64, d.immediate);
  put_bits(port, 128, 64, d.unused[0]);
  put_bits(port, 192, 64, d.unused[1]);
}

/// A core's sizes, and what the instructions so far have left.
struct State {
  Engine engine;
  std::uint64_t n, block_bytes;
  unsigned limbs, slots;
  std::vector<std::optional<std::uint64_t>> moduli;  // by slot
  std::vector<std::optional<unsigned>> tags;         // by buffer: the slot under which it was written
  std::uint64_t window = 0, window_size = 0;

  template <class Model>
  explicit State(const ringmill::Bench<Model>& bench)
      : engine(engine_of(bench)), n(bench.parameter("N")), limbs(static_cast<unsigned>(bench.parameter("Limbs"))),
        slots(static_cast<unsigned>(bench.parameter("Slots"))), moduli(slots), tags(limbs) {
    block_bytes = 8 * block_words(bench);
  }
};

/// Which fields an instruction has: d, a, b, s(lot), c(ount), and of the immediate i (address), k (constant), h (shift).
inline std::string fields_of(const Descriptor& d) {
  switch (d.opcode) {
    case LOAD: return d.operation == 0 ? "dsi" : "?";
    case CONSTANTS: return d.operation == 0 ? "si" : "?";
    case STORE: return d.operation == 0 ? "asi" : "?";
    case NTT: return d.operation < 2 ? "das" : "?";
    case VECTOR: {
      const char* forms[] = {"dabs", "dabs", "das", "dabs", "dask", "dsk"};
      return d.operation < 6 ? forms[d.operation] : "?";
    }
    case MAC: return d.operation == 0 ? "dabsc" : "?";
    case AUTOMORPHISM: return d.operation == 0 ? "dash" : "?";
    case WAIT:
    case INTERRUPT: return d.operation == 0 ? "" : "?";
    default: return "?";
  }
}

inline unsigned unit_of(const Descriptor& d) {
  if (d.opcode == LOAD || d.opcode == CONSTANTS) return 0;
  return d.opcode == STORE ? 1 : d.opcode == NTT ? 2 : 3;
}

/// The buffers that are read, beyond the last one too.
inline std::set<unsigned> sources_of(const Descriptor& d) {
  const std::string fields = fields_of(d);
  std::set<unsigned> sources;
  for (unsigned i = 0; i < (d.opcode == MAC ? d.count : 1); ++i) {
    if (fields.find('a') != std::string::npos) sources.insert(d.a + i);
    if (fields.find('b') != std::string::npos) sources.insert(d.b + i);
  }
  return sources;
}

/// Code 1 to 10, or 0.
inline unsigned error_of(const Descriptor& d, const State& state) {
  const std::string fields = fields_of(d);
  const auto has = [&](char field) { return fields.find(field) != std::string::npos; };
  if (has('?') || (d.opcode == AUTOMORPHISM && state.engine != XOR_BANKS)) return 1;
  if ((!has('d') && d.destination) || (!has('a') && d.a) || (!has('b') && d.b) || (!has('s') && d.slot)) return 1;
  if ((!has('c') && d.count) || d.top || d.unused[0] || d.unused[1]) return 1;
  if (!has('i') && !has('k') && !has('h') && d.immediate) return 1;
  const std::set<unsigned> sources = sources_of(d);
  if ((has('d') && d.destination >= state.limbs) || (has('c') && d.count == 0)) return 2;
  if (!sources.empty() && *sources.rbegin() >= state.limbs) return 2;
  if (has('s') && (d.slot >= state.slots || (d.opcode != CONSTANTS && !state.moduli[d.slot]))) return 3;
  for (const unsigned source : sources) {
    if (!state.tags[source]) return 4;
  }
  for (const unsigned source : sources) {
    if (*state.tags[source] != d.slot) return 5;
  }
  if ((d.opcode == MAC || d.opcode == AUTOMORPHISM) && sources.count(d.destination)) return 6;
  if (has('i') && d.immediate % 64 != 0) return 7;
  const Wide bytes = d.opcode == CONSTANTS ? state.block_bytes : 8 * state.n;
  if (has('i') && (d.immediate < state.window || d.immediate + bytes > Wide{state.window} + state.window_size)) return 8;
  if (has('k') && d.immediate >= *state.moduli[d.slot]) return 9;
  if (has('h') && d.immediate >= state.n) return 10;
  return 0;
}

/// A descriptor that is right for the most part.
template <class Model>
Descriptor random_descriptor(ringmill::Bench<Model>& bench, const State& state) {
  auto& random = bench.random;
  const unsigned opcodes[] = {LOAD, CONSTANTS, STORE, NTT, VECTOR, VECTOR, VECTOR, MAC, AUTOMORPHISM, WAIT, INTERRUPT};
  Descriptor d;
  d.opcode = random.chance(97) ? opcodes[random.below(11)] : static_cast<unsigned>(random.below(256));
  if (d.opcode == NTT) d.operation = static_cast<unsigned>(random.below(random.chance(95) ? 2 : 256));
  if (d.opcode == VECTOR) d.operation = static_cast<unsigned>(random.below(random.chance(95) ? 6 : 256));
  const std::string fields = fields_of(d);
  const auto has = [&](char field) { return fields.find(field) != std::string::npos || random.chance(1); };
  const auto number = [&](unsigned bound) {
    return static_cast<unsigned>(random.chance(97) ? random.below(bound) : random.below(256));
  };
  if (has('d')) d.destination = number(state.limbs);
  if (has('s')) d.slot = number(state.slots);
  // Mostly a buffer that was written under the slot.
  const auto source = [&] {
    for (unsigned i = 0; i < 20; ++i) {
      const auto buffer = static_cast<unsigned>(random.below(state.limbs));
      if (state.tags[buffer] == d.slot) return buffer;
    }
    return number(state.limbs);
  };
  if (has('a')) d.a = source();
  if (has('b')) d.b = source();
  if (has('c')) d.count = random.chance(90) ? 1 + static_cast<unsigned>(random.below(3)) : number(state.limbs + 2);
  if (random.chance(1)) d.top = 1 + static_cast<unsigned>(random.below(255));
  if (random.chance(1)) d.unused[random.below(2)] = 1ULL << random.below(64);
  const Wide bytes = d.opcode == CONSTANTS ? state.block_bytes : 8 * state.n;
  if (has('i')) {
    const Wide room = state.window_size > bytes ? state.window_size - bytes : 0;
    d.immediate = static_cast<std::uint64_t>(state.window + (random.chance(95) ? random.edgy(room / 64 + 2) * 64 : random.word()));
  } else if (has('k')) {
    const bool loaded = d.slot < state.slots && state.moduli[d.slot];
    d.immediate = random.chance(95) && loaded ? static_cast<std::uint64_t>(random.edgy(*state.moduli[d.slot] + 2)) : random.word();
  } else if (has('h')) {
    d.immediate = random.chance(95) ? static_cast<std::uint64_t>(random.edgy(state.n + 2)) : random.word();
  }
  return d;
}

/// A window of random place and size, and of edges.
template <class Model>
void random_window(ringmill::Bench<Model>& bench, State& state) {
  state.window = static_cast<std::uint64_t>(bench.random.below(1ULL << 52)) * 64;
  state.window_size = 8 * state.n * (1 + static_cast<std::uint64_t>(bench.random.below(8)));
  if (bench.random.chance(10)) state.window_size = static_cast<std::uint64_t>(bench.random.below(8 * state.n));
  if (bench.random.chance(10)) state.window = -state.window_size;
  bench->window_i = state.window;
  bench->window_size_i = state.window_size;
}

/// What a good instruction becomes.
inline Instruction instruction_of_descriptor(const Descriptor& d) {
  return {d.opcode, d.operation, d.destination, d.a, d.b, d.slot, d.count, d.immediate};
}

inline std::uint64_t uses_of(const Descriptor& d) {
  std::uint64_t uses = fields_of(d).find('d') == std::string::npos ? 0 : 1ULL << d.destination;
  for (const unsigned source : sources_of(d)) uses |= 1ULL << source;
  return uses;
}

}  // namespace core
