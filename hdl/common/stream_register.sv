// Register of a stream with valid and ready: cuts the paths of both, at full throughput.
//
// Two places: one for the output, one for the word that arrives while the output is held up.
//
// Ports: clk_i, rst_ni, valid_i, ready_o, data_i, valid_o, ready_i, data_o. A word moves when valid and ready are
// both 1; valid does not wait for ready, and a word that is offered stays. Latency: 1; a word every cycle.

`include "assertions.svh"

module stream_register #(
    parameter int unsigned Width = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    output logic             ready_o,
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o
);

  logic valid_q;
  logic spilled_q;
  logic [Width-1:0] data_q;
  logic [Width-1:0] spill_q;

  assign ready_o = !spilled_q;
  assign valid_o = valid_q;
  assign data_o = data_q;

  // The output's place is free in the next cycle.
  logic advance;
  assign advance = ready_i || !valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      spilled_q <= 1'b0;
    end else if (advance) begin
      valid_q <= spilled_q || valid_i;
      spilled_q <= 1'b0;
    end else if (valid_i) begin
      spilled_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) data_q <= spilled_q ? spill_q : data_i;
    if (!spilled_q) spill_q <= data_i;
  end

  `RINGMILL_ASSERT(Offered, valid_o && !ready_i |=> valid_o && $stable(data_o), clk_i, !rst_ni)
  `RINGMILL_ASSERT(SpillBehindOutput, spilled_q |-> valid_q, clk_i, !rst_ni)

endmodule
