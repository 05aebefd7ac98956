// The link between host and machine: bandwidth, latency, buffers at the machine's side, and random stalls.
//
// All times are cycles of the machine's clock; bandwidth is exact, as a fraction of it. Beats enter the link when
// there is bandwidth left, come out `latency` cycles later and wait in a buffer until the machine takes them, one
// a cycle; the other way is the same. A half-duplex link shares its bandwidth between both directions, which take
// turns while both have something to send.

#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace ringmill {

/// Settings of a link (`Link` in Rust has the same layout).
struct LinkSettings {
  std::uint64_t bits_per_second;
  std::uint64_t clock_hertz;
  std::uint64_t latency;        // cycles, each way
  std::uint64_t buffer_beats;   // of the buffer of each direction
  std::uint64_t half_duplex;    // 0 or 1
  std::uint64_t input_stalls;   // cycles of 256 in which a beat that waits is not offered
  std::uint64_t output_stalls;  // cycles of 256 in which the machine's result is not taken
  std::uint64_t seed;           // of the stalls
};

/// When the parts of a job happened, in cycles since the transfer began (`JobTimes` in Rust).
struct JobTimes {
  std::uint64_t sent;      // its first beat entered the link
  std::uint64_t accepted;  // the machine took its last beat
  std::uint64_t first;     // the machine gave its first result
  std::uint64_t given;     // the machine gave its last result
  std::uint64_t arrived;   // its last result left the link at the host
};

/// One direction: beats by number, in the order sent.
class Direction {
 public:
  /// Beats that have come out at the other end.
  std::uint64_t arrived = 0;
  /// Beats that have entered.
  std::uint64_t entered = 0;

  void enter(std::uint64_t when_out) {
    flight_.push_back(when_out);
    ++entered;
  }

  void advance(std::uint64_t now) {
    while (!flight_.empty() && flight_.front() <= now) {
      flight_.pop_front();
      ++arrived;
    }
  }

 private:
  std::deque<std::uint64_t> flight_;
};

class Link {
 public:
  Link(const LinkSettings& settings, std::uint64_t beat_bits, std::uint64_t input_beats)
      : settings_(settings), cost_(beat_bits * settings.clock_hertz), input_beats_(input_beats),
        random_(settings.seed) {}

  Direction input;
  Direction output;
  /// Beats that the machine has taken and given.
  std::uint64_t taken = 0;
  std::uint64_t given = 0;

  /// What a cycle of the link does, before the machine's: returns whether a beat entered.
  bool advance(std::uint64_t now) {
    const std::uint64_t before = input.entered + output.entered;
    input_credit_ += settings_.bits_per_second;
    output_credit_ += settings_.bits_per_second;
    while (send(now)) {
    }
    // Bandwidth that is not used is lost.
    input_credit_ = std::min(input_credit_, cost_);
    output_credit_ = std::min(output_credit_, cost_);
    input.advance(now);
    output.advance(now);
    // A beat that is offered stays offered until it is taken.
    offered_ = input.arrived > taken && (offered_ || !stalls(settings_.input_stalls));
    accepting_ = given - output.entered < settings_.buffer_beats && !stalls(settings_.output_stalls);
    return input.entered + output.entered != before;
  }

  /// Whether beat number `taken` is at the machine's input.
  bool offers() const { return offered_; }
  /// Whether a result would be taken.
  bool accepts() const { return accepting_; }

  void take() {
    ++taken;
    offered_ = false;
  }
  void give() { ++given; }

 private:
  /// Sends one beat, if one waits and there is bandwidth.
  bool send(std::uint64_t now) {
    std::uint64_t& output_credit = settings_.half_duplex ? input_credit_ : output_credit_;
    // Beats on the way count as buffered: there is always room for them.
    const bool in = input.entered < input_beats_ && input.entered - taken < settings_.buffer_beats &&
                    input_credit_ >= cost_;
    const bool out = output.entered < given && output_credit >= cost_;
    if (!in && !out) return false;
    input_turn_ = in && (!out || input_turn_);
    if (input_turn_) {
      input_credit_ -= cost_;
      input.enter(now + settings_.latency);
    } else {
      output_credit -= cost_;
      output.enter(now + settings_.latency);
    }
    input_turn_ = !input_turn_;
    return true;
  }

  /// Whether this cycle is one of so many of 256 (SplitMix64).
  bool stalls(std::uint64_t share) {
    if (share == 0) return false;
    random_ += 0x9e3779b97f4a7c15u;
    std::uint64_t x = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x >> 56) < share;
  }

  LinkSettings settings_;
  std::uint64_t cost_;  // of a beat, in bits * hertz, as credit is
  std::uint64_t input_beats_;
  std::uint64_t random_;
  std::uint64_t input_credit_ = 0;
  std::uint64_t output_credit_ = 0;
  bool input_turn_ = true;
  bool offered_ = false;
  bool accepting_ = false;
};

}  // namespace ringmill
