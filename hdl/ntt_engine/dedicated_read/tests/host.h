// What a host does with a machine: constants, words, runs.

#pragma once

#include "bench.h"
#include "shape.h"

namespace dedicated {

template <class Model>
void idle(ringmill::Bench<Model>& bench) {
  bench->constant_write_i = 0;
  bench->word_write_i = 0;
  bench->word_read_i = 0;
  bench->start_i = 0;
}

template <class Model>
void load_constants(ringmill::Bench<Model>& bench, const Words& words) {
  bench->constant_write_i = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    bench->constant_address_i = i;
    bench->constant_data_i = words[i];
    bench.step();
  }
  bench->constant_write_i = 0;
}

template <class Model>
void write_words(ringmill::Bench<Model>& bench, std::uint64_t first, const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    bench->word_write_i = 1;
    bench->word_address_i = first + i;
    bench->word_data_i = words[i];
    bench.step();
    bench->word_write_i = 0;
    if (bench.random.chance(1)) bench.step();
  }
  bench.step();
}

template <class Model>
Words read_words(ringmill::Bench<Model>& bench, std::uint64_t count) {
  Words words;
  for (std::uint64_t i = 0; i < count + 8; ++i) {
    bench->word_read_i = i < count;
    bench->word_address_i = i < count ? i : 0;
    bench.step();
    if (bench->word_valid_o) words.push_back(bench->word_data_o);
  }
  return words;
}

/// Starts the machine and waits for it; checks its cycles.
template <class Model>
void run_machine(ringmill::Bench<Model>& bench, std::uint64_t cycles, const std::string& name) {
  bench->start_i = 1;
  bench.step();
  bench->start_i = 0;
  for (std::uint64_t waited = 0; bench->busy_o; ++waited) {
    if (waited > 2 * cycles + 1000) return bench.expect(false, name + " does not end");
    bench.step();
  }
  bench.expect_equal(bench->cycles_o, cycles, "cycles of " + name);
}

inline void expect_words(auto& bench, const Words& actual, const Words& expected, const std::string& name) {
  bench.expect_equal(actual.size(), expected.size(), "words of " + name);
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    bench.expect_equal(actual[i], expected[i], name + ", word " + std::to_string(i));
  }
}

template <class Model>
Words random_words(ringmill::Bench<Model>& bench, const Field& field, std::uint64_t count) {
  Words words(count);
  for (auto& word : words) word = static_cast<std::uint64_t>(bench.random.edgy(field.q));
  return words;
}

/// Cycles of all machines: from the read of a word to that of its result, and of a transform. `twice`: the last pass of
/// an inverse transform multiplies both results.
struct Timetable {
  Shape shape;
  unsigned latency;

  std::uint64_t passes() const {
    const std::uint64_t gap = latency > shape.words() / 2 ? latency - shape.words() / 2 : 0;
    return shape.k * shape.words() + (shape.k - 1) * gap + latency;
  }
  std::uint64_t scaled() const { return passes() + shape.words(); }
  std::uint64_t pairs() const { return 2 * shape.words() + latency; }
};

}  // namespace dedicated
