// Product of two long words by three products of half their length and a bit (Karatsuba; section 4.3.3).
//
// Ports: clk_i, lhs_i, rhs_i, product_o. Latency: LongMultiplierLatency; a product every cycle. No reset.

module long_multiplier
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
(
    input  logic                   clk_i,
    input  logic [LongWidth-1:0]   lhs_i,
    input  logic [LongWidth-1:0]   rhs_i,
    output logic [2*LongWidth-1:0] product_o
);

  localparam int unsigned HalfWidth = WordWidth + 1;

  // Lower halves, upper halves, sums of both.
  logic [2:0][HalfWidth-1:0] lhs_q;
  logic [2:0][HalfWidth-1:0] rhs_q;
  logic [2:0][2*HalfWidth-1:0] half;

  always_ff @(posedge clk_i) begin
    lhs_q[0] <= HalfWidth'(lhs_i[WordWidth-1:0]);
    lhs_q[1] <= HalfWidth'(lhs_i[LongWidth-1:WordWidth]);
    lhs_q[2] <= HalfWidth'(lhs_i[WordWidth-1:0]) + HalfWidth'(lhs_i[LongWidth-1:WordWidth]);
    rhs_q[0] <= HalfWidth'(rhs_i[WordWidth-1:0]);
    rhs_q[1] <= HalfWidth'(rhs_i[LongWidth-1:WordWidth]);
    rhs_q[2] <= HalfWidth'(rhs_i[WordWidth-1:0]) + HalfWidth'(rhs_i[LongWidth-1:WordWidth]);
  end

  for (genvar i = 0; i < 3; i++) begin : gen_half
    integer_multiplier #(
        .Width(HalfWidth),
        .Pipeline(Pipeline)
    ) u_half (
        .clk_i,
        .enable_i(1'b1),
        .lhs_i(lhs_q[i]),
        .rhs_i(rhs_q[i]),
        .product_o(half[i])
    );
  end

  // The middle product is below 2^119: the sum of two of words.
  logic [2*HalfWidth-1:0] middle_q;
  logic [2*LongWidth-1:0] outer_q;

  always_ff @(posedge clk_i) begin
    middle_q <= half[2] - half[1] - half[0];
    outer_q <= {half[1][LongWidth-1:0], half[0][LongWidth-1:0]};
    product_o <= outer_q + ((2 * LongWidth)'(middle_q) << WordWidth);
  end

endmodule
