// The latency of a butterfly, written down once more.

#pragma once

namespace dedicated {

/// From the read of a word to its write: three cycles before and three after the butterfly.
inline unsigned slot_latency(unsigned width, unsigned word) {
  const unsigned steps = (width + word - 1) / word;
  return 6 + 2 + steps + 9;
}

}  // namespace dedicated
