// A multiplier of leaves with its products in chunks of the result's width, and where they go.
//
// Ports: clk_i, rst_ni; valid_i, first_i, key_i, binary_i as leaf_multiplier has them, target_i with the leaf; for the lower and
// the upper coefficients valid_o, target_o, data_o. Latency: LeafLength + 4 to the lower coefficients, as many more to the upper.

module leaf_unit
  import karatsuba_pkg::*;
#(
    parameter int unsigned KeyWidth = 27
) (
    input  logic                                             clk_i,
    input  logic                                             rst_ni,
    input  logic                                             valid_i,
    input  logic                                             first_i,
    input  logic    [KeyWidth-1:0]                           key_i,
    input  logic    [BinaryWidth-1:0]                        binary_i,
    input  target_t                                          target_i,
    output logic    [1:0]                                    valid_o,
    output target_t [1:0]                                    target_o,
    output logic    [1:0][Encryptions-1:0][ResultWidth-1:0]  data_o
);

  localparam int unsigned SumWidth = KeyWidth + BinaryWidth + $clog2(LeafCoefficients);
  // Of a multiplier and of a converter.
  localparam int unsigned Latency = 4;

  logic [1:0] product_valid;
  logic [1:0][Encryptions-1:0][SumWidth-1:0] product;
  logic [1:0][Encryptions-1:0] valid;

  leaf_multiplier #(
      .Coefficients(LeafCoefficients),
      .Chunks(Chunks),
      .Lanes(Encryptions),
      .KeyWidth(KeyWidth),
      .BinaryWidth(BinaryWidth)
  ) u_multiplier (
      .clk_i,
      .rst_ni,
      .valid_i,
      .first_i,
      .key_i,
      .binary_i,
      .low_valid_o(product_valid[0]),
      .high_valid_o(product_valid[1]),
      .low_o(product[0]),
      .high_o(product[1])
  );

  delay_line #(
      .Width($bits(target_t)),
      .Depth(LeafLength + Latency)
  ) u_target (
      .clk_i,
      .enable_i(1'b1),
      .data_i(target_i),
      .data_o(target_o[0])
  );

  delay_line #(
      .Width($bits(target_t)),
      .Depth(LeafLength)
  ) u_later (
      .clk_i,
      .enable_i(1'b1),
      .data_i(target_o[0]),
      .data_o(target_o[1])
  );

  for (genvar part = 0; part < 2; part++) begin : gen_part
    // All lanes keep step.
    assign valid_o[part] = &valid[part];

    for (genvar lane = 0; lane < Encryptions; lane++) begin : gen_lane
      chunk_converter #(
          .Chunks(Chunks),
          .From(KeyWidth),
          .InputWidth(SumWidth),
          .To(ResultWidth)
      ) u_converter (
          .clk_i,
          .rst_ni,
          .valid_i(product_valid[part]),
          .data_i(product[part][lane]),
          .valid_o(valid[part][lane]),
          .data_o(data_o[part][lane])
      );
    end
  end

endmodule
