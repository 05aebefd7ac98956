// Both ends of a stream with valid and ready, with randomised pauses.
//
// A cycle: drive() of all ends, Bench::settle(), sample() of all ends, Bench::step(). stream_cycle does it.

#pragma once

#include <deque>
#include <vector>

#include "bench.h"

namespace ringmill {

/// What moves in one cycle.
struct Beat {
  Wide data = 0;
  bool last = false;

  bool operator==(const Beat&) const = default;
};

/// Sends the beats of a queue, in `percent` of the cycles in which it could start one. What is offered stays.
template <class Data>
class Source {
 public:
  Source(CData& valid, const CData& ready, Data& data, Random& random, CData* last = nullptr)
      : valid_(valid), ready_(ready), data_(data), last_(last), random_(random) {}

  std::deque<Beat> queue;
  unsigned percent = 100;

  void drive() {
    if (!offered_) offered_ = !queue.empty() && random_.chance(percent);
    valid_ = offered_;
    // Where nothing is offered the data is noise: the last beat's, turned upside down.
    const Beat beat = offered_ ? queue.front() : Beat{~get(data_) & mask(bit_length(get(data_))), random_.chance(50)};
    put(data_, beat.data);
    if (last_ != nullptr) *last_ = beat.last;
  }

  void sample() {
    if (!valid_ || !ready_) return;
    queue.pop_front();
    offered_ = false;
  }

 private:
  CData& valid_;
  const CData& ready_;
  Data& data_;
  CData* last_;
  Random& random_;
  bool offered_ = false;
};

/// Receives beats, ready in `percent` of the cycles.
template <class Data>
class Sink {
 public:
  Sink(const CData& valid, CData& ready, const Data& data, Random& random, const CData* last = nullptr)
      : valid_(valid), ready_(ready), data_(data), last_(last), random_(random) {}

  std::vector<Beat> received;
  unsigned percent = 100;

  void drive() { ready_ = random_.chance(percent); }

  void sample() {
    if (valid_ && ready_) received.push_back({get(data_), last_ != nullptr && *last_});
  }

 private:
  const CData& valid_;
  CData& ready_;
  const Data& data_;
  const CData* last_;
  Random& random_;
};

/// One cycle of the bench and of all ends of its streams.
template <class Model, class... Ends>
void stream_cycle(Bench<Model>& bench, Ends&... ends) {
  (ends.drive(), ...);
  bench.settle();
  (ends.sample(), ...);
  bench.step();
}

}  // namespace ringmill
