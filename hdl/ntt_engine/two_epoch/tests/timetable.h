// When each tile reads which words: found step by step, each as early as the words' last writes allow.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clusters.h"

namespace ringmill {

/// A butterfly's cycles for words of 32 bits. Shallow: partial products, their sum, a Montgomery step a cycle, sums.
/// Deep: sums (2), products (4), steps of two cycles, three where the modulus is longer than a slice's operand, one
/// more in the last, sums (2) and a choice.
inline unsigned butterfly_cycles(unsigned word, bool deep = true) {
  const unsigned steps = (32 + word - 1) / word;
  if (!deep) return 2 + steps + 1;
  return 2 + 4 + steps * (33 - word > 25 ? 3 : 2) + 1 + 2 + 1;
}

/// A read of a pair by a tile, and when its results can be read.
struct Read {
  unsigned tile, cycle;
  unsigned first, second;  // addresses
  bool returns;            // words that the exchange brought
};

class Timetable {
 public:
  struct Step {
    unsigned bit;  // of an exchange 0
    bool exchange;
    unsigned start, end;  // `end` is the first cycle after it
  };

  Timetable(unsigned tiles, bool transposer, unsigned unit)
      : tiles_(tiles), bits_(bits_of(tiles)), transposer_(transposer), access_(unit + 4),
        ready_(tiles, std::vector<unsigned>(tiles)) {
    for (unsigned bit = bits_; --bit > 0;) pass(bit);
    exchange();
    for (unsigned bit = transposer ? 1 : 0; bit < bits_; ++bit) pass(bit);
  }

  const std::vector<Step>& steps() const { return steps_; }

  /// From the first read to the last write: back, the last pass is twice as long.
  unsigned cycles(bool inverse) const { return steps_.back().end - 1 + access_ + (inverse ? tiles_ / 2 : 0); }

  /// Cycles from the exchange's read of a pair to the read of the pair that comes in its place (transposer).
  unsigned return_delay() const {
    // The butterfly, a serial word more, a register for each two bits of the step, one more where that makes the
    // way of the words even; then the first odd cycle.
    const unsigned stages = (bits_ + 1) / 2;
    const unsigned network = stages + 1 + (stages + 1) % 2;
    return (access_ + network) / 2 * 2 + 1;
  }

 private:
  /// Places a step whose reads are relative to its start.
  void place(unsigned bit, bool exchange, unsigned length, const std::vector<Read>& reads) {
    unsigned start = steps_.empty() ? 0 : steps_.back().end;
    for (const Read& read : reads) {
      if (read.returns) continue;
      const auto& ready = ready_[read.tile];
      const unsigned earliest = std::max(ready[read.first], ready[read.second]);
      if (earliest > start + read.cycle) start = earliest - read.cycle;
    }
    if (!exchange || transposer_) {
      for (const Read& read : reads) {
        if (exchange && !read.returns) continue;
        ready_[read.tile][read.first] = ready_[read.tile][read.second] = start + read.cycle + access_;
      }
    }
    steps_.push_back({bit, exchange, start, start + length});
  }

  void pass(unsigned bit) {
    std::vector<Read> reads;
    for (unsigned slot = 0; slot < tiles_ / 2; ++slot) {
      const unsigned first = slot >> bit << (bit + 1) | (slot & ((1U << bit) - 1));
      for (unsigned tile = 0; tile < tiles_; ++tile) reads.push_back({tile, slot, first, first | 1U << bit, false});
    }
    place(bit, false, tiles_ / 2, reads);
  }

  void exchange() {
    std::vector<Read> reads;
    if (transposer_) {
      for (unsigned pair = 0; pair < tiles_ / 2; ++pair) {
        for (unsigned tile = 0; tile < tiles_; ++tile) {
          reads.push_back({tile, 2 * pair, 2 * pair, 2 * pair + 1, false});
          reads.push_back({tile, 2 * pair + return_delay(), 2 * pair, 2 * pair + 1, true});
        }
      }
      place(0, true, tiles_ - 1 + return_delay(), reads);
      return;
    }
    const Clusters ring(tiles_);
    const unsigned members = ring.members;
    unsigned now = 0;
    // What has come, by tile and address: free to be read the cycle after the memory has it.
    std::vector<std::vector<unsigned>> arrival(tiles_, std::vector<unsigned>(tiles_));
    for (unsigned distance = 0; distance < ring.count; ++distance) {
      for (unsigned packet = 0; packet < ring.packets; ++packet) {
        for (unsigned tile = 0; tile < tiles_; ++tile) {
          const unsigned to = (tile / members + distance) % ring.count;
          const unsigned group = distance == 0 ? packet ^ (tile % members / 2) : packet;
          const unsigned first = to * members + 2 * group;
          reads.push_back({tile, now, first, first + 1, false});
          const unsigned step = distance == 0 ? 0 : tile % members / 2;
          arrival[first][tile] = arrival[first + 1][tile] = now + distance + 1 + step;
        }
        now += distance == 0 ? 2 : 1 + distance + ring.packets;
      }
    }
    place(0, true, now, reads);
    for (unsigned tile = 0; tile < tiles_; ++tile) {
      for (unsigned word = 0; word < tiles_; ++word) {
        ready_[tile][word] = steps_.back().start + arrival[tile][word] + access_;
      }
    }
  }

  unsigned tiles_, bits_;
  bool transposer_;
  unsigned access_;
  std::vector<std::vector<unsigned>> ready_;
  std::vector<Step> steps_;
};

}  // namespace ringmill
