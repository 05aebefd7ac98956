// A verilated core with its registers and its memory, behind an interface without templates.

#pragma once

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "axi_memory.h"
#include "clocked.h"
#include "registers.h"

namespace ringmill {

/// How fast the memory is (`MemoryTiming` in Rust has the same layout, and says what the fields are).
struct CoreTiming {
  std::uint64_t latency;
  std::uint64_t bytes;
  std::uint64_t cycles;
  std::uint64_t pauses;
};

class CoreMachine {
 public:
  virtual ~CoreMachine() = default;
  virtual void set_timing(const CoreTiming& timing) = 0;
  virtual void break_memory(std::uint64_t begin, std::uint64_t end) = 0;
  virtual void write_memory(std::uint64_t address, const std::uint64_t* words, std::uint64_t count) = 0;
  virtual void read_memory(std::uint64_t address, std::uint64_t* words, std::uint64_t count) const = 0;
  virtual Status write(std::uint32_t address, std::uint32_t value) = 0;
  virtual Status read(std::uint32_t address, std::uint32_t& value) = 0;
  virtual Status run() = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class CoreModel : public CoreMachine {
 public:
  /// Memory of zeros is from begin to before end; accesses elsewhere fail.
  CoreModel(unsigned beat_bytes, std::uint64_t begin, std::uint64_t end)
      : clock_(beat_bytes), outside_{{0, begin}, {end, ~std::uint64_t{0}}} {
    clock_.memory.errors = outside_;
    registers().idle();
    clock_.restart();
  }

  void set_timing(const CoreTiming& timing) override {
    clock_.memory.timing = {timing.latency, timing.bytes, timing.cycles, static_cast<unsigned>(timing.pauses)};
  }

  void break_memory(std::uint64_t begin, std::uint64_t end) override {
    clock_.memory.errors = outside_;
    clock_.memory.errors.push_back({begin, end});
  }

  void write_memory(std::uint64_t address, const std::uint64_t* words, std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count; ++i) clock_.memory.set_word(address + 8 * i, words[i]);
  }

  void read_memory(std::uint64_t address, std::uint64_t* words, std::uint64_t count) const override {
    for (std::uint64_t i = 0; i < count; ++i) words[i] = clock_.memory.word(address + 8 * i);
  }

  Status write(std::uint32_t address, std::uint32_t value) override {
    return registers().write(clock_, address, value);
  }

  Status read(std::uint32_t address, std::uint32_t& value) override {
    return registers().read(clock_, address, value);
  }

  /// Until the core is idle. It is stuck if for a long time nothing moves on its bus, and it works on.
  Status run() override {
    std::uint64_t moved = 0, quiet_since = clock_.elapsed();
    while (true) {
      std::uint32_t state = 0;
      const Status status = read(kStatus, state);
      if (status != kDone) return status;
      if (state & kIdle) return clock_.obeyed() ? kDone : kAssertion;
      for (int i = 0; i < kPoll; ++i) {
        clock_.settle();
        clock_.edge();
      }
      const std::uint64_t now = clock_.memory.bytes_read() + clock_.memory.bytes_written();
      if (now != moved) quiet_since = clock_.elapsed();
      moved = now;
      if (clock_.elapsed() - quiet_since > kPatience) return kStuck;
    }
  }

  std::uint64_t cycles() const override { return clock_.elapsed(); }

 private:
  static constexpr std::uint32_t kStatus = 0x14, kIdle = 1;
  /// Cycles between two looks at the status.
  static constexpr int kPoll = 32;
  /// Longer than a full ring of transforms takes, which need no bus.
  static constexpr std::uint64_t kPatience = std::uint64_t{1} << 26;

  /// The core's clock and what hangs on its bus.
  class Clock : public Clocked<Model> {
   public:
    explicit Clock(unsigned beat_bytes) : memory(beat_bytes, random_), port_(this->model_, memory) {
      port_.drive();
    }

    void settle() {
      if (!driven_) port_.drive();
      driven_ = true;
      this->model_.eval();
    }

    void edge() {
      port_.sample();
      driven_ = false;
      Clocked<Model>::edge();
    }

    /// Whether the core kept to the protocol of the bus; says so if not.
    bool obeyed() const {
      if (!memory.breach().empty()) std::fprintf(stderr, "core: %s\n", memory.breach().c_str());
      return memory.breach().empty();
    }

    Model& model() { return this->model_; }

   private:
    Random random_{1};

   public:
    AxiMemory memory;

   private:
    AxiPort<Model> port_;
    bool driven_ = true;
  };

  RegisterMaster registers() {
    Model& model = clock_.model();
    return RegisterMaster({model.control_awvalid_i, model.control_awaddr_i, model.control_awready_o,
                           model.control_wvalid_i, model.control_wdata_i, model.control_wstrb_i,
                           model.control_wready_o, model.control_bready_i, model.control_bvalid_o,
                           model.control_bresp_o, model.control_arvalid_i, model.control_araddr_i,
                           model.control_arready_o, model.control_rready_i, model.control_rvalid_o,
                           model.control_rdata_o, model.control_rresp_o});
  }

  Clock clock_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> outside_;
};

}  // namespace ringmill
