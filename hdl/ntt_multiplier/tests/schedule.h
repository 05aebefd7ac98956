// The schedule of the NTT multiplier by its definition: where each index lies, which pair is when, and the tables that
// the host loads. Follows the header of ntt_multiplier_pkg, not its functions.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bench.h"
#include "latency.h"
#include "primes.h"
#include "wide.h"

namespace ringmill {

using Words = std::vector<std::uint64_t>;

/// A machine's shape and its modulus.
struct Ring {
  unsigned log_n;
  unsigned log_units;
  std::uint64_t modulus;
  unsigned pipeline = 0;  // as the model's parameter
  std::uint64_t psi = 0;  // of order 2n
  std::uint64_t radix = 0;  // R of Montgomery's reduction

  Ring(unsigned log_n, unsigned log_units, std::uint64_t modulus)
      : log_n(log_n), log_units(log_units), modulus(modulus) {
    const unsigned word = log_n + 1;
    radix = power_mod(2, word * ((32 + word - 1) / word), modulus);
    for (std::uint64_t base = 2; psi == 0; ++base) {
      const std::uint64_t root = power_mod(base, (modulus - 1) >> word, modulus);
      if (power_mod(root, n(), modulus) == modulus - 1) psi = root;
    }
  }

  std::uint64_t n() const { return std::uint64_t{1} << log_n; }
  unsigned units() const { return 1U << log_units; }
  unsigned bank_bits() const { return log_units + 1; }
  unsigned slots() const { return 1U << (log_n - bank_bits()); }
  unsigned word_bits() const { return log_n + 1; }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % modulus);
  }
  std::uint64_t negated(std::uint64_t a) const { return a == 0 ? 0 : modulus - a; }
  /// psi^e for any e.
  std::uint64_t power(std::int64_t exponent) const {
    const auto order = static_cast<std::int64_t>(2 * n());
    return power_mod(psi, static_cast<std::uint64_t>((exponent % order + order) % order), modulus);
  }
};

/// The ring of a model's parameters, modulo the greatest prime of `bits` bits: the sharpest bounds.
template <class Model>
Ring shape_of(const Bench<Model>& bench, unsigned bits = 32) {
  const unsigned log_n = bit_length(bench.parameter("N")) - 1;
  const unsigned log_units = bit_length(bench.parameter("Units")) - 1;
  Ring ring{log_n, log_units, prime_from((Wide{1} << bits) - 1, bits, log_n + 1, true)};
  ring.pipeline = static_cast<unsigned>(bench.parameter_or("Pipeline", 0));
  return ring;
}

inline std::uint64_t reversed(std::uint64_t value, unsigned bits) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

/// Bank and address of an index.
inline unsigned bank_of(const Ring& ring, std::uint64_t index) {
  unsigned bank = 0;
  for (unsigned m = 0; m < ring.log_n; ++m) bank ^= static_cast<unsigned>(index >> m & 1) << (m % ring.bank_bits());
  return bank;
}
inline unsigned address_of(const Ring& ring, std::uint64_t index) {
  return static_cast<unsigned>(index >> ring.bank_bits());
}

/// The index that bank `bank` is asked for in slot `slot` of a pass on bit `bit`: time gives the bits outside the
/// window, and one setting of those inside leads to the bank.
inline std::uint64_t index_of(const Ring& ring, unsigned bit, unsigned slot, unsigned bank) {
  const unsigned width = ring.bank_bits();
  const unsigned start = bit + 1 > width ? bit + 1 - width : 0;
  const std::uint64_t low = slot & ((std::uint64_t{1} << start) - 1);
  const std::uint64_t time = low | static_cast<std::uint64_t>(slot >> start) << (start + width);
  unsigned differ = bank_of(ring, time) ^ bank;
  std::uint64_t index = time;
  for (unsigned m = start; m < start + width; ++m) {
    index |= static_cast<std::uint64_t>(differ >> (m % width) & 1) << m;
  }
  return index;
}

inline unsigned own_bank(unsigned unit) { return 2 * unit + static_cast<unsigned>(__builtin_popcount(unit)) % 2; }

