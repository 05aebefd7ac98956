// A prime and its transform by definition, for either engine.

#pragma once

#include <functional>

#include "../../ntt_engine/dedicated_read/tests/host.h"
#include "../../ntt_engine/dedicated_read/tests/polynomials.h"
#include "../../ntt_engine/xor_banks/tests/field.h"
#include "engine.h"

namespace core {

using Words = std::vector<std::uint64_t>;

/// A prime of a core.
struct Prime {
  xor_banks::Field field;
  Words constants;
  /// The values of coefficients, in the order in which a forward transform leaves them.
  std::function<Words(const Words&)> evaluated;
  /// Whether an inverse transform leaves coefficient -i in the place of i.
  bool reversed;

  /// Coefficients from the order in which an inverse transform leaves them, and back.
  Words ordered(const Words& words) const {
    Words result = words;
    if (reversed) std::reverse(result.begin() + 1, result.end());
    return result;
  }
};

/// Of a cyclic transform of n points; word i of the values is the one in the place of coefficient i.
template <class Bench>
Prime cyclic_prime(const Bench& bench, Wide below) {
  const std::uint64_t n = bench.parameter("N");
  const auto width = static_cast<unsigned>(bench.parameter("Width")), word = static_cast<unsigned>(bench.parameter("Word"));
  const xor_banks::Field field(width, word, std::max(n, std::uint64_t{1} << word), below);
  const dedicated::Shape shape = dedicated::shape_of(bench);
  const dedicated::Field roots = dedicated::field_of(field.q, n, width, word);
  const auto evaluated = [=, indices = shape.value_indices()](const Words& words) {
    const Words values = dedicated::transform(roots, words, roots.omega);
    Words result(n);
    for (std::uint64_t i = 0; i < n; ++i) result[i] = values[indices[shape.number(shape.of_coefficient(i))]];
    return result;
  };
  return {field, dedicated::constants(shape, roots, 0), evaluated, true};
}

/// The greatest prime below a bound.
template <class Bench>
Prime prime_of(const Bench& bench, Wide below = ~Wide{0}) {
  if (engine_of(bench) == DEDICATED_READ) return cyclic_prime(bench, below);
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const xor_banks::Shape shape(ringmill::bit_length(number("N")) - 1, ringmill::bit_length(number("Units")) - 1, true);
  const xor_banks::Ring ring(shape, number("Width"), number("Word"), 1, below);
  return {ring.field, ring.constants(), [ring](const Words& words) { return ring.evaluated(words); }, false};
}

/// Cycles of the transform unit from the start to the end: to the first read, and from there to the last write, with
/// banks that answer two cycles after a read.
template <class Bench>
std::uint64_t transform_cycles(const Bench& bench, bool inverse) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  if (engine_of(bench) == DEDICATED_READ) {
    const dedicated::Timetable table{dedicated::shape_of(bench), dedicated::slot_latency(bench) + 1};
    return 2 + (inverse ? table.scaled() : table.passes());
  }
  const xor_banks::Shape shape(ringmill::bit_length(number("N")) - 1, ringmill::bit_length(number("Units")) - 1, true);
  const unsigned butterfly = ringmill::butterfly_latency(number("Width"), number("Word"), number("Pipeline"), true);
  return 3 + xor_banks::timetable(shape, inverse, 2 + 1 + butterfly + 1).cycles;
}

}  // namespace core
