// The host's side of a machine's registers: one access at a time on its AXI4-Lite port.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

/// The signals of the port of a model; ports of other widths than these do not compile.
struct RegisterSignals {
  CData& awvalid;
  CData& awaddr;
  const CData& awready;
  CData& wvalid;
  IData& wdata;
  CData& wstrb;
  const CData& wready;
  CData& bready;
  const CData& bvalid;
  const CData& bresp;
  CData& arvalid;
  CData& araddr;
  const CData& arready;
  CData& rready;
  const CData& rvalid;
  const IData& rdata;
  const CData& rresp;
};

class RegisterMaster {
 public:
  explicit RegisterMaster(const RegisterSignals& signals) : signals_(signals) {}

  void idle() {
    signals_.awvalid = signals_.wvalid = signals_.bready = 0;
    signals_.arvalid = signals_.rready = 0;
  }

  /// Reads a register. The clock settles signals, makes a cycle, and says whether the model has failed.
  template <class Clock>
  Status read(Clock& clock, std::uint32_t address, std::uint32_t& value) {
    signals_.arvalid = signals_.rready = 1;
    signals_.araddr = static_cast<CData>(address);
    for (int i = 0; i < kPatience && !clock.failed(); ++i) {
      clock.settle();
      const bool accepted = signals_.arready;
      const bool answered = signals_.rvalid;
      const bool okay = signals_.rresp == 0;
      value = signals_.rdata;
      clock.edge();
      if (accepted) signals_.arvalid = 0;
      if (answered) return end(okay);
    }
    return clock.failed() ? kAssertion : kStuck;
  }

  template <class Clock>
  Status write(Clock& clock, std::uint32_t address, std::uint32_t value) {
    signals_.awvalid = signals_.wvalid = signals_.bready = 1;
    signals_.awaddr = static_cast<CData>(address);
    signals_.wdata = value;
    signals_.wstrb = 0xf;
    for (int i = 0; i < kPatience && !clock.failed(); ++i) {
      clock.settle();
      const bool address_accepted = signals_.awready;
      const bool data_accepted = signals_.wready;
      const bool answered = signals_.bvalid;
      const bool okay = signals_.bresp == 0;
      clock.edge();
      if (address_accepted) signals_.awvalid = 0;
      if (data_accepted) signals_.wvalid = 0;
      if (answered) return end(okay);
    }
    return clock.failed() ? kAssertion : kStuck;
  }

 private:
  static constexpr int kPatience = 1000;

  Status end(bool okay) {
    idle();
    return okay ? kDone : kBadRegister;
  }

  RegisterSignals signals_;
};

}  // namespace ringmill
