// A verilated machine around a transform engine, behind an interface without templates.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

class EngineMachine {
 public:
  virtual ~EngineMachine() = default;
  virtual Status load(std::uint64_t modulus, const std::uint64_t* constants, std::uint64_t count) = 0;
  virtual Status write(const std::uint64_t* words, std::uint64_t count) = 0;
  virtual Status read(std::uint64_t* words, std::uint64_t count) = 0;
  virtual Status transform(bool inverse, std::uint64_t& cycles) = 0;
  virtual std::uint64_t cycles() const = 0;
};

/// All machines around engines have the same ports.
template <class Model>
class EngineModel : public EngineMachine, private Clocked<Model> {
 public:
  EngineModel() {
    idle();
    model_.modulus_i = 0;
    this->restart();
  }

  Status load(std::uint64_t modulus, const std::uint64_t* constants, std::uint64_t count) override {
    model_.modulus_i = modulus;
    for (std::uint64_t i = 0; i < count && !failed(); ++i) {
      model_.constant_write_i = 1;
      model_.constant_address_i = static_cast<std::uint32_t>(i);
      model_.constant_data_i = constants[i];
      edge();
    }
    return finish();
  }

  Status write(const std::uint64_t* words, std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count && !failed(); ++i) {
      model_.word_write_i = 1;
      model_.word_address_i = static_cast<std::uint32_t>(i);
      model_.word_data_i = words[i];
      edge();
    }
    return finish();
  }

  Status read(std::uint64_t* words, std::uint64_t count) override {
    std::uint64_t asked = 0;
    std::uint64_t quiet = 0;
    for (std::uint64_t got = 0; got < count && !failed(); ++quiet) {
      if (quiet > kPatience) {
        idle();
        return kStuck;
      }
      model_.word_read_i = asked < count;
      model_.word_address_i = static_cast<std::uint32_t>(asked);
      if (asked < count) ++asked;
      edge();
      model_.eval();
      if (!model_.word_valid_o) continue;
      words[got++] = model_.word_data_o;
      quiet = 0;
    }
    return finish();
  }

  Status transform(bool inverse, std::uint64_t& cycles) override {
    model_.start_i = 1;
    model_.inverse_i = inverse;
    edge();
    model_.start_i = 0;
    model_.eval();
    for (std::uint64_t waited = 0; model_.busy_o && !failed(); ++waited) {
      if (waited > kPatience) return kStuck;
      edge();
      model_.eval();
    }
    cycles = model_.cycles_o;
    return finish();
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// Cycles after which a transform or a read is called stuck: more than any takes.
  static constexpr std::uint64_t kPatience = 1 << 22;

  void idle() {
    model_.constant_write_i = 0;
    model_.word_write_i = 0;
    model_.word_read_i = 0;
    model_.start_i = 0;
    model_.inverse_i = 0;
  }

  Status finish() {
    idle();
    return failed() ? kAssertion : kDone;
  }
};

}  // namespace ringmill