/// One read of all banks, from the first of its job.
struct Slot {
  unsigned cycle;
  unsigned bit;
  unsigned slot;
  unsigned product;
  bool inverse;
  bool second;  // cycle of a slot that is multiplied by the fixed operand
};

/// Cycles of the array: a butterfly; deep, also a register on each side of it.
inline unsigned array_latency(const Ring& ring) {
  return butterfly_latency(32, ring.word_bits(), ring.pipeline, false) + (ring.pipeline == 0 ? 0 : 2);
}

/// Cycles from a read to the first read of its result: memory (deep: two), array, write.
inline unsigned access_latency(const Ring& ring) { return array_latency(ring) + (ring.pipeline == 0 ? 2 : 3); }

/// Jobs that take turns: two where a result takes longer than a pass, with a deep pipeline.
inline unsigned threads(const Ring& ring) {
  return ring.pipeline != 0 && access_latency(ring) > ring.slots() ? 2 : 1;
}

/// All reads of a job. Knows no formula for gaps: each pass starts as early as the words that it reads allow, in a cycle
/// that is the job's turn.
inline std::vector<Slot> timetable(const Ring& ring, unsigned products) {
  std::vector<Slot> slots;
  const unsigned turn = threads(ring);
  std::vector<unsigned> readable(ring.n(), 0);
  // In turns, as `begin`; the cycles of `readable` and of slots are cycles.
  unsigned now = 0;
  const auto pass = [&](unsigned bit, unsigned length, bool inverse, unsigned product) {
    unsigned begin = now;
    for (unsigned slot = 0; slot < ring.slots(); ++slot) {
      for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
        const unsigned ready = (readable[index_of(ring, bit, slot, bank)] + turn - 1) / turn;
        if (ready > slot * length) begin = std::max(begin, ready - slot * length);
      }
    }
    for (unsigned slot = 0; slot < ring.slots(); ++slot) {
      for (unsigned i = 0; i < length; ++i) {
        slots.push_back({turn * (begin + slot * length + i), bit, slot, product, inverse, i == 1});
      }
      for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
        readable[index_of(ring, bit, slot, bank)] = slots.back().cycle + access_latency(ring);
      }
    }
    now = slots.back().cycle / turn + 1;
  };
  for (unsigned bit = ring.log_n - 1; bit >= 1; --bit) pass(bit, 1, false, 0);
  for (unsigned product = 0; product < products; ++product) {
    // The forward transform's words stay where they are.
    if (product != 0) std::fill(readable.begin(), readable.end(), 0);
    pass(0, 2, false, product);
    for (unsigned bit = 0; bit + 1 < ring.log_n; ++bit) pass(bit, 1, true, product);
  }
  return slots;
}

/// Cycles of a job, from its first read to its last result, both included.
inline unsigned job_cycles(const Ring& ring, unsigned products) {
  return timetable(ring, products).back().cycle + access_latency(ring);
}

/// Values of a polynomial where the forward transform leaves them: entry i at psi^(2 brv(i) + 1).
inline Words values_of(const Ring& ring, const Words& coefficients) {
  Words values(ring.n());
  for (std::uint64_t i = 0; i < ring.n(); ++i) {
    const std::uint64_t point = ring.power(static_cast<std::int64_t>(2 * reversed(i, ring.log_n) + 1));
    std::uint64_t value = 0;
    for (std::uint64_t j = ring.n(); j-- > 0;) value = (ring.times(value, point) + coefficients[j]) % ring.modulus;
    values[i] = value;
  }
  return values;
}

/// Product modulo x^n + 1 and the modulus, term by term.
inline Words negacyclic_product(const Ring& ring, const Words& a,
                                                     const Words& b) {
  const std::uint64_t n = ring.n();
  Words result(n);
  for (std::uint64_t k = 0; k < n; ++k) {
    Wide plus = 0, minus = 0;
    for (std::uint64_t i = 0; i <= k; ++i) plus += a[i] * b[k - i];
    for (std::uint64_t i = k + 1; i < n; ++i) minus += a[i] * b[n + k - i];
    result[k] = (static_cast<std::uint64_t>(plus % ring.modulus) + ring.modulus
        - static_cast<std::uint64_t>(minus % ring.modulus)) % ring.modulus;
  }
  return result;
}

