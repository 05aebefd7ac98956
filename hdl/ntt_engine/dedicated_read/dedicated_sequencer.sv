// The order of an engine's operations: passes, words, factors, exchanges (see dedicated_read_pkg).
//
// In pass p two words that differ in the address bit to be exchanged follow each other; the cycle counts the other
// address bits from there on, upwards in a forward and downwards in an inverse transform (algorithm 2). The next pass
// then reads in the order in which this one writes, but every other word first. So it has half a pass of time, and
// waits only where half a bank is shorter than the pipeline. The same count, shifted, addresses the factors.
//
// Ports: clk_i, rst_ni; start_i with operation_i, half_i and reversed_i (forward transforms: coefficient x is at the
// place of -x), while busy_o is 0; busy_o until the last write. Of the operation that begins: read_o, buffer_o and
// address_o there, factor_few_o and factor_address_o, control_o, write_o (its results go to the same address).
// Latency: 2 from start_i to the first read.

`include "assertions.svh"

module dedicated_sequencer
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned UnitLatency = 16,
    localparam int unsigned AddressBits = log2(bank_words(N, Units))
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   start_i,
    input  operation_e             operation_i,
    input  half_e                  half_i,
    input  logic                   reversed_i,
    output logic                   busy_o,
    output logic                   read_o,
    output logic                   write_o,
    output logic [AddressBits-1:0] address_o,
    output buffer_e                buffer_o,
    output logic                   factor_few_o,
    output logic [AddressBits:0]   factor_address_o,
    output control_t               control_o
);

  localparam int unsigned UnitBits = log2(Units);
  localparam int unsigned Passes = log2(N);
  localparam int unsigned PassWidth = index_width(Passes);
  localparam int unsigned RotationWidth = index_width(AddressBits);
  localparam int unsigned Gap = pass_gap(N, Units, UnitLatency);
  localparam int unsigned Drain = slot_latency(UnitLatency) + 1;
  localparam int unsigned WaitWidth = index_width(Drain + 1);

  typedef enum logic [1:0] {
    StateIdle,
    StateIssue,
    StateGap,
    StateDrain
  } state_e;

  // What depends on the pass alone: exchanges of a forward and of an inverse transform, rotations of the address.
  typedef struct packed {
    logic [1:0][GapWidth-1:0]      gap;
    logic [1:0][RotationWidth-1:0] rotation;
  } pass_t;

  function automatic pass_t [Passes-1:0] pass_table();
    pass_t [Passes-1:0] result;
    for (int unsigned p = 0; p < Passes; p++) begin
      // Before pass 0 of an inverse transform nothing is left to exchange, and any order would do.
      int unsigned earlier;
      earlier = p == 0 ? AddressBits - 1 : p - 1;
      result[p].gap[0] = GapWidth'(exchanged_unit(Units, p));
      result[p].gap[1] = GapWidth'(exchanged_unit(Units, earlier));
      result[p].rotation[0] = RotationWidth'(exchanged_address(N, Units, p));
      result[p].rotation[1] = RotationWidth'((exchanged_address(N, Units, earlier) + 1) % AddressBits);
    end
    return result;
  endfunction

  localparam pass_t [Passes-1:0] PassTable = pass_table();

  state_e state_q;
  operation_e operation_q;
  half_e half_q;
  logic reversed_q;
  logic in_source_q;
  logic [PassWidth-1:0] pass_q;
  logic [AddressBits:0] time_q;
  logic [WaitWidth-1:0] wait_q;

  logic forward;
  logic paired;
  logic first_pass;
  logic last_pass;
  logic scaling;
  logic twice;
  logic last_time;

  assign forward = operation_q == OperationForward;
  assign paired = operation_q == OperationProduct || operation_q == OperationDifference;
  assign first_pass = pass_q == '0;
  assign last_pass = paired || (forward ? pass_q == PassWidth'(Passes - 1) : first_pass);
  assign scaling = operation_q == OperationInverseScaled && first_pass;
  assign twice = paired || scaling;
  assign last_time = &time_q[AddressBits-1:0] && (time_q[AddressBits] || !twice);
  assign busy_o = state_q != StateIdle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (start_i) state_q <= StateIssue;
        StateIssue: begin
          if (last_time) begin
            if (last_pass) state_q <= StateDrain;
            else if (Gap != 0) state_q <= StateGap;
          end
        end
        default: if (wait_q == WaitWidth'(1)) state_q <= state_q == StateGap ? StateIssue : StateIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      operation_q <= operation_i;
      half_q <= half_i;
      reversed_q <= reversed_i;
      pass_q <= operation_i == OperationForward ? '0 : PassWidth'(Passes - 1);
      time_q <= '0;
      in_source_q <= 1'b1;
    end else if (state_q == StateIssue) begin
      time_q <= last_time ? '0 : time_q + 1'b1;
      wait_q <= last_pass ? WaitWidth'(Drain) : WaitWidth'(Gap);
      if (last_time) begin
        pass_q <= forward ? pass_q + 1'b1 : pass_q - 1'b1;
        in_source_q <= 1'b0;
      end
    end else begin
      wait_q <= wait_q - 1'b1;
    end
  end

  pass_t now;
  logic [AddressBits-1:0] count;
  logic [AddressBits-1:0] ordered;
  logic [AddressBits-1:0] address;

  assign now = PassTable[pass_q];
  assign count = twice ? time_q[AddressBits:1] : time_q[AddressBits-1:0];
  for (genvar i = 0; i < int'(AddressBits); i++) begin : gen_ordered
    assign ordered[i] = forward ? count[i] : count[int'(AddressBits)-1-i];
  end
  assign address = AddressBits'({ordered, ordered} << now.rotation[!forward] >> AddressBits);

  control_t control;
  always_comb begin
    control.odd = time_q[0];
    control.paired = paired;
    control.by_word = operation_q == OperationProduct;
    control.butterfly = ButterflyDecimate;
    if (forward) control.butterfly = ButterflyCombine;
    else if (operation_q == OperationProduct) control.butterfly = ButterflyMultiply;
    else if (scaling && !time_q[0]) control.butterfly = ButterflyScaleSum;

    control.keep = 2'b11;
    if (forward && first_pass && half_q != HalfBoth) begin
      control.keep = {half_q == HalfHigh, half_q == HalfLow} ^ {2{reversed_q}};
    end
    control.swap_first = reversed_q && address == '0;

    if (twice) control.exchange = ExchangePair;
    else if (last_pass) control.exchange = ExchangeNone;
    else control.exchange = forward ? ExchangeForward : ExchangeInverse;
    control.gap = now.gap[!forward];
  end

  // Factors of pass p >= log2 Units are words 2^(p - b) and the following of the table, so that their address is the
  // first bits of the count after a one.
  logic factor_few;
  logic [AddressBits:0] few_address;

  assign factor_few = twice || pass_q < PassWidth'(UnitBits);
  always_comb begin
    few_address = (AddressBits + 1)'(pass_q);
    if (scaling) few_address = (AddressBits + 1)'(UnitBits);
    else if (paired) few_address = (AddressBits + 1)'(UnitBits + 1);
  end

  always_ff @(posedge clk_i) begin
    address_o <= address;
    if (paired && time_q[0]) buffer_o <= BufferOperand;
    else buffer_o <= in_source_q ? BufferSource : BufferDestination;
    factor_few_o <= factor_few;
    factor_address_o <= factor_few ? few_address : {1'b1, ordered} >> (PassWidth'(Passes - 1) - pass_q);
    control_o <= control;
    read_o <= rst_ni && state_q == StateIssue;
    write_o <= rst_ni && state_q == StateIssue && (!twice || time_q[0]);
  end

  `RINGMILL_ASSERT(IdleAtStart, start_i |-> !busy_o, clk_i, !rst_ni)

  if (1 << $clog2(N) != N || 1 << $clog2(Units) != Units) begin : gen_check_powers
    $error("dedicated_sequencer: N and Units must be powers of two");
  end
  if (Units < 2 || Units > 256 || N < 2 * Units * Units) begin : gen_check_size
    // A bank needs an address bit for each bit of the unit's number.
    $error("dedicated_sequencer: Units must be 2 to 256 and N at least 2 * Units^2");
  end

endmodule
