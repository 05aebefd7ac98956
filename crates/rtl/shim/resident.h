// A verilated machine for encryption's products by Karatsuba's method with a resident key, behind an interface without templates.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

/// A key and what goes with it (`ResidentKey` in Rust has the same layout); beats of two words.
struct ResidentKey {
  std::uint64_t modulus[3];
  std::uint64_t reciprocal;
  const std::uint64_t* beats;
  std::uint64_t count;
};

/// Jobs in and results out (`ResidentJobs` in Rust has the same layout).
struct ResidentJobs {
  const std::uint64_t* beats;
  std::uint64_t count;
  std::uint64_t* results;
  std::uint64_t expected;
  std::uint64_t each;    // beats of a result
  std::uint64_t cycles;  // result: cycles from the first beat in to the last one out
};

class ResidentMachine {
 public:
  virtual ~ResidentMachine() = default;
  virtual Status load(const ResidentKey& key) = 0;
  virtual Status run(ResidentJobs& jobs) = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class ResidentModel : public ResidentMachine, private Clocked<Model> {
 public:
  ResidentModel() {
    model_.key_valid_i = 0;
    model_.valid_i = 0;
    model_.ready_i = 0;
    this->restart();
  }

  Status load(const ResidentKey& key) override {
    for (unsigned i = 0; i < sizeof(model_.modulus_i) / sizeof(EData); ++i) model_.modulus_i[i] = half(key.modulus, i);
    model_.reciprocal_i = static_cast<IData>(key.reciprocal);
    for (std::uint64_t sent = 0; sent < key.count && !failed(); ++sent) {
      model_.key_valid_i = 1;
      for (unsigned i = 0; i < 4; ++i) model_.key_data_i[i] = half(&key.beats[2 * sent], i);
      edge();
    }
    model_.key_valid_i = 0;
    this->settle();
    return failed() || !model_.loaded_o ? kAssertion : kDone;
  }

  Status run(ResidentJobs& jobs) override {
    const std::uint64_t start = this->elapsed();
    std::uint64_t sent = 0, got = 0, quiet = 0;
    model_.ready_i = 1;
    while (got < jobs.expected) {
      if (failed()) return kAssertion;
      if (++quiet > kPatience) return kStuck;
      model_.valid_i = sent < jobs.count;
      if (sent < jobs.count) {
        for (unsigned i = 0; i < 4; ++i) model_.data_i[i] = half(&jobs.beats[2 * sent], i);
      }
      model_.eval();
      if (model_.valid_o) {
        for (unsigned i = 0; i < 2; ++i) {
          jobs.results[2 * got + i] = model_.data_o[2 * i] | static_cast<std::uint64_t>(model_.data_o[2 * i + 1]) << 32;
        }
        if (model_.last_o != (++got % jobs.each == 0)) return kBadPacket;
        quiet = 0;
      }
      if (model_.valid_i && model_.ready_o) {
        ++sent;
        quiet = 0;
      }
      edge();
    }
    model_.valid_i = 0;
    model_.ready_i = 0;
    jobs.cycles = this->elapsed() - start;
    return failed() ? kAssertion : kDone;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// Cycles without a beat after which the machine is called stuck.
  static constexpr std::uint64_t kPatience = 1 << 16;

  static std::uint32_t half(const std::uint64_t* words, unsigned i) {
    return static_cast<std::uint32_t>(words[i / 2] >> (32 * (i % 2)));
  }
};

}  // namespace ringmill
