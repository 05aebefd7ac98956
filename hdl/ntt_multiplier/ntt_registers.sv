// Registers of the NTT multiplier: configuration, status, counters. AXI4-Lite, 32 bits.
//
// 0x00 ID 0x524D4E54 | 0x04 VERSION 1 | 0x08 SHAPE {word of Montgomery's reduction, log2 words of a beat, log2 units,
// log2 n}, 8 bits each | 0x0C CONTROL, write 1: clear counters and sticky errors | 0x10 STATUS: bit 0 idle,
// bit 1 sticky: packet of the wrong length, bit 2 sticky: MODULUS or MODE written while busy |
// 0x14 MODULUS | 0x18 MODE (mode_e) | 0x1C PRODUCTS 1 or 2, taken with the first beat of a job |
// 0x20, 0x24 CYCLES, low and high | 0x28 JOBS sent | 0x2C IN_BEATS | 0x30 OUT_BEATS | 0x34 COMPUTE_CYCLES, with a job
// in the butterflies | 0x38 IN_STALLS, 0x3C OUT_STALLS: valid and not ready | 0x40 LAST_LATENCY, cycles of the
// last job's computation, first read and last result included.
//
// A write that is not possible changes nothing and is answered with SLVERR: unknown or constant register, part of a
// word, mode or number of products that does not exist, MODULUS or MODE while busy.
//
// Ports: clk_i, rst_ni, axi_*; modulus_o, mode_o, double_o; busy_i; events, one a cycle each: length_error_i,
// in_valid_i, in_ready_i, out_valid_i, out_ready_i, out_last_i (of the link); with a bit for each job that computes at
// the same time, one in a cycle: first_i (a job's first read), issued_i (its last), done_i (its last result);
// computing_o, a job has had its first read and not its last result.

