// The clusters of a ring of T tiles: the paper's where T is 16, 64 or 256.

#pragma once

namespace ringmill {

/// log2 of a power of two.
inline unsigned bits_of(unsigned count) {
  unsigned bits = 0;
  while (1U << bits < count) ++bits;
  return bits;
}

struct Clusters {
  explicit Clusters(unsigned tiles)
      : members(1U << (bits_of(tiles) / 2 - 1)), packets(members / 2), count(tiles / members) {}

  /// Tiles of a cluster; packets for a cluster, which are for two of its tiles each; clusters.
  unsigned members, packets, count;
};

}  // namespace ringmill
