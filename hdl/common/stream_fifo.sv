// Queue of a stream with valid and ready.
//
// The places are distributed RAM, or registers where they are few; the first word is at the output at once.
//
// Ports: clk_i, rst_ni, valid_i, ready_o, data_i, valid_o, ready_i, data_o, as in stream_register. ready_o is 1 while a
// place is free, whatever ready_i is. Latency: 1; a word every cycle.

`include "assertions.svh"

module stream_fifo
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned Depth = 8
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

  localparam int unsigned PlaceWidth = index_width(Depth);
  localparam int unsigned CountWidth = index_width(Depth + 1);

  logic [Width-1:0] words[Depth];
  logic [PlaceWidth-1:0] first_q;
  logic [PlaceWidth-1:0] free_q;
  logic [CountWidth-1:0] count_q;

  logic push;
  logic pop;
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  assign ready_o = count_q != CountWidth'(Depth);
  assign valid_o = count_q != '0;
  assign data_o = words[first_q];

  function automatic logic [PlaceWidth-1:0] next(logic [PlaceWidth-1:0] place);
    return place == PlaceWidth'(Depth - 1) ? '0 : place + 1'b1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      free_q <= '0;
      count_q <= '0;
    end else begin
      if (pop) first_q <= next(first_q);
      if (push) free_q <= next(free_q);
      count_q <= count_q + CountWidth'(push) - CountWidth'(pop);
    end
  end

  always_ff @(posedge clk_i) if (push) words[free_q] <= data_i;

  `RINGMILL_ASSERT(Offered, valid_o && !ready_i |=> valid_o && $stable(data_o), clk_i, !rst_ni)

  if (Depth < 2) begin : gen_check_depth
    $error("stream_fifo: Depth must be at least 2");
  end

endmodule
