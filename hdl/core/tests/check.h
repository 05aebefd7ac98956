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

/// The operands of a conversion.
struct Shape {
  unsigned sources, targets;
  bool own, half, low;
};

/// The most rows of a buffer, as a logarithm, and the words of a table's block.
constexpr unsigned kMostLogRows = 5;
constexpr std::uint64_t kTableWords = 8 + 2 * 32 + 1024;

/// A core's sizes, and what the instructions so far have left.
struct State {
  Engine engine;
  std::uint64_t n, block_bytes;
  unsigned limbs, slots;
  std::vector<std::optional<std::uint64_t>> moduli;  // by slot
  std::vector<std::optional<unsigned>> tags;         // by buffer: the slot under which it was written, or kRows
  std::vector<std::optional<Shape>> tables;
  unsigned log_depth;
  std::uint64_t window = 0, window_size = 0;

  static constexpr unsigned kRows = 16;

  template <class Model>
  explicit State(const ringmill::Bench<Model>& bench)
      : engine(engine_of(bench)), n(bench.parameter("N")), limbs(static_cast<unsigned>(bench.parameter("Limbs"))),
        slots(static_cast<unsigned>(bench.parameter("Slots"))), moduli(slots), tags(limbs),
        tables(bench.parameter_or("Tables", 2)),
        log_depth(static_cast<unsigned>(std::bit_width(n / (2 * bench.parameter("Units"))) - 1)) {
    block_bytes = 8 * block_words(bench);
  }
};

/// Whether an instruction is a LOAD or STORE of a strip.
inline bool is_strip(const Descriptor& d) { return (d.opcode == LOAD || d.opcode == STORE) && d.count != 0; }

