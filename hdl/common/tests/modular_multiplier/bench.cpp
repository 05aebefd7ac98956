// modular_multiplier beside products of 128 bits, with either reduction.

#include "bench.h"
#include "latency.h"

namespace {

/// What of a parameter set the expected values depend on.
struct Shape {
  unsigned width;
  unsigned word;
  bool is_barrett;
  unsigned steps;
  unsigned latency;
};

template <class Model>
Shape shape_of(const ringmill::Bench<Model>& bench) {
  Shape shape{};
  shape.width = static_cast<unsigned>(bench.parameter("Width"));
  shape.word = static_cast<unsigned>(bench.parameter("Word"));
  shape.is_barrett = bench.parameter("Reduction") == 1;
  shape.steps = (shape.width + shape.word - 1) / shape.word;
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  shape.latency = ringmill::integer_multiplier_latency(shape.width, pipeline)
      + (shape.is_barrett ? ringmill::barrett_latency(shape.width, pipeline)
                          : ringmill::montgomery_latency(shape.width, shape.word, pipeline));
  return shape;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const Shape shape = shape_of(bench);
  for (const std::uint64_t q : ringmill::primes(bench.random, std::min(shape.width, 22U), shape.width, shape.word)) {
    const unsigned bits = ringmill::bit_length(q);
    const std::uint64_t radix = shape.is_barrett ? 1 : ringmill::power_mod(2, shape.word * shape.steps, q);
    const std::uint64_t inverse = ringmill::power_mod(radix, q - 2, q);
    // Any word times a residue; for Barrett's reduction, a word of the modulus' length.
    const Wide words = Wide{1} << (shape.is_barrett ? bits : shape.width);
    bench->modulus_i = q;
    bench->length_i = shape.is_barrett ? bits : 0;
    bench->constant_i = shape.is_barrett ? ((Wide{1} << (bits + shape.width)) / q) & ringmill::mask(shape.width) : 0;
    ringmill::check_pipeline(bench, shape.latency, 1500, bench->result_o, [&](std::string& inputs) {
      const Wide a = bench.random.edgy(words), b = bench.random.edgy(q);
      bench->lhs_i = a;
      bench->rhs_i = b;
      inputs = text(a) + " * " + text(b) + " mod " + text(q);
      return a * b % q * inverse % q;
    });
  }
}
