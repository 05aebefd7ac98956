// A recursion of Karatsuba's method before the products (paper 4, section 3.3.2): a polynomial of 2 Half coefficients comes in,
// chunk by chunk; it goes through, its lower half and then its upper one, and beside the upper half goes the sum of both.
//
// The coefficients of binary polynomials come beside the chunks, one of each polynomial with each chunk, and are added
// without carry.
//
// Ports: clk_i, rst_ni; valid_i, first_i (the first chunk of a polynomial, whose others follow without a gap), key_i, binary_i;
// through_valid_o, through_first_o (of a half), through_key_o, through_binary_o; sum_valid_o, sum_first_o, sum_key_o,
// sum_binary_o. Latency: 1.

`include "assertions.svh"

module pre_recursion
  import ringmill_pkg::*;
#(
    parameter int unsigned Half = 20,
    parameter int unsigned Chunks = 5,
    parameter int unsigned KeyWidth = 27,
    parameter int unsigned BinaryWidth = 10
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   valid_i,
    input  logic                   first_i,
    input  logic [KeyWidth-1:0]    key_i,
    input  logic [BinaryWidth-1:0] binary_i,
    output logic                   through_valid_o,
    output logic                   through_first_o,
    output logic [KeyWidth-1:0]    through_key_o,
    output logic [BinaryWidth-1:0] through_binary_o,
    output logic                   sum_valid_o,
    output logic                   sum_first_o,
    output logic [KeyWidth-1:0]    sum_key_o,
    output logic [BinaryWidth-1:0] sum_binary_o
);

  localparam int unsigned Length = Half * Chunks;
  localparam int unsigned CountWidth = index_width(2 * Length);
  localparam int unsigned ChunkWidth = index_width(Chunks);

  logic [CountWidth-1:0] count_q, count;
  logic [ChunkWidth-1:0] chunk_q, chunk;
  logic carry_q;
  logic upper, half_begins;
  logic [KeyWidth-1:0] key_before;
  logic [BinaryWidth-1:0] binary_before;
  logic [KeyWidth:0] sum;

  assign count = first_i ? '0 : count_q;
  assign chunk = first_i ? '0 : chunk_q;
  assign upper = count >= CountWidth'(Length);
  assign half_begins = count == '0 || count == CountWidth'(Length);
  assign sum = (KeyWidth + 1)'(key_before) + (KeyWidth + 1)'(key_i) + (KeyWidth + 1)'(chunk != '0 && carry_q);

  delay_line #(
      .Width(KeyWidth + BinaryWidth),
      .Depth(Length)
  ) u_lower (
      .clk_i,
      .enable_i(valid_i),
      .data_i({key_i, binary_i}),
      .data_o({key_before, binary_before})
  );

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      count_q <= count + 1'b1;
      chunk_q <= chunk == ChunkWidth'(Chunks - 1) ? '0 : chunk + 1'b1;
      carry_q <= sum[KeyWidth];
    end
    through_valid_o <= valid_i;
    through_first_o <= valid_i && half_begins;
    through_key_o <= key_i;
    through_binary_o <= binary_i;
    sum_valid_o <= valid_i && upper;
    sum_first_o <= valid_i && upper && half_begins;
    sum_key_o <= sum[KeyWidth-1:0];
    sum_binary_o <= binary_before + binary_i;
    if (!rst_ni) begin
      through_valid_o <= 1'b0;
      through_first_o <= 1'b0;
      sum_valid_o <= 1'b0;
      sum_first_o <= 1'b0;
    end
  end

  `RINGMILL_ASSERT(KeyFits, valid_i && upper && chunk == ChunkWidth'(Chunks - 1) |-> !sum[KeyWidth], clk_i, !rst_ni)
  `RINGMILL_ASSERT(BinaryFits, valid_i && upper |-> !(binary_before > ~binary_i), clk_i, !rst_ni)

  if (Half == 0 || Chunks < 2 || KeyWidth == 0 || BinaryWidth == 0) begin : gen_check_sizes
    $error("pre_recursion: at least one coefficient of two chunks");
  end

endmodule
