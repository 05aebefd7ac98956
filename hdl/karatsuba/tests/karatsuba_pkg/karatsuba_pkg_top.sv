// karatsuba_pkg's sizes and the layout of a target as ports.

module karatsuba_pkg_top
  import karatsuba_pkg::*;
(
    input  logic              clk_i,
    input  logic [1:0]        unit_i,
    input  logic [1:0]        product_i,
    output logic [3:0]        target_o,
    output logic [8:0] [31:0] sizes_o
);

  target_t target;

  always_comb begin
    target.unit = unit_i;
    target.product = product_e'(product_i);
  end

  assign target_o = target;
  assign sizes_o = {
    32'(LeafCoefficients),
    32'(PieceCoefficients),
    32'(Chunks),
    32'(LeafLength),
    32'(PieceLength),
    32'(GroupPieces),
    32'(ResultWords),
    32'(Encryptions * ResultWidth),
    32'(Multipliers)
  };

  logic unused;
  assign unused = clk_i;

endmodule
