// Slots of conversions that have doubtful columns, in order, until the host takes them.
//
// Ports: clk_i, rst_ni; clear_i, empties it; push_i, entry_i; full_o; pop_i takes the first; count_o, first_o.

`include "assertions.svh"

module doubt_queue
  import ringmill_pkg::*;
#(
    parameter int unsigned Places = 16,
    parameter int unsigned Width = 48,
    localparam int unsigned CountWidth = index_width(Places + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  clear_i,
    input  logic                  push_i,
    input  logic [Width-1:0]      entry_i,
    output logic                  full_o,
    input  logic                  pop_i,
    output logic [CountWidth-1:0] count_o,
    output logic [Width-1:0]      first_o
);

  logic [Places-1:0][Width-1:0] entries_q;
  logic [CountWidth-1:0] count_q;
  logic pop;
  logic push;
  logic [CountWidth-1:0] left;

  assign pop = pop_i && count_q != '0;
  assign full_o = count_q == CountWidth'(Places);
  assign push = push_i && !full_o;
  assign left = count_q - CountWidth'(pop);

  always_ff @(posedge clk_i) begin
    count_q <= !rst_ni || clear_i ? '0 : left + CountWidth'(push);
    for (int unsigned i = 0; i < Places; i++) begin
      if (push && left == CountWidth'(i)) entries_q[i] <= entry_i;
      else if (pop) entries_q[i] <= i + 1 < Places ? entries_q[(i+1)%Places] : '0;
    end
  end

  assign count_o = count_q;
  assign first_o = count_q == '0 ? '0 : entries_q[0];

  if (Places < 1 || Places > 128) begin : gen_check_places
    $error("doubt_queue: Places must be from 1 to 128");
  end

endmodule
