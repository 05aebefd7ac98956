// The banks around an engine whose ports lead outside: they answer reads a cycle later, or more, and take writes.

#pragma once

#include <deque>

#include "fields.h"
#include "host.h"

namespace dedicated {

template <class Model>
class Banks {
 public:
  Banks(ringmill::Bench<Model>& bench, const Shape& shape, unsigned width, std::uint64_t buffers,
        std::uint64_t latency = 1)
      : bench_(bench), shape_(shape), width_(width), words_(buffers, Words(shape.n())), late_(latency - 1) {}

  /// Words of a buffer by the number of their place.
  Words& words(std::uint64_t buffer) { return words_[buffer]; }

  /// Coefficients, or with `values` values, from and to their places; index x in the place of -x where `reversed`.
  void put(std::uint64_t buffer, const Words& words, bool values, bool reversed) {
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      words_[buffer][place(i, values, reversed)] = words[i];
    }
  }
  Words take(std::uint64_t buffer, bool values, bool reversed) const {
    Words words(shape_.n());
    for (std::uint64_t i = 0; i < shape_.n(); ++i) words[i] = words_[buffer][place(i, values, reversed)];
    return words;
  }

  /// Starts the engine and serves it until it is done; checks its cycles.
  void run(std::uint64_t cycles, const std::string& name) {
    std::uint64_t first = 0, last = 0;
    bench_->start_i = 1;
    const std::uint64_t begin = bench_.cycles();
    do {
      cycle(first, last);
      bench_->start_i = 0;
    } while (bench_->busy_o && bench_.cycles() < begin + 2 * cycles + 1000);
    bench_.expect(!bench_->busy_o, name + " does not end");
    bench_.expect_equal(last - first + 1, cycles, "cycles of " + name);
  }

 private:
  ringmill::Bench<Model>& bench_;
  Shape shape_;
  unsigned width_;
  std::vector<Words> words_;
  std::deque<Words> late_;  // of the last cycles, the latest last; none where nothing was read

  std::uint64_t place(std::uint64_t index, bool values, bool reversed) const {
    if (reversed) index = (shape_.n() - index) % shape_.n();
    return shape_.number(values ? shape_.of_value(index) : shape_.of_coefficient(index));
  }

  /// One cycle: what is read now comes out after the edge, or later; a write of the same cycle does not show.
  void cycle(std::uint64_t& first, std::uint64_t& last) {
    const bool reads = bench_->read_o;
    const std::uint64_t from = bench_->read_address_o, to = bench_->write_address_o;
    Words data;
    for (std::uint64_t at = 0; reads && at < 2 * shape_.units(); ++at) {
      data.push_back(words_[from >> shape_.a][number(from, at)]);
    }
    if (reads && first == 0) first = bench_.cycles();
    if (bench_->write_o) {
      last = bench_.cycles();
      for (unsigned at = 0; at < 2 * shape_.units(); ++at) {
        words_[to >> shape_.a][number(to, at)] = get_field(bench_->write_data_o, at * width_, width_);
      }
    }
    late_.push_back(data);
    bench_.step();
    for (unsigned at = 0; at < 2 * shape_.units(); ++at) {
      const std::uint64_t noise = static_cast<std::uint64_t>(bench_.random.word() & ringmill::mask(width_));
      put_field(bench_->read_data_i, at * width_, width_, late_[0].empty() ? noise : late_[0][at]);
    }
    late_.pop_front();
    bench_.settle();
  }

  std::uint64_t number(std::uint64_t address, std::uint64_t at) const {
    return shape_.number({at % 2, at / 2, address & (shape_.words() - 1)});
  }
};

}  // namespace dedicated
