// Words of any width, one after the other, in beats: their bits without gaps, the lowest first. What is left after the last word
// fills a beat with zeros.
//
// Ports: clk_i, rst_ni; a stream in, valid_i, ready_o, last_i, data_i; a stream out, valid_o, ready_i, last_o, data_o. Latency: 1.

module coefficient_packer
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 135,
    parameter int unsigned BeatWidth = 128
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,
    output logic                 ready_o,
    input  logic                 last_i,
    input  logic [Width-1:0]     data_i,
    output logic                 valid_o,
    input  logic                 ready_i,
    output logic                 last_o,
    output logic [BeatWidth-1:0] data_o
);

  // Less than two beats are there when a word comes.
  localparam int unsigned Most = 2 * BeatWidth - 1 + Width;
  localparam int unsigned CountWidth = index_width(Most + 1);

  logic [Most-1:0] bits_q, rest, bits;
  logic [CountWidth-1:0] count_q, left, count;
  logic ends_q, takes, gives;

  assign valid_o = count_q >= CountWidth'(BeatWidth) || (ends_q && count_q != '0);
  assign last_o = ends_q && count_q <= CountWidth'(BeatWidth);
  assign data_o = bits_q[BeatWidth-1:0];
  assign gives = valid_o && ready_i;
  assign ready_o = !ends_q && count_q < CountWidth'(2 * BeatWidth);
  assign takes = valid_i && ready_o;

  always_comb begin
    rest = gives ? bits_q >> BeatWidth : bits_q;
    left = !gives ? count_q : last_o ? '0 : count_q - CountWidth'(BeatWidth);
    bits = takes ? rest | Most'(data_i) << left : rest;
    count = takes ? left + CountWidth'(Width) : left;
  end

  always_ff @(posedge clk_i) begin
    bits_q <= bits;
    count_q <= count;
    if (takes && last_i) ends_q <= 1'b1;
    else if (gives && last_o) ends_q <= 1'b0;
    if (!rst_ni) begin
      bits_q <= '0;
      count_q <= '0;
      ends_q <= 1'b0;
    end
  end

endmodule
