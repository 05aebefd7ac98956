// Operations of a tile, and what they do, in 128 bits.

#pragma once

#include <array>
#include <vector>

#include "latency.h"
#include "primes.h"
#include "random.h"
#include "wide.h"

namespace tile {

using ringmill::Wide;

constexpr unsigned kWords = 3 * 128;

/// Latencies of the document.
const unsigned kPart = 2 + ringmill::integer_multiplier_latency(32, 1) + 1, kSum = kPart + 1;
const unsigned kLatency = kSum + ringmill::montgomery_latency(36, 16, 1);

struct Operation {
  unsigned kind = 0, chain = 0;
  bool waits = false;
  unsigned operand = 0, constants = 0, triples = 1, destination = 0;
  std::uint32_t modulus = 1;
};

/// An operation on triples of the lower half, whose result goes to the upper one. The first one has no sum to go on with.
inline Operation random_operation(ringmill::Random& random, const std::vector<std::uint64_t>& primes, bool goes_on) {
  Operation operation{.kind = static_cast<unsigned>(random.below(3))};
  operation.chain = goes_on ? static_cast<unsigned>(random.below(3)) : 0;
  // A residue is that of a sum of products with words below 2^30.
  if (operation.kind == 2) operation.chain = 0;
  operation.triples = 1 + static_cast<unsigned>(random.below(random.chance(80) ? 5 : 40));
  operation.operand = static_cast<unsigned>(random.below(64 - operation.triples));
  operation.destination = kWords / 2 + static_cast<unsigned>(random.below(kWords / 2));
  operation.modulus = static_cast<std::uint32_t>(primes[random.below(primes.size())]);
  return operation;
}

/// A tile by the definition.
struct Interpreter {
  std::array<std::uint32_t, kWords> words{};
  Wide sum = 0;

  void run(const Operation& operation, const std::vector<std::array<std::uint32_t, 3>>& constants) {
    sum = operation.chain == 0 ? 0 : operation.chain == 1 ? sum : sum >> 32;
    for (unsigned t = 0; t < operation.triples; ++t) {
      for (unsigned lane = 0; lane < 3; ++lane) {
        sum += Wide{words[3 * (operation.operand + t) + lane]} * constants[t][lane];
      }
    }
    sum &= (Wide{1} << 72) - 1;
    if (operation.kind == 1) words[operation.destination] = static_cast<std::uint32_t>(sum);
    if (operation.kind == 2) {
      const std::uint64_t q = operation.modulus, radix = ringmill::power_mod(2, 48, q);
      const Wide inverse = ringmill::power_mod(radix, q - 2, q);
      words[operation.destination] = static_cast<std::uint32_t>(sum % q * inverse % q);
    }
  }
};

}  // namespace tile
