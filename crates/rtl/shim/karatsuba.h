// A verilated machine for products by Karatsuba's method, behind an interface without templates.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

/// Beats in and words out, of two words each (`KaratsubaJob` in Rust has the same layout).
struct KaratsubaJob {
  const std::uint64_t* beats;
  std::uint64_t count;
  std::uint64_t* words;
  std::uint64_t expected;
  std::uint64_t buffered;  // result: cycles from the first beat to the last word in the result buffer
  std::uint64_t cycles;    // result: cycles from the first beat to the last word
};

class KaratsubaMachine {
 public:
  virtual ~KaratsubaMachine() = default;
  virtual Status run(KaratsubaJob& job) = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class KaratsubaModel : public KaratsubaMachine, private Clocked<Model> {
 public:
  KaratsubaModel() {
    model_.valid_i = 0;
    model_.ready_i = 0;
    this->restart();
  }

  Status run(KaratsubaJob& job) override {
    const std::uint64_t start = this->elapsed();
    std::uint64_t sent = 0, got = 0, quiet = 0;
    model_.ready_i = 1;
    while (got < job.expected) {
      if (failed()) return kAssertion;
      if (++quiet > kPatience) return kStuck;
      model_.valid_i = sent < job.count;
      if (sent < job.count) put(&job.beats[2 * sent]);
      model_.eval();
      if (model_.valid_o) {
        get(&job.words[2 * got++]);
        quiet = 0;
      }
      if (model_.valid_i && model_.ready_o) {
        ++sent;
        quiet = 0;
      }
      if (model_.buffered_o) job.buffered = this->elapsed() + 1 - start;
      edge();
    }
    model_.valid_i = 0;
    model_.ready_i = 0;
    job.cycles = this->elapsed() - start;
    return failed() ? kAssertion : kDone;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// Cycles without a beat or a word after which the machine is called stuck.
  static constexpr std::uint64_t kPatience = 1 << 16;

  void put(const std::uint64_t* beat) {
    for (unsigned i = 0; i < 4; ++i) model_.data_i[i] = static_cast<std::uint32_t>(beat[i / 2] >> (32 * (i % 2)));
  }
  void get(std::uint64_t* word) {
    for (unsigned i = 0; i < 2; ++i) {
      word[i] = model_.data_o[2 * i] | static_cast<std::uint64_t>(model_.data_o[2 * i + 1]) << 32;
    }
  }
};

}  // namespace ringmill
