// Full product of two unsigned words by core multipliers of 16 x 16 bits (4 for 32 x 32).
//
// Stage 1 registers the partial products in their DSP slices. Stage 2 adds them: the partial products with
// the same difference of indices do not overlap, so they stand side by side in one row without an adder; for
// 32 x 32 the two crossed products meet in a DSP slice and one adder of 48 bits is left.
//
// Ports: clk_i, enable_i (0 holds all registers), lhs_i, rhs_i, product_o.
// Latency: IntegerMultiplierLatency = 2; a product every cycle. No reset.

module integer_multiplier
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32
) (
    input  logic               clk_i,
    input  logic               enable_i,
    input  logic [Width-1:0]   lhs_i,
    input  logic [Width-1:0]   rhs_i,
    output logic [2*Width-1:0] product_o
);

  localparam int unsigned Cores = ceil_div(Width, CoreWidth);
  localparam int unsigned Padded = Cores * CoreWidth;

  logic [Padded-1:0] lhs;
  logic [Padded-1:0] rhs;
  logic [Cores-1:0][Cores-1:0][2*CoreWidth-1:0] partial_q;

  assign lhs = Padded'(lhs_i);
  assign rhs = Padded'(rhs_i);

  for (genvar i = 0; i < int'(Cores); i++) begin : gen_lhs
    for (genvar j = 0; j < int'(Cores); j++) begin : gen_rhs
      always_ff @(posedge clk_i) begin
        if (enable_i) begin
          partial_q[i][j] <= lhs[i*CoreWidth+:CoreWidth] * rhs[j*CoreWidth+:CoreWidth];
        end
      end
    end
  end

  // Row d: the products i + d, i and i, i + d, from the digit d on.
  logic [Cores-1:0][2*Padded-1:0] row;

  for (genvar d = 0; d < int'(Cores); d++) begin : gen_row
    localparam int unsigned RowWidth = 2 * CoreWidth * (Cores - d);
    logic [RowWidth-1:0] upper;
    for (genvar i = 0; i < int'(Cores) - d; i++) begin : gen_upper
      assign upper[2*CoreWidth*i+:2*CoreWidth] = partial_q[i+d][i];
    end
    if (d == 0) begin : gen_square
      assign row[d] = upper;
    end else begin : gen_crossed
      logic [RowWidth-1:0] lower;
      logic [RowWidth:0] sum;
      for (genvar i = 0; i < int'(Cores) - d; i++) begin : gen_lower
        assign lower[2*CoreWidth*i+:2*CoreWidth] = partial_q[i][i+d];
      end
      assign sum = {1'b0, upper} + {1'b0, lower};
      assign row[d] = (2 * Padded)'(sum) << (CoreWidth * d);
    end
  end

  logic [2*Padded-1:0] sum;

  always_comb begin
    sum = '0;
    for (int unsigned d = 0; d < Cores; d++) sum = sum + row[d];
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) product_o <= sum[2*Width-1:0];
  end

  if (2 * Padded > 2 * Width) begin : gen_unused
    logic unused;
    assign unused = ^sum[2*Padded-1:2*Width];
  end

  if (Width < 2) begin : gen_check_width
    $error("integer_multiplier: Width must be at least 2");
  end

endmodule
