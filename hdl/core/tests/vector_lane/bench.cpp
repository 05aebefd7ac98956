// vector_lane beside 128-bit integers: operations in any order, sums of 1 to 32 products, over primes of all lengths.

#include <deque>

#include "bench.h"
#include "latency.h"

namespace {

using ringmill::Wide;

enum Operation : unsigned { kAdd, kSubtract, kNegate, kMultiply, kScale, kFill, kMove };

struct Operands {
  Wide a, b, c;
};

/// The result of an operation without its sum.
Wide result_of(Operation operation, const Operands& operands, Wide q, Wide inverse_radix) {
  const auto& [a, b, c] = operands;
  switch (operation) {
    case kAdd: return (a + b) % q;
    case kSubtract: return (a + q - b) % q;
    case kNegate: return (q - a) % q;
    case kMultiply: return a * b % q * inverse_radix % q;
    case kScale: return a * c % q * inverse_radix % q;
    case kFill: return c;
    default: return a;
  }
}

/// An edgy word, an extreme one, or R: a product with that is the other operand.
Wide word_below(ringmill::Random& random, Wide q, Wide radix) {
  if (random.chance(60)) return random.edgy(q);
  const Wide words[] = {0, 1, q - 1, radix};
  return words[random.below(4)];
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned width = number("Width"), word = number("Word"), pipeline = number("Pipeline");
  const unsigned product =
      ringmill::integer_multiplier_latency(width, pipeline) + ringmill::montgomery_latency(width, word, pipeline);
  // Reduced addend, sum, correction.
  const unsigned latency = product + 3;
  for (const std::uint64_t q : ringmill::primes(bench.random, std::min(width, 28U), width, word)) {
    const Wide radix = ringmill::power_mod(2, word * ((width + word - 1) / word), q);
    const Wide inverse_radix = ringmill::power_mod(static_cast<std::uint64_t>(radix), q - 2, q);
    bench->modulus_i = q;
    std::deque<Wide> expected;
    auto operation = kAdd;
    Wide sum = 0;
    unsigned terms = 0;
    for (unsigned i = 0; i < 2000 + latency; ++i) {
      const bool first = terms == 0;
      if (first) {
        operation = static_cast<Operation>(bench.random.below(7));
        const bool multiplies = operation == kMultiply || operation == kScale;
        terms = multiplies && bench.random.chance(50) ? 1 + static_cast<unsigned>(bench.random.below(32)) : 1;
      }
      --terms;
      const auto draw = [&] { return word_below(bench.random, q, radix); };
      const Operands operands{draw(), draw(), draw()};
      bench->operation_i = operation;
      bench->first_i = first;
      bench->a_i = operands.a;
      bench->b_i = operands.b;
      bench->constant_i = operands.c;
      sum = ((first ? 0 : sum) + result_of(operation, operands, q, inverse_radix)) % q;
      expected.push_back(sum);
      bench.step();
      if (expected.size() < latency) continue;
      bench.expect_equal(bench->result_o, expected.front(), "result modulo " + ringmill::text(q));
      expected.pop_front();
    }
  }
}
