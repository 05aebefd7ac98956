// AXI4-Lite slave in front of a register file: 32-bit data, one transaction of each direction at a time.
//
// Write address and write data may come in any order and at any distance. A register is written in the cycle in
// which write_o is 1, and read in the cycle in which read_o is 1: the file answers in that very cycle
// (combinationally) with read_data_i, and with write_error_i or read_error_i for an address that it does not
// have (the master sees SLVERR). Addresses are byte addresses; their two low bits are ignored and given as 0.
//
// Ports: clk_i, rst_ni; the five channels axi_aw*, axi_w*, axi_b*, axi_ar*, axi_r* (without PROT, which it would
// ignore); write_o, write_address_o, write_data_o, write_strobe_o, write_error_i; read_o, read_address_o,
// read_data_i, read_error_i. Latency: 2 from the last of address and data to the response; a transaction of each
// direction every 2 cycles.

`include "assertions.svh"

module axi_lite_registers #(
    parameter int unsigned AddressWidth = 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    axi_awvalid_i,
    output logic                    axi_awready_o,
    input  logic [AddressWidth-1:0] axi_awaddr_i,
    input  logic                    axi_wvalid_i,
    output logic                    axi_wready_o,
    input  logic [31:0]             axi_wdata_i,
    input  logic [3:0]              axi_wstrb_i,
    output logic                    axi_bvalid_o,
    input  logic                    axi_bready_i,
    output logic [1:0]              axi_bresp_o,
    input  logic                    axi_arvalid_i,
    output logic                    axi_arready_o,
    input  logic [AddressWidth-1:0] axi_araddr_i,
    output logic                    axi_rvalid_o,
    input  logic                    axi_rready_i,
    output logic [31:0]             axi_rdata_o,
    output logic [1:0]              axi_rresp_o,

    output logic                    write_o,
    output logic [AddressWidth-1:0] write_address_o,
    output logic [31:0]             write_data_o,
    output logic [3:0]              write_strobe_o,
    input  logic                    write_error_i,
    output logic                    read_o,
    output logic [AddressWidth-1:0] read_address_o,
    input  logic [31:0]             read_data_i,
    input  logic                    read_error_i
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  // Whether an address, data, and a response wait.
  logic aw_q;
  logic w_q;
  logic b_q;
  logic ar_q;
  logic r_q;

  logic [AddressWidth-3:0] write_word_q;
  logic [AddressWidth-3:0] read_word_q;

  assign axi_awready_o = !aw_q;
  assign axi_wready_o = !w_q;
  assign axi_bvalid_o = b_q;
  assign axi_arready_o = !ar_q;
  assign axi_rvalid_o = r_q;

  assign write_o = aw_q && w_q && !b_q;
  assign write_address_o = {write_word_q, 2'b00};
  assign read_o = ar_q && !r_q;
  assign read_address_o = {read_word_q, 2'b00};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      b_q <= 1'b0;
      ar_q <= 1'b0;
      r_q <= 1'b0;
    end else begin
      aw_q <= (aw_q || axi_awvalid_i) && !write_o;
      w_q <= (w_q || axi_wvalid_i) && !write_o;
      b_q <= write_o || (b_q && !axi_bready_i);
      ar_q <= (ar_q || axi_arvalid_i) && !read_o;
      r_q <= read_o || (r_q && !axi_rready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!aw_q) write_word_q <= axi_awaddr_i[AddressWidth-1:2];
    if (!w_q) begin
      write_data_o <= axi_wdata_i;
      write_strobe_o <= axi_wstrb_i;
    end
    if (write_o) axi_bresp_o <= write_error_i ? SlaveError : Okay;
    if (!ar_q) read_word_q <= axi_araddr_i[AddressWidth-1:2];
    if (read_o) begin
      axi_rdata_o <= read_data_i;
      axi_rresp_o <= read_error_i ? SlaveError : Okay;
    end
  end

  logic unused;
  assign unused = ^{axi_awaddr_i[1:0], axi_araddr_i[1:0]};

  `RINGMILL_ASSERT(WriteResponseStays,
                   axi_bvalid_o && !axi_bready_i |=> axi_bvalid_o && $stable(axi_bresp_o), clk_i, !rst_ni)
  `RINGMILL_ASSERT(ReadResponseStays,
                   axi_rvalid_o && !axi_rready_i |=> axi_rvalid_o && $stable({axi_rdata_o, axi_rresp_o}),
                   clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneWriteAResponse, write_o |=> !write_o && axi_bvalid_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneReadAResponse, read_o |=> !read_o && axi_rvalid_o, clk_i, !rst_ni)

  if (AddressWidth < 3) begin : gen_check_address
    $error("axi_lite_registers: AddressWidth must be at least 3");
  end

endmodule