/// Which fields an instruction has: d, a, b, s(lot), t(able), c(ount), and of the immediate i (address), k (constant), h
/// (shift), r (first rows); of a strip o(peration) and the row, b without being read.
inline std::string fields_of(const Descriptor& d) {
  switch (d.opcode) {
    case LOAD: return is_strip(d) ? "doci" : d.operation == 0 ? "dsi" : "?";
    case TABLE: return d.operation == 0 ? "ti" : "?";
    case CONVERT: return d.operation == 0 ? "dabtcr" : "?";
    case CONSTANTS: return d.operation == 0 ? "si" : "?";
    case STORE: return is_strip(d) ? "aoci" : d.operation == 0 ? "asi" : "?";
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
  if (d.opcode == LOAD || d.opcode == CONSTANTS || d.opcode == TABLE) return 0;
  if (d.opcode == CONVERT) return 4;
  return d.opcode == STORE ? 1 : d.opcode == NTT ? 2 : 3;
}

/// The first row of an operand of a conversion: of a, b, the destination.
inline unsigned first_row(const Descriptor& d, unsigned operand) {
  return static_cast<unsigned>(d.immediate >> 8 * operand & 255);
}

/// The shape of a conversion's table, if it is loaded.
inline std::optional<Shape> shape_of(const Descriptor& d, const State& state) {
  if (d.opcode != CONVERT || d.slot >= state.tables.size()) return {};
  return state.tables[d.slot];
}

/// Adds the buffers with so many rows, from a row of a buffer on.
inline void add_rows(std::set<unsigned>& buffers, unsigned buffer, unsigned row, unsigned rows, unsigned log_rows) {
  for (unsigned i = 0; i < rows; ++i) buffers.insert(buffer + ((row + i) >> log_rows));
}

/// The buffers that are read, beyond the last one too.
inline std::set<unsigned> sources_of(const Descriptor& d, const State& state) {
  const std::string fields = fields_of(d);
  std::set<unsigned> sources;
  if (const auto shape = shape_of(d, state)) {
    add_rows(sources, d.a, first_row(d, 0), shape->sources, d.count);
    if (shape->own) add_rows(sources, d.b, first_row(d, 1), shape->targets, d.count);
    return sources;
  }
  for (unsigned i = 0; i < (d.opcode == MAC ? d.count : 1); ++i) {
    if (fields.find('a') != std::string::npos) sources.insert(d.a + i);
    if (fields.find('b') != std::string::npos) sources.insert(d.b + i);
  }
  return sources;
}

/// The buffers that are written.
inline std::set<unsigned> written_of(const Descriptor& d, const State& state) {
  std::set<unsigned> written;
  if (const auto shape = shape_of(d, state)) {
    add_rows(written, d.destination, first_row(d, 2), shape->targets, d.count);
  } else if (fields_of(d).find('d') != std::string::npos) {
    written.insert(d.destination);
  }
  return written;
}

/// Whether all rows that an instruction names exist.
inline bool rows_exist(const Descriptor& d, const State& state) {
  if (d.count > std::min(kMostLogRows, state.log_depth)) return false;
  const unsigned rows = 1U << d.count;
  if (is_strip(d)) return d.operation < rows && d.b < rows;
  return first_row(d, 0) < rows && first_row(d, 1) < rows && first_row(d, 2) < rows;
}

/// Code 1 to 10 or 19, or 0.
inline unsigned error_of(const Descriptor& d, const State& state) {
  const std::string fields = fields_of(d);
  const auto has = [&](char field) { return fields.find(field) != std::string::npos; };
  const bool of_rows = is_strip(d) || d.opcode == CONVERT, of_conversions = of_rows || d.opcode == TABLE;
  if (has('?') || ((d.opcode == AUTOMORPHISM || of_conversions) && state.engine != XOR_BANKS)) return 1;
  if ((!has('d') && d.destination) || (!has('a') && d.a) || (!has('b') && !has('o') && d.b)) return 1;
  if ((!has('s') && !has('t') && d.slot) || (!has('c') && d.count) || d.top || d.unused[0] || d.unused[1]) return 1;
  if (!has('i') && !has('k') && !has('h') && (has('r') ? d.immediate >> 24 : d.immediate)) return 1;
  if (of_rows && !rows_exist(d, state)) return ROWS;
  if (d.opcode == CONVERT && !shape_of(d, state)) return 3;
  const std::set<unsigned> sources = sources_of(d, state), written = written_of(d, state);
  if ((!written.empty() && *written.rbegin() >= state.limbs) || (d.opcode == MAC && d.count == 0)) return 2;
  if (!sources.empty() && *sources.rbegin() >= state.limbs) return 2;
  if (has('s') && (d.slot >= state.slots || (d.opcode != CONSTANTS && !state.moduli[d.slot]))) return 3;
  if (has('t') && d.slot >= state.tables.size()) return 3;
  for (const unsigned source : sources) {
    if (!state.tags[source]) return 4;
  }
  for (const unsigned source : sources) {
    if (*state.tags[source] != (of_rows ? State::kRows : d.slot)) return 5;
  }
  if ((d.opcode == MAC || d.opcode == AUTOMORPHISM) && sources.count(d.destination)) return 6;
  if (has('i') && d.immediate % 64 != 0) return 7;
  const Wide bytes = d.opcode == CONSTANTS ? state.block_bytes : d.opcode == TABLE ? 8 * kTableWords : 8 * state.n;
  if (has('i') && (d.immediate < state.window || d.immediate + bytes > Wide{state.window} + state.window_size)) return 8;
  if (has('k') && d.immediate >= *state.moduli[d.slot]) return 9;
  if (has('h') && d.immediate >= state.n) return 10;
  return 0;
}

/// Rows that exist for the most part, of a strip or of three operands.
inline void random_rows(ringmill::Random& random, Descriptor& d, const State& state) {
  const unsigned most = std::min(kMostLogRows, state.log_depth);
  const auto number = [&](unsigned bound) {
    return static_cast<unsigned>(random.chance(97) ? random.below(bound) : random.below(256));
  };
  d.count = random.chance(97) ? 1 + static_cast<unsigned>(random.below(most)) : static_cast<unsigned>(random.below(256));
  const unsigned rows = 1U << std::min(d.count, 7U);
  if (d.opcode == CONVERT) {
    d.immediate = number(rows) | number(rows) << 8 | number(rows) << 16;
    if (random.chance(2)) d.immediate |= std::uint64_t{1} << (24 + random.below(40));
    d.slot = number(static_cast<unsigned>(state.tables.size()));
  } else {
    d.operation = number(rows);
    d.b = number(rows);
  }
}

/// A descriptor that is right for the most part.
template <class Model>
Descriptor random_descriptor(ringmill::Bench<Model>& bench, const State& state) {
  auto& random = bench.random;
  const unsigned opcodes[] = {LOAD, LOAD,         CONSTANTS, STORE,     STORE, NTT,    VECTOR,
                              VECTOR, VECTOR,     MAC,       AUTOMORPHISM, WAIT,  INTERRUPT, TABLE, CONVERT, CONVERT};
  Descriptor d;
  d.opcode = random.chance(97) ? opcodes[random.below(16)] : static_cast<unsigned>(random.below(256));
  if (d.opcode == CONVERT || ((d.opcode == LOAD || d.opcode == STORE) && random.chance(50))) random_rows(random, d, state);
  if (d.opcode == NTT) d.operation = static_cast<unsigned>(random.below(random.chance(95) ? 2 : 256));
  if (d.opcode == VECTOR) d.operation = static_cast<unsigned>(random.below(random.chance(95) ? 6 : 256));
  const std::string fields = fields_of(d);
  const auto has = [&](char field) { return fields.find(field) != std::string::npos || random.chance(1); };
  const auto number = [&](unsigned bound) {
    return static_cast<unsigned>(random.chance(97) ? random.below(bound) : random.below(256));
  };
  const bool of_rows = is_strip(d) || d.opcode == CONVERT;
  if (has('d')) d.destination = number(state.limbs);
  if (has('s')) d.slot = number(state.slots);
  if (d.opcode == TABLE) d.slot = number(static_cast<unsigned>(state.tables.size()));
  // Mostly a buffer that was written under the slot, or has rows.
  const auto source = [&] {
    for (unsigned i = 0; i < 20; ++i) {
      const auto buffer = static_cast<unsigned>(random.below(state.limbs));
      if (state.tags[buffer] == (of_rows ? State::kRows : d.slot)) return buffer;
    }
    return number(state.limbs);
  };
  if (has('a')) d.a = source();
  if (has('b') && !is_strip(d)) d.b = source();
  if (has('c') && !of_rows) d.count = random.chance(90) ? 1 + static_cast<unsigned>(random.below(3)) : number(state.limbs + 2);
  if (random.chance(1)) d.top = 1 + static_cast<unsigned>(random.below(255));
  if (random.chance(1)) d.unused[random.below(2)] = 1ULL << random.below(64);
  const Wide bytes = d.opcode == CONSTANTS ? state.block_bytes : d.opcode == TABLE ? 8 * kTableWords : 8 * state.n;
  if (d.opcode == CONVERT) return d;
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
  // A conversion without own words does not look at b.
  return {d.opcode, d.operation, d.destination, d.a, d.b % 32, d.slot, d.count, d.immediate};
}

inline std::uint64_t mask_of(const std::set<unsigned>& buffers) {
  std::uint64_t mask = 0;
  for (const unsigned buffer : buffers) mask |= 1ULL << buffer;
  return mask;
}

inline std::uint64_t uses_of(const Descriptor& d, const State& state) {
  return mask_of(sources_of(d, state)) | mask_of(written_of(d, state));
}

/// A random shape, small for the most part.
inline Shape random_shape(ringmill::Random& random) {
  const bool small = random.chance(80);
  return {1 + static_cast<unsigned>(random.below(small ? 4 : 31)), 1 + static_cast<unsigned>(random.below(small ? 4 : 32)),
          random.chance(50), random.chance(50), random.chance(50)};
}

/// As the port has it.
inline unsigned bits_of(const Shape& shape) {
  return unsigned{shape.low} << 13 | unsigned{shape.half} << 12 | unsigned{shape.own} << 11 | shape.targets << 5 | shape.sources;
}

}  // namespace core
