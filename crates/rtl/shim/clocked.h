// A verilated model and its clock.

#pragma once

#include <cstdint>

#include <verilated.h>

namespace ringmill {

/// How a call ended (`Status` in Rust).
enum Status : int {
  kDone = 0,
  kStuck = 1,        // nothing moved for a long time
  kBadPacket = 2,    // TLAST is not on the last beat of a packet
  kAssertion = 3,    // an assertion of the machine failed
  kBadRegister = 4,  // the machine answered SLVERR
};

/// A top level `Model` with `clk_i` and `rst_ni`.
template <class Model>
class Clocked {
 public:
  Clocked() : model_(&context_) {
    context_.assertOn(true);
    // A failed assertion sets a flag, and does not end the host's process.
    context_.fatalOnError(false);
  }
  ~Clocked() { model_.final(); }

  /// Resets the model; its other inputs must be idle.
  void restart() {
    context_.gotError(false);
    context_.gotFinish(false);
    model_.clk_i = 0;
    model_.rst_ni = 0;
    for (int i = 0; i < kResetCycles; ++i) edge();
    model_.rst_ni = 1;
  }

  Status run(std::uint64_t cycles) {
    for (; cycles != 0 && !failed(); --cycles) edge();
    return failed() ? kAssertion : kDone;
  }

  bool failed() const { return context_.gotFinish() || context_.gotError(); }

  std::uint64_t elapsed() const { return cycles_; }

  /// Outputs as they are with the inputs of this cycle.
  void settle() { model_.eval(); }

  /// One cycle: the rising edge with the inputs as they are, then the falling one.
  void edge() {
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    context_.timeInc(1);
    model_.clk_i = 0;
    context_.timeInc(1);
    ++cycles_;
  }

 private:
  static constexpr int kResetCycles = 4;

  VerilatedContext context_;

 protected:
  Model model_;

 private:
  std::uint64_t cycles_ = 0;
};

}  // namespace ringmill
