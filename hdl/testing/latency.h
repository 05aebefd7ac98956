// Latencies of the common modules, counted again by what is registered: `pipeline` is 0 for shallow, 1 for deep, 2 for
// narrow.

#pragma once

#include <algorithm>

namespace ringmill {

/// Digits of a word.
inline unsigned digits(unsigned width, unsigned digit) { return (width + digit - 1) / digit; }

/// Shallow: partial products, sum. Deep: operands, partial products, first sums, then as many as there are digits but
/// one (16 x 16 bits up to 32, then 24 x 17 or 17 x 17).
inline unsigned integer_multiplier_latency(unsigned width, unsigned pipeline) {
  if (pipeline == 0) return 2;
  return 2 + digits(width, width <= 32 ? 16 : 17);
}

/// Shallow: one. Deep: product and sum, with one sum more where the modulus' high part is longer than a slice's
/// operand (25 or 18 bits with its sign), and the correction at the end.
inline unsigned montgomery_step_latency(unsigned width, unsigned word, unsigned pipeline, bool last) {
  if (pipeline == 0) return 1;
  const unsigned operand = pipeline == 1 ? 25 : 18;
  return 2 + (width - word + 1 > operand) + last;
}

inline unsigned montgomery_latency(unsigned width, unsigned word, unsigned pipeline) {
  unsigned cycles = 0;
  for (unsigned step = 0; step < digits(width, word); ++step) {
    cycles += montgomery_step_latency(width, word, pipeline, step + 1 == digits(width, word));
  }
  return cycles;
}

/// Alignment, two products, correction (deep: difference and two corrections).
inline unsigned barrett_latency(unsigned width, unsigned pipeline) {
  return 1 + 2 * integer_multiplier_latency(width, pipeline) + (pipeline == 0 ? 1 : 3);
}

/// Deep: two cycles for the sums before the multiplier, two for those behind it; a register for the choice.
inline unsigned butterfly_latency(unsigned width, unsigned word, unsigned pipeline, bool combines) {
  const unsigned sums = pipeline == 0 ? 0 : 2;
  const unsigned product = integer_multiplier_latency(width, pipeline) + montgomery_latency(width, word, pipeline);
  return sums + product + (combines ? sums + 1 : 0);
}

}  // namespace ringmill