`include "assertions.svh"

module ntt_registers
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned LinkWords = 4,
    parameter int unsigned Threads = 2,
    localparam int unsigned RegisterBits = 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    axi_awvalid_i,
    output logic                    axi_awready_o,
    input  logic [RegisterBits-1:0] axi_awaddr_i,
    input  logic                    axi_wvalid_i,
    output logic                    axi_wready_o,
    input  logic [31:0]             axi_wdata_i,
    input  logic [3:0]              axi_wstrb_i,
    output logic                    axi_bvalid_o,
    input  logic                    axi_bready_i,
    output logic [1:0]              axi_bresp_o,
    input  logic                    axi_arvalid_i,
    output logic                    axi_arready_o,
    input  logic [RegisterBits-1:0] axi_araddr_i,
    output logic                    axi_rvalid_o,
    input  logic                    axi_rready_i,
    output logic [31:0]             axi_rdata_o,
    output logic [1:0]              axi_rresp_o,

    output logic [WordWidth-1:0] modulus_o,
    output mode_e                mode_o,
    output logic                 double_o,

    input  logic               busy_i,
    input  logic               length_error_i,
    input  logic               in_valid_i,
    input  logic               in_ready_i,
    input  logic               out_valid_i,
    input  logic               out_ready_i,
    input  logic               out_last_i,
    input  logic [Threads-1:0] first_i,
    input  logic [Threads-1:0] issued_i,
    input  logic [Threads-1:0] done_i,
    output logic               computing_o
);

  localparam logic [31:0] Id = 32'h524D4E54;
  localparam logic [31:0] Version = 32'd1;
  localparam logic [31:0] Shape = {8'(montgomery_word(N)), 8'($clog2(LinkWords)), 8'($clog2(Units)), 8'($clog2(N))};

  // Numbers of the registers: byte address / 4.
  typedef enum logic [RegisterBits-3:0] {
    RegId = 0,
    RegVersion = 1,
    RegShape = 2,
    RegControl = 3,
    RegStatus = 4,
    RegModulus = 5,
    RegMode = 6,
    RegProducts = 7,
    RegCyclesLow = 8,
    RegCyclesHigh = 9,
    RegJobs = 10,
    RegInBeats = 11,
    RegOutBeats = 12,
    RegComputeCycles = 13,
    RegInStalls = 14,
    RegOutStalls = 15,
    RegLastLatency = 16
  } register_e;

  logic write;
  logic [RegisterBits-1:0] write_address;
  logic [31:0] write_data;
  logic [3:0] write_strobe;
  logic write_error;
  logic read;
  logic [RegisterBits-1:0] read_address;
  logic [31:0] read_data;
  logic read_error;

  axi_lite_registers #(
      .AddressWidth(RegisterBits)
  ) u_port (
      .clk_i,
      .rst_ni,
      .axi_awvalid_i,
      .axi_awready_o,
      .axi_awaddr_i,
      .axi_wvalid_i,
      .axi_wready_o,
      .axi_wdata_i,
      .axi_wstrb_i,
      .axi_bvalid_o,
      .axi_bready_i,
      .axi_bresp_o,
      .axi_arvalid_i,
      .axi_arready_o,
      .axi_araddr_i,
      .axi_rvalid_o,
      .axi_rready_i,
      .axi_rdata_o,
      .axi_rresp_o,
      .write_o(write),
      .write_address_o(write_address),
      .write_data_o(write_data),
      .write_strobe_o(write_strobe),
      .write_error_i(write_error),
      .read_o(read),
      .read_address_o(read_address),
      .read_data_i(read_data),
      .read_error_i(read_error)
  );

  // Writes.
  register_e target;
  logic refused;
  logic impossible;
  logic clear;

  assign target = register_e'(write_address[RegisterBits-1:2]);
  assign refused = busy_i && (target == RegModulus || target == RegMode);
  assign write_error = impossible || refused;
  assign clear = write && !write_error && target == RegControl && write_data[0];

  always_comb begin
    case (target)
      RegControl, RegModulus: impossible = 1'b0;
      RegMode: impossible = write_data > 32'(ModeOperands);
      RegProducts: impossible = write_data != 32'd1 && write_data != 32'd2;
      default: impossible = 1'b1;
    endcase
    if (write_strobe != '1) impossible = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      modulus_o <= '0;
      mode_o <= ModeRun;
      double_o <= 1'b0;
    end else if (write && !write_error) begin
      if (target == RegModulus) modulus_o <= write_data;
      if (target == RegMode) mode_o <= mode_e'(write_data[2:0]);
      if (target == RegProducts) double_o <= write_data[1];
    end
  end

  // Errors and counters.
  logic length_error_q;
  logic busy_error_q;
  logic [63:0] cycles_q;
  logic [31:0] jobs_q;
  logic [31:0] in_beats_q;
  logic [31:0] out_beats_q;
  logic [31:0] compute_cycles_q;
  logic [31:0] in_stalls_q;
  logic [31:0] out_stalls_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear) begin
      length_error_q <= 1'b0;
      busy_error_q <= 1'b0;
      cycles_q <= '0;
      jobs_q <= '0;
      in_beats_q <= '0;
      out_beats_q <= '0;
      compute_cycles_q <= '0;
      in_stalls_q <= '0;
      out_stalls_q <= '0;
    end else begin
      if (length_error_i) length_error_q <= 1'b1;
      if (write && refused) busy_error_q <= 1'b1;
      cycles_q <= cycles_q + 1'b1;
      jobs_q <= jobs_q + 32'(out_valid_i && out_ready_i && out_last_i);
      in_beats_q <= in_beats_q + 32'(in_valid_i && in_ready_i);
      out_beats_q <= out_beats_q + 32'(out_valid_i && out_ready_i);
      compute_cycles_q <= compute_cycles_q + 32'(computing_o);
      in_stalls_q <= in_stalls_q + 32'(in_valid_i && !in_ready_i);
      out_stalls_q <= out_stalls_q + 32'(out_valid_i && !out_ready_i);
    end
  end

  // Measurement of jobs. A thread's next first read may come before this one's last result.
  localparam int unsigned TimeWidth = 24;
  localparam int unsigned CountWidth = index_width(2 * Threads + 1);
  logic [TimeWidth-1:0] time_q;
  logic [Threads-1:0][TimeWidth-1:0] first_q;
  logic [Threads-1:0][TimeWidth-1:0] issued_q;
  logic [TimeWidth-1:0] latency_q;
  logic [CountWidth-1:0] computing_q;

  assign computing_o = computing_q != '0 || first_i != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      time_q <= '0;
      latency_q <= '0;
      computing_q <= '0;
    end else begin
      time_q <= time_q + 1'b1;
      for (int unsigned i = 0; i < Threads; i++) begin
        if (done_i[i]) latency_q <= time_q - issued_q[i] + 1'b1;
      end
      computing_q <= computing_q + CountWidth'(first_i != '0) - CountWidth'(done_i != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Threads; i++) begin
      if (first_i[i]) first_q[i] <= time_q;
      if (issued_i[i]) issued_q[i] <= first_q[i];
    end
  end

  always_comb begin
    read_error = 1'b0;
    read_data = '0;
    case (register_e'(read_address[RegisterBits-1:2]))
      RegId: read_data = Id;
      RegVersion: read_data = Version;
      RegShape: read_data = Shape;
      RegControl: read_data = '0;
      RegStatus: read_data = {29'd0, busy_error_q, length_error_q, !busy_i};
      RegModulus: read_data = modulus_o;
      RegMode: read_data = 32'(mode_o);
      RegProducts: read_data = double_o ? 32'd2 : 32'd1;
      RegCyclesLow: read_data = cycles_q[31:0];
      RegCyclesHigh: read_data = cycles_q[63:32];
      RegJobs: read_data = jobs_q;
      RegInBeats: read_data = in_beats_q;
      RegOutBeats: read_data = out_beats_q;
      RegComputeCycles: read_data = compute_cycles_q;
      RegInStalls: read_data = in_stalls_q;
      RegOutStalls: read_data = out_stalls_q;
      RegLastLatency: read_data = 32'(latency_q);
      default: read_error = 1'b1;
    endcase
  end

  logic unused;
  assign unused = ^{read, write_address[1:0], read_address[1:0]};

  `RINGMILL_ASSERT(JobsInTurn, done_i != '0 |-> computing_q != '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(FewJobs, computing_q <= CountWidth'(2 * Threads), clk_i, !rst_ni)

endmodule
