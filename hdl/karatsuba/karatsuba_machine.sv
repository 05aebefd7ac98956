// The hardware's part of products by Karatsuba's method (paper 4, section 3.3, figure 5): one polynomial by four small ones, all
// cut into pieces of forty coefficients by the host, which joins the results, too.
//
// Pieces come as beats of a chunk and a coefficient. Nine pieces, three times lower, upper and sum, make a result of twice
// 160 coefficients, whose beats have a chunk of each of the four products (docs/machines/karatsuba.md).
//
// Ports: clk_i, rst_ni; a stream in, valid_i, ready_o, data_i: the key's chunk from bit 0, from bit 32 on the coefficient of
// binary polynomial 0 to 3 that belongs to chunk 0 to 3; a stream out, valid_o, ready_i, last_o (of a result), data_o: a chunk
// of 30 bits from each multiple of 32 on; buffered_o, a word of a result has come into the buffer.

module karatsuba_machine
  import karatsuba_pkg::*;
#(
    parameter int unsigned KeyWidth = 27,
    parameter int unsigned Results = 4
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         valid_i,
    output logic         ready_o,
    input  logic [127:0] data_i,
    output logic         valid_o,
    input  logic         ready_i,
    output logic         last_o,
    output logic [127:0] data_o,
    output logic         buffered_o
);

  localparam int unsigned WordWidth = Encryptions * ResultWidth;
  localparam int unsigned BeatLane = 32;

  logic room, group;
  logic piece_valid, piece_first;
  logic [KeyWidth-1:0] piece_key;
  logic [BinaryWidth-1:0] piece_binary;

  packager #(
      .KeyWidth(KeyWidth)
  ) u_packager (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .key_i(data_i[KeyWidth-1:0]),
      .binary_i(data_i[BeatLane+:BinaryWidth]),
      .room_i(room),
      .group_o(group),
      .valid_o(piece_valid),
      .first_o(piece_first),
      .key_o(piece_key),
      .binary_o(piece_binary)
  );

  logic [7:0] line_valid, line_first;
  logic [7:0][KeyWidth-1:0] line_key;
  logic [7:0][BinaryWidth-1:0] line_binary;

  pre_computation #(
      .Coefficients(LeafCoefficients),
      .Chunks(Chunks),
      .KeyWidth(KeyWidth),
      .BinaryWidth(BinaryWidth)
  ) u_pre_computation (
      .clk_i,
      .rst_ni,
      .valid_i(piece_valid),
      .first_i(piece_first),
      .key_i(piece_key),
      .binary_i(piece_binary),
      .valid_o(line_valid),
      .first_o(line_first),
      .key_o(line_key),
      .binary_o(line_binary)
  );

  logic [Multipliers-1:0] leaf_valid, leaf_first;
  logic [Multipliers-1:0][KeyWidth-1:0] leaf_key;
  logic [Multipliers-1:0][BinaryWidth-1:0] leaf_binary;
  target_t [Multipliers-1:0] leaf_target;

  leaf_crossbar #(
      .KeyWidth(KeyWidth)
  ) u_crossbar (
      .clk_i,
      .rst_ni,
      .valid_i(line_valid),
      .first_i(line_first),
      .key_i(line_key),
      .binary_i(line_binary),
      .valid_o(leaf_valid),
      .first_o(leaf_first),
      .key_o(leaf_key),
      .binary_o(leaf_binary),
      .target_o(leaf_target)
  );

  logic [Multipliers-1:0][1:0] product_valid;
  target_t [Multipliers-1:0][1:0] product_target;
  logic [Multipliers-1:0][1:0][Encryptions-1:0][ResultWidth-1:0] product;

  for (genvar multiplier = 0; multiplier < Multipliers; multiplier++) begin : gen_multiplier
    leaf_unit #(
        .KeyWidth(KeyWidth)
    ) u_leaf (
        .clk_i,
        .rst_ni,
        .valid_i(leaf_valid[multiplier]),
        .first_i(leaf_first[multiplier]),
        .key_i(leaf_key[multiplier]),
        .binary_i(leaf_binary[multiplier]),
        .target_i(leaf_target[multiplier]),
        .valid_o(product_valid[multiplier]),
        .target_o(product_target[multiplier]),
        .data_o(product[multiplier])
    );
  end

  logic result_valid, result_first;
  logic [Encryptions-1:0][ResultWidth-1:0] low, high, word;

  post_computation u_post_computation (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .target_i(product_target),
      .data_i(product),
      .valid_o(result_valid),
      .first_o(result_first),
      .low_o(low),
      .high_o(high)
  );

  result_buffer #(
      .Words(ResultWords),
      .Width(WordWidth),
      .Results(Results)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .group_i(group),
      .room_o(room),
      .valid_i(result_valid),
      .low_i(low),
      .high_i(high),
      .valid_o,
      .ready_i,
      .last_o,
      .data_o(word)
  );

  for (genvar lane = 0; lane < Encryptions; lane++) begin : gen_lane
    assign data_o[lane*BeatLane+:BeatLane] = BeatLane'(word[lane]);
  end

  assign buffered_o = result_valid;

  logic unused;
  assign unused = ^{data_i, result_first};

  if (KeyWidth > BeatLane || KeyWidth > ResultWidth) begin : gen_check_width
    $error("karatsuba_machine: chunks of at most 30 bits");
  end

endmodule
