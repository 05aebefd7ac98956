// The core's registers: configuration, doorbell, status, the first error, counters (docs/machines/core.md). AXI4-Lite, 32
// bits. A write that is not possible changes nothing and is answered with SLVERR: unknown or constant register, part of a
// word, a ring of a size that does not exist, configuration or clear while busy.
//
// Ports: clk_i, rst_ni, axi_*; ring_o, ring_log_o, tail_o, window_o, window_size_o; clear_o, for one cycle; idle_i;
// stop_o, from an error on until clear; interrupt_o, the line. Events, one a cycle each: error_i with error_address_i,
// dispatched_i, interrupt_i; counted_i, a bit for each counter that goes on by one, without those of bytes; read_beat_i,
// write_beat_i. doubts_i, doubt_conversion_i, doubt_slot_i, of the queue of doubts; doubt_pop_o.

`include "assertions.svh"

module core_registers
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Slots = 2,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter int unsigned DataWidth = 256,
    parameter int unsigned Tables = 2,
    parameter int unsigned Doubts = 16,
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

    output logic [63:0] ring_o,
    output logic [4:0]  ring_log_o,
    output logic [31:0] tail_o,
    output logic [63:0] window_o,
    output logic [63:0] window_size_o,
    output logic        clear_o,
    output logic        stop_o,
    output logic        interrupt_o,

    input logic                 idle_i,
    input error_e               error_i,
    input logic [63:0]          error_address_i,
    input logic                 dispatched_i,
    input logic                 interrupt_i,
    input logic [CounterCount-1:0] counted_i,
    input logic                 read_beat_i,
    input logic                 write_beat_i,
    input logic [7:0]           doubts_i,
    input logic [31:0]          doubt_conversion_i,
    input logic [31:0]          doubt_slot_i,
    output logic                doubt_pop_o
);

  localparam logic [31:0] Id = 32'h524D434F;
  localparam logic [31:0] Version = 32'd3;
  localparam logic [31:0] Shape = {8'(Slots), 8'(Limbs), 8'($clog2(Units)), 8'($clog2(N))};
  localparam logic [31:0] Words = {8'(Engine), 8'($clog2(DataWidth / 8)), 8'(Word), 8'(Width)};
  localparam logic [31:0] Conversion = {16'd0, 8'(Doubts), 8'(Tables)};
  localparam logic [4:0] LeastRing = 5'd3;
  localparam logic [4:0] GreatestRing = 5'd16;

  // Numbers of the registers: byte address / 4. Counters follow, low and high words.
  typedef enum logic [RegisterBits-3:0] {
    RegId = 0,
    RegVersion = 1,
    RegShape = 2,
    RegWords = 3,
    RegControl = 4,
    RegStatus = 5,
    RegRingLow = 6,
    RegRingHigh = 7,
    RegTail = 8,
    RegHead = 9,
    RegWindowLow = 10,
    RegWindowHigh = 11,
    RegWindowSizeLow = 12,
    RegWindowSizeHigh = 13,
    RegError = 14,
    RegErrorAddressLow = 15,
    RegErrorAddressHigh = 16,
    RegInterrupts = 17,
    RegRingLog = 18,
    RegCounters = 20,
    RegDoubts = 56,
    RegDoubtConversion = 57,
    RegDoubtSlot = 58,
    RegConversion = 59
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

  // Writes. TAIL and the interrupt may be written at any time.
  register_e target;
  logic impossible;
  logic accepted;

  assign target = register_e'(write_address[RegisterBits-1:2]);
  assign write_error = impossible || write_strobe != '1;
  assign accepted = write && !write_error;

  always_comb begin
    case (target)
      RegControl: impossible = !idle_i || write_data != 32'd1;
      RegRingLow, RegRingHigh, RegWindowLow, RegWindowHigh, RegWindowSizeLow, RegWindowSizeHigh: impossible = !idle_i;
      RegRingLog: impossible = !idle_i || write_data < 32'(LeastRing) || write_data > 32'(GreatestRing);
      RegTail, RegInterrupts, RegDoubts: impossible = 1'b0;
      default: impossible = 1'b1;
    endcase
  end

  assign clear_o = accepted && target == RegControl;
  assign doubt_pop_o = accepted && target == RegDoubts;

  error_e error_q;
  logic [63:0] error_address_q;
  logic [31:0] head_q;
  logic [31:0] interrupts_q;
  logic pending_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ring_o <= '0;
      ring_log_o <= LeastRing;
      window_o <= '0;
      window_size_o <= '0;
    end else if (accepted) begin
      case (target)
        RegRingLow: ring_o[31:0] <= write_data;
        RegRingHigh: ring_o[63:32] <= write_data;
        RegRingLog: ring_log_o <= write_data[4:0];
        RegWindowLow: window_o[31:0] <= write_data;
        RegWindowHigh: window_o[63:32] <= write_data;
        RegWindowSizeLow: window_size_o[31:0] <= write_data;
        RegWindowSizeHigh: window_size_o[63:32] <= write_data;
        default: ;
      endcase
    end
    if (!rst_ni || clear_o) begin
      tail_o <= '0;
      head_q <= '0;
      interrupts_q <= '0;
      pending_q <= 1'b0;
      error_q <= ErrorNone;
    end else begin
      if (accepted && target == RegTail) tail_o <= write_data;
      head_q <= head_q + 32'(dispatched_i);
      interrupts_q <= interrupts_q + 32'(interrupt_i);
      pending_q <= interrupt_i || (pending_q && !(accepted && target == RegInterrupts));
      if (error_q == ErrorNone) error_q <= error_i;
    end
    if (error_q == ErrorNone) error_address_q <= error_address_i;
  end

  assign stop_o = error_q != ErrorNone;
  assign interrupt_o = pending_q || stop_o;

  // Counters: of cycles, and of bytes.
  logic [CounterCount-1:0][63:0] counters_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_o) begin
      counters_q <= '0;
    end else begin
      for (int unsigned i = 0; i < CounterCount; i++) counters_q[i] <= counters_q[i] + 64'(counted_i[i]);
      if (read_beat_i) counters_q[CounterBytesRead] <= counters_q[CounterBytesRead] + 64'(DataWidth / 8);
      if (write_beat_i) counters_q[CounterBytesWritten] <= counters_q[CounterBytesWritten] + 64'(DataWidth / 8);
    end
  end

  logic [RegisterBits-3:0] read_number;
  logic [RegisterBits-3:0] counter;

  assign read_number = read_address[RegisterBits-1:2];
  assign counter = read_number - RegCounters;

  always_comb begin
    read_error = 1'b0;
    read_data = '0;
    case (register_e'(read_number))
      RegId: read_data = Id;
      RegVersion: read_data = Version;
      RegShape: read_data = Shape;
      RegWords: read_data = Words;
      RegControl: read_data = '0;
      RegStatus: read_data = {29'd0, pending_q, stop_o, idle_i};
      RegRingLow: read_data = ring_o[31:0];
      RegRingHigh: read_data = ring_o[63:32];
      RegTail: read_data = tail_o;
      RegHead: read_data = head_q;
      RegWindowLow: read_data = window_o[31:0];
      RegWindowHigh: read_data = window_o[63:32];
      RegWindowSizeLow: read_data = window_size_o[31:0];
      RegWindowSizeHigh: read_data = window_size_o[63:32];
      RegError: read_data = 32'(error_q);
      RegErrorAddressLow: read_data = stop_o ? error_address_q[31:0] : '0;
      RegErrorAddressHigh: read_data = stop_o ? error_address_q[63:32] : '0;
      RegInterrupts: read_data = interrupts_q;
      RegRingLog: read_data = 32'(ring_log_o);
      RegDoubts: read_data = 32'(doubts_i);
      RegDoubtConversion: read_data = doubt_conversion_i;
      RegDoubtSlot: read_data = doubt_slot_i;
      RegConversion: read_data = Conversion;
      default: begin
        read_error = read_number < RegCounters || counter >= (RegisterBits - 2)'(2 * CounterCount);
        for (int unsigned i = 0; i < CounterCount; i++) begin
          if (counter[RegisterBits-3:1] == (RegisterBits - 3)'(i)) read_data = counters_q[i][32*counter[0]+:32];
        end
        if (read_error) read_data = '0;
      end
    endcase
  end

  logic unused;
  assign unused = ^{read, write_address[1:0], read_address[1:0]};

endmodule
