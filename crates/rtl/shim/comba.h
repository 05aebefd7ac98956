// A verilated machine for encryption over the integers and its memory, behind an interface without templates.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "clocked.h"

namespace ringmill {

/// The progress of a job (`CombaProgress` in Rust has the same layout).
struct CombaProgress {
  std::uint64_t cycles;
  std::uint64_t reads;
  std::uint64_t writes;
  std::uint8_t busy;
  std::uint8_t second;    // the second difference is the residue
  std::uint8_t negative;  // the sum was negative
};

class CombaMachine {
 public:
  virtual ~CombaMachine() = default;
  virtual Status start(const std::uint32_t* job, std::size_t count) = 0;
  virtual Status advance(std::uint64_t cycles, std::uint64_t* memory, std::uint64_t words, CombaProgress& progress) = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class CombaModel : public CombaMachine, private Clocked<Model> {
 public:
  CombaModel() {
    model_.start_i = 0;
    model_.data_i = 0;
    this->restart();
  }

  Status start(const std::uint32_t* job, std::size_t count) override {
    if (count > sizeof(model_.job_i) / sizeof(std::uint32_t)) return kAssertion;
    for (std::size_t i = 0; i < count; ++i) model_.job_i[i] = job[i];
    model_.start_i = 1;
    edge();
    model_.start_i = 0;
    model_.eval();
    second_ = false;
    return failed() ? kAssertion : kDone;
  }

  /// At most so many cycles of the machine and its memory, in which a request holds for two cycles, and a read's word is
  /// there in the second.
  Status advance(std::uint64_t cycles, std::uint64_t* memory, std::uint64_t words, CombaProgress& progress) override {
    for (; cycles > 0 && model_.busy_o && !failed(); --cycles) {
      if (!access(memory, words, progress)) return kAssertion;
      edge();
      model_.data_i = data_;
      model_.eval();
      ++progress.cycles;
    }
    progress.busy = model_.busy_o;
    if constexpr (requires(Model& model) { model.second_o; }) {
      progress.second = model_.second_o;
      progress.negative = model_.negative_o;
    }
    return failed() ? kAssertion : kDone;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// The memory's part of a cycle. Readers may ask for words beyond the last one, which they do not use.
  bool access(std::uint64_t* memory, std::uint64_t words, CombaProgress& progress) {
    const bool request = model_.read_o || model_.write_o;
    const std::uint64_t address = model_.address_o;
    if (second_ && model_.write_o) {
      if (address >= words) {
        std::fprintf(stderr, "the machine wrote to word %llu of %llu\n", static_cast<unsigned long long>(address),
                     static_cast<unsigned long long>(words));
        return false;
      }
      memory[address] = model_.data_o;
      ++progress.writes;
    } else if (!second_ && model_.read_o) {
      data_ = address < words ? memory[address] : 0;
      ++progress.reads;
    }
    second_ = request && !second_;
    return true;
  }

  bool second_ = false;
  std::uint64_t data_ = 0;
};

}  // namespace ringmill
