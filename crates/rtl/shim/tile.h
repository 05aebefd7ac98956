// Verilated tiles that convert, behind an interface without templates.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

class TileMachine {
 public:
  virtual ~TileMachine() = default;
  virtual Status write(std::uint32_t target, std::uint32_t tile, std::uint32_t address, std::uint32_t mask,
                       const std::uint32_t* words) = 0;
  virtual Status read(std::uint32_t tile, std::uint32_t address, std::uint32_t* words) = 0;
  virtual Status run(std::uint32_t length, std::uint64_t* cycles) = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class TileModel : public TileMachine, private Clocked<Model> {
 public:
  TileModel() {
    model_.start_i = 0;
    model_.host_write_i = 0;
    this->restart();
  }

  /// A triple of the program (target 0), of the constants (1), or of a tile's words (2).
  Status write(std::uint32_t target, std::uint32_t tile, std::uint32_t address, std::uint32_t mask,
               const std::uint32_t* words) override {
    model_.host_write_i = 1;
    model_.host_target_i = target;
    model_.host_tile_i = tile;
    model_.host_address_i = address;
    model_.host_mask_i = mask;
    for (unsigned i = 0; i < 3; ++i) model_.host_data_i[i] = words[i];
    edge();
    model_.host_write_i = 0;
    return failed() ? kAssertion : kDone;
  }

  Status read(std::uint32_t tile, std::uint32_t address, std::uint32_t* words) override {
    model_.host_tile_i = tile;
    model_.host_address_i = address;
    edge();
    edge();
    model_.eval();
    for (unsigned i = 0; i < 3; ++i) words[i] = model_.host_data_o[i];
    return failed() ? kAssertion : kDone;
  }

  /// Runs a program, and counts the cycles.
  Status run(std::uint32_t length, std::uint64_t* cycles) override {
    model_.length_i = length;
    model_.start_i = 1;
    edge();
    model_.start_i = 0;
    const std::uint64_t start = this->elapsed();
    model_.eval();
    while (model_.busy_o && !failed()) {
      if (this->elapsed() - start > kPatience) return kStuck;
      edge();
      model_.eval();
    }
    *cycles = this->elapsed() - start;
    return failed() ? kAssertion : kDone;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// Longer than any program.
  static constexpr std::uint64_t kPatience = 1 << 16;
};

}  // namespace ringmill
