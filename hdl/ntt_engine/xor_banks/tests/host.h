// What a host does with a machine: constants, words, transforms.

#pragma once

#include "field.h"

namespace xor_banks {

template <class Model>
void load_constants(ringmill::Bench<Model>& bench, const Ring& ring) {
  ringmill::put(bench->modulus_i, ring.field.q);
  const Words words = ring.constants();
  for (std::size_t i = 0; i < words.size(); ++i) {
    bench->constant_write_i = 1;
    bench->constant_address_i = i;
    ringmill::put(bench->constant_data_i, words[i]);
    bench.step();
  }
  bench->constant_write_i = 0;
}

/// Starts a transform and waits for its end.
template <class Model>
void run(ringmill::Bench<Model>& bench, bool inverse, unsigned cycles) {
  bench->start_i = 1;
  bench->inverse_i = inverse;
  bench.step();
  bench->start_i = 0;
  bench->inverse_i = !inverse;
  unsigned waited = 0;
  for (; bench->busy_o && waited < 2 * cycles + 100; ++waited) bench.step();
  bench.expect_equal(waited, cycles + 2, "cycles from the start to the end of busy");
}

template <class Model>
Words random_words(ringmill::Bench<Model>& bench, const Ring& ring) {
  Words words(ring.shape.n());
  for (auto& word : words) word = static_cast<std::uint64_t>(bench.random.edgy(ring.field.q));
  return words;
}

template <class Model>
void expect_words(ringmill::Bench<Model>& bench, const Words& actual, const Words& expected, const std::string& name) {
  bench.expect_equal(actual.size(), expected.size(), "words of " + name);
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    bench.expect_equal(actual[i], expected[i], name + ", word " + std::to_string(i));
  }
}

/// Transforms words both ways, on a machine that a function starts and reads. An inverse transform is right if the
/// values of its result are its input.
template <class Model>
void check_transforms(ringmill::Bench<Model>& bench, const Ring& ring, const Words& words,
                      const std::function<Words(const Words&, bool)>& transform) {
  expect_words(bench, transform(words, false), ring.evaluated(words), "forward transform");
  expect_words(bench, ring.evaluated(transform(words, true)), words, "values of the inverse transform");
}

}  // namespace xor_banks
