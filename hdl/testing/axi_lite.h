// Master of an AXI4-Lite port of a model: ports named axi_awvalid_i and so on, as axi_lite_registers has them.

#pragma once

#include <cstdint>
#include <string>

#include "stream.h"

namespace ringmill {

/// Answer to a transaction; code 0 is OKAY, 2 SLVERR, 3 (given by this master) none.
struct Response {
  std::uint32_t data = 0;
  unsigned code = 3;
};

/// One write and one read at a time. Every valid and ready comes after a random delay of up to `patience` cycles.
/// It is an end for stream_cycle; write() and read() run the clock themselves.
template <class Model>
class AxiLiteMaster {
 public:
  AxiLiteMaster(Bench<Model>& bench, unsigned address_width)
      : bench_(bench), address_mask_(static_cast<std::uint32_t>(mask(address_width))) {
    drive();
  }

  unsigned patience = 0;

  bool is_writing() const { return write_.active; }
  bool is_reading() const { return read_.active; }
  Response write_response() const { return write_.response; }
  Response read_response() const { return read_.response; }

  void start_write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xf) {
    write_ = {true, address, data, strobe, false, false, delay(), delay(), delay(), {}};
  }

  void start_read(std::uint32_t address) {
    read_ = {true, address, 0, 0, false, true, delay(), 0, delay(), {}};
  }

  void drive() {
    Model& model = bench_.model();
    model.axi_awvalid_i = write_.offers_address();
    model.axi_awaddr_i = (model.axi_awvalid_i ? write_.address : ~write_.address) & address_mask_;
    model.axi_wvalid_i = write_.offers_data();
    model.axi_wdata_i = model.axi_wvalid_i ? write_.data : ~write_.data;
    model.axi_wstrb_i = (model.axi_wvalid_i ? write_.strobe : ~write_.strobe) & 0xf;
    model.axi_bready_i = write_.takes_response();
    model.axi_arvalid_i = read_.offers_address();
    model.axi_araddr_i = (model.axi_arvalid_i ? read_.address : ~read_.address) & address_mask_;
    model.axi_rready_i = read_.takes_response();
  }

  void sample() {
    Model& model = bench_.model();
    bench_.expect(!model.axi_bvalid_o || write_.is_sent(), "response before address and data");
    bench_.expect(!model.axi_rvalid_o || read_.is_sent(), "response before the address");
    write_.advance(model.axi_awready_o, model.axi_wready_o, model.axi_bvalid_o, {0, model.axi_bresp_o});
    read_.advance(model.axi_arready_o, true, model.axi_rvalid_o, {model.axi_rdata_o, model.axi_rresp_o});
  }

  Response write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xf) {
    start_write(address, data, strobe);
    finish(write_, "write");
    return write_.response;
  }

  Response read(std::uint32_t address) {
    start_read(address);
    finish(read_, "read");
    return read_.response;
  }

 private:
  /// One transaction on its way.
  struct Transaction {
    bool active = false;
    std::uint32_t address = 0;
    std::uint32_t data = 0;
    unsigned strobe = 0;
    bool address_sent = false;
    bool data_sent = false;
    unsigned address_in = 0;
    unsigned data_in = 0;
    unsigned ready_in = 0;
    Response response{};

    bool offers_address() const { return active && !address_sent && address_in == 0; }
    bool offers_data() const { return active && !data_sent && data_in == 0; }
    bool takes_response() const { return active && ready_in == 0; }
    bool is_sent() const { return active && address_sent && data_sent; }

    void advance(bool address_ready, bool data_ready, bool answered, Response answer) {
      const bool done = takes_response() && answered;
      address_sent |= offers_address() && address_ready;
      data_sent |= offers_data() && data_ready;
      for (unsigned* waiting : {&address_in, &data_in, &ready_in}) *waiting -= *waiting != 0;
      if (!done) return;
      response = answer;
      active = false;
    }
  };

  void finish(Transaction& transaction, const char* kind) {
    for (unsigned cycle = 0; transaction.active && cycle < 2 * patience + 100; ++cycle) stream_cycle(bench_, *this);
    bench_.expect(!transaction.active, std::string("no response to the ") + kind + " of " + text(transaction.address));
    transaction.active = false;
    drive();
  }

  unsigned delay() { return static_cast<unsigned>(bench_.random.below(patience + 1)); }

  Bench<Model>& bench_;
  std::uint32_t address_mask_;
  Transaction write_;
  Transaction read_;
};

}  // namespace ringmill