/// The words of a fixed operand for one unit: two a slot, that of U and that of V.
inline void append_operand(const Ring& ring, unsigned unit, const Words& values,
                           Words& factors) {
  for (unsigned slot = 0; slot < ring.slots(); ++slot) {
    const std::uint64_t index = index_of(ring, 0, slot, own_bank(unit));
    const std::uint64_t lower = values[index & ~std::uint64_t{1}], upper = values[index | 1];
    factors.push_back(ring.times(lower, ring.radix));
    factors.push_back(ring.times(index & 1 ? ring.negated(upper) : upper, ring.radix));
  }
}

/// The words of a pass for one unit, negated where its own bank holds V.
inline void append_pass(const Ring& ring, unsigned unit, unsigned bit, bool inverse, Words& factors) {
  const unsigned rest = ring.log_n - 1 - bit;
  for (unsigned slot = 0; slot < ring.slots(); ++slot) {
    const std::uint64_t index = index_of(ring, bit, slot, own_bank(unit));
    const std::uint64_t within = index & ((std::uint64_t{1} << bit) - 1);
    // Exponents of omega = psi^2.
    const std::uint64_t block = reversed(index >> (bit + 1), rest);
    const auto exponent = static_cast<std::int64_t>(inverse ? block << bit : within << rest);
    const std::uint64_t factor = ring.times(ring.power(inverse ? -2 * exponent : 2 * exponent), ring.radix);
    factors.push_back(index >> bit & 1 ? ring.negated(factor) : factor);
  }
}

/// All factors of one unit, in the order of use.
inline Words factors_of(const Ring& ring, unsigned unit, const Words& values0,
                                             const Words& values1) {
  Words factors;
  for (unsigned bit = ring.log_n - 1; bit >= 1; --bit) append_pass(ring, unit, bit, false, factors);
  append_operand(ring, unit, values0, factors);
  for (unsigned bit = 0; bit + 1 < ring.log_n; ++bit) append_pass(ring, unit, bit, true, factors);
  append_operand(ring, unit, values1, factors);
  return factors;
}

/// The packet of all factors: word 0 of all units, word 1 of all units ...
inline Words factor_packet(const Ring& ring, const Words& values0,
                                                const Words& values1) {
  std::vector<Words> units;
  for (unsigned unit = 0; unit < ring.units(); ++unit) units.push_back(factors_of(ring, unit, values0, values1));
  Words packet;
  for (std::size_t address = 0; address < units[0].size(); ++address) {
    for (const auto& factors : units) packet.push_back(factors[address]);
  }
  return packet;
}

/// The same of the operands alone.
inline Words operand_packet(const Ring& ring, const Words& values0,
                                                 const Words& values1) {
  Words packet;
  for (const auto* values : {&values0, &values1}) {
    std::vector<Words> units(ring.units());
    for (unsigned unit = 0; unit < ring.units(); ++unit) append_operand(ring, unit, *values, units[unit]);
    for (std::size_t address = 0; address < units[0].size(); ++address) {
      for (const auto& factors : units) packet.push_back(factors[address]);
    }
  }
  return packet;
}

/// psi^j R, and psi^-j n^-1 R.
inline Words input_scale(const Ring& ring) {
  Words scale;
  for (std::uint64_t j = 0; j < ring.n(); ++j) {
    scale.push_back(ring.times(ring.power(static_cast<std::int64_t>(j)), ring.radix));
  }
  return scale;
}
inline Words output_scale(const Ring& ring) {
  const std::uint64_t inverse = power_mod(ring.n(), ring.modulus - 2, ring.modulus);
  Words scale;
  for (std::uint64_t j = 0; j < ring.n(); ++j) {
    scale.push_back(ring.times(ring.times(ring.power(-static_cast<std::int64_t>(j)), inverse), ring.radix));
  }
  return scale;
}

}  // namespace ringmill
