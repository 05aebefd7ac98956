// A verilated machine with AXI4-Lite registers and AXI4-Stream jobs, behind an interface without templates.
//
// The clock loop and the link are in here: one call runs thousands of cycles.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "clocked.h"
#include "link.h"
#include "registers.h"

namespace ringmill {

/// Packets in and out (`Transfer` in Rust has the same layout). Words are 32 bits, beat after beat.
struct Transfer {
  const std::uint32_t* input;
  std::uint32_t* output;
  JobTimes* times;               // one for each job, or null for none
  std::uint64_t jobs;           // packets in, and, unless output_packet is 0, out
  std::uint64_t input_packet;   // beats
  std::uint64_t output_packet;  // beats
  std::uint64_t cycles;         // result: cycles from the first beat on the link to the last one off it
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual void reset() = 0;
  virtual Status step(std::uint64_t cycles) = 0;
  virtual Status read(std::uint32_t address, std::uint32_t& value) = 0;
  virtual Status write(std::uint32_t address, std::uint32_t value) = 0;
  virtual Status transfer(const LinkSettings& settings, Transfer& transfer) = 0;
  virtual std::uint64_t cycles() const = 0;
};

/// A top level `Model` whose streams move `kBeatWords` words a beat.
template <class Model, unsigned kBeatWords>
class StreamMachine : public Machine, private Clocked<Model> {
  friend class RegisterMaster;

 public:
  StreamMachine() { reset(); }

  void reset() override {
    idle();
    this->restart();
  }

  Status step(std::uint64_t cycles) override { return this->run(cycles); }

  Status read(std::uint32_t address, std::uint32_t& value) override {
    return registers().read(*this, address, value);
  }

  Status write(std::uint32_t address, std::uint32_t value) override {
    return registers().write(*this, address, value);
  }

  Status transfer(const LinkSettings& settings, Transfer& transfer) override {
    const std::uint64_t input_beats = transfer.jobs * transfer.input_packet;
    const std::uint64_t output_beats = transfer.jobs * transfer.output_packet;
    Link link(settings, 32 * kBeatWords, input_beats);
    std::uint64_t quiet = 0;
    std::uint64_t now = 0;
    Status status = kDone;
    for (; link.taken < input_beats || link.output.arrived < output_beats; ++now) {
      const std::uint64_t sent = link.input.entered;
      const std::uint64_t arrived = link.output.arrived;
      bool moved = link.advance(now);
      note_link(transfer, now, sent, arrived, link);
      const bool offers = link.offers();
      const bool accepts = link.accepts();
      model_.in_tvalid_i = offers;
      if (offers) {
        set_words(model_.in_tdata_i, transfer.input + link.taken * kBeatWords);
        model_.in_tlast_i = (link.taken + 1) % transfer.input_packet == 0;
      }
      model_.out_tready_i = accepts;
      model_.eval();
      const bool takes = offers && model_.in_tready_o;
      const bool gives = accepts && model_.out_tvalid_o;
      if (takes) {
        if (transfer.times && model_.in_tlast_i) {
          transfer.times[link.taken / transfer.input_packet].accepted = now;
        }
        link.take();
      }
      if (gives) {
        status = take_result(transfer, output_beats, now, link);
        if (status != kDone) break;
      }
      moved |= takes || gives;
      edge();
      quiet = moved ? 0 : quiet + 1;
      if (failed()) {
        status = kAssertion;
        break;
      }
      if (quiet > patience(settings)) {
        status = kStuck;
        break;
      }
    }
    transfer.cycles = now;
    idle();
    return status;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  static constexpr std::uint64_t kPatience = 1 << 20;

  /// Cycles without a beat after which the machine is called stuck: more than any job takes.
  static std::uint64_t patience(const LinkSettings& settings) {
    return kPatience + settings.latency + 32 * kBeatWords * settings.clock_hertz / settings.bits_per_second;
  }

  void idle() {
    model_.in_tvalid_i = 0;
    model_.in_tlast_i = 0;
    model_.out_tready_i = 0;
    registers().idle();
  }

  RegisterMaster registers() {
    return RegisterMaster({model_.axi_awvalid_i, model_.axi_awaddr_i, model_.axi_awready_o, model_.axi_wvalid_i,
                           model_.axi_wdata_i, model_.axi_wstrb_i, model_.axi_wready_o, model_.axi_bready_i,
                           model_.axi_bvalid_o, model_.axi_bresp_o, model_.axi_arvalid_i, model_.axi_araddr_i,
                           model_.axi_arready_o, model_.axi_rready_i, model_.axi_rvalid_o, model_.axi_rdata_o,
                           model_.axi_rresp_o});
  }

  /// Times at which beats entered the link and left it.
  static void note_link(Transfer& transfer, std::uint64_t now, std::uint64_t sent, std::uint64_t arrived,
                        const Link& link) {
    if (!transfer.times) return;
    for (; sent < link.input.entered; ++sent) {
      if (sent % transfer.input_packet == 0) transfer.times[sent / transfer.input_packet].sent = now;
    }
    for (; arrived < link.output.arrived; ++arrived) {
      if ((arrived + 1) % transfer.output_packet == 0) transfer.times[arrived / transfer.output_packet].arrived = now;
    }
  }

  /// A result beat that the machine gives in this cycle.
  Status take_result(Transfer& transfer, std::uint64_t output_beats, std::uint64_t now, Link& link) {
    if (link.given == output_beats) return kBadPacket;
    const bool ends = (link.given + 1) % transfer.output_packet == 0;
    if (ends != static_cast<bool>(model_.out_tlast_o)) return kBadPacket;
    get_words(model_.out_tdata_o, transfer.output + link.given * kBeatWords);
    if (transfer.times) {
      JobTimes& times = transfer.times[link.given / transfer.output_packet];
      if (link.given % transfer.output_packet == 0) times.first = now;
      if (ends) times.given = now;
    }
    link.give();
    return kDone;
  }

  // Verilator makes 32 bits a uint32_t, 64 bits a uint64_t, more an array of words.
  template <class Port>
  static void set_words(Port& port, const std::uint32_t* words) {
    if constexpr (std::is_integral_v<Port>) {
      std::memcpy(&port, words, sizeof port);
    } else {
      for (unsigned i = 0; i < kBeatWords; ++i) port[i] = words[i];
    }
  }
  template <class Port>
  static void get_words(const Port& port, std::uint32_t* words) {
    if constexpr (std::is_integral_v<Port>) {
      std::memcpy(words, &port, sizeof port);
    } else {
      for (unsigned i = 0; i < kBeatWords; ++i) words[i] = port[i];
    }
  }
};

}  // namespace ringmill
