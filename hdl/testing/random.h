// Random numbers that a seed determines, with a liking for edges.

#pragma once

#include <cstdint>
#include <vector>

#include "wide.h"

namespace ringmill {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// 64 uniform bits.
  std::uint64_t word() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// A number below `bound`, which is not 0; its bias is negligible for bounds below 2^96.
  Wide below(Wide bound) { return (Wide{word()} << 64 | word()) % bound; }

  /// True `percent` times of a hundred.
  bool chance(unsigned percent) { return below(100) < percent; }

  /// A number below `bound`; one time of four close to an end, to the middle, or to a power of two.
  Wide edgy(Wide bound) {
    if (!chance(25)) return below(bound);
    const Wide anchors[] = {0, bound - 1, bound / 2, Wide{1} << below(bit_length(bound))};
    const Wide value = anchors[below(4)] + below(3) - 1;
    return value < bound ? value : bound - 1;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ringmill
