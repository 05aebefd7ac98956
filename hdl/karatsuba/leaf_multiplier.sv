// The products of a polynomial of five coefficients, chunk by chunk, and of as many small ones as there are lanes (paper 4,
// section 3.3.3, figures 6 and 7): Coefficients x Lanes multipliers.
//
// A leaf comes as Coefficients * Chunks pairs: chunk c of coefficient j of the key, and coefficient j of the binary
// polynomial c (lanes beyond those are not there). When its last pair has come, and the factors with it, the key's chunks
// go through all multipliers once more, delayed. Chunks of the same weight meet on their way from multiplier to
// multiplier. The lower coefficients of the product leave as the key comes, the upper ones as the next leaf's does.
//
// Ports: clk_i, rst_ni; valid_i, first_i, key_i, binary_i, a leaf without a gap, and whole leaves from one whose product is not
// out yet;
// low_valid_o, low_o, high_valid_o and high_o: chunks of coefficients 0 to Coefficients - 1 and from Coefficients on, of
// which the last is zero; sums of products, longer than a chunk.
// Latency: Coefficients * Chunks + 2 to the lower coefficients, as many more to the upper ones.

`include "assertions.svh"

module leaf_multiplier
  import ringmill_pkg::*;
#(
    parameter int unsigned Coefficients = 5,
    parameter int unsigned Chunks = 5,
    parameter int unsigned Lanes = 4,
    parameter int unsigned KeyWidth = 27,
    parameter int unsigned BinaryWidth = 10,
    localparam int unsigned SumWidth = KeyWidth + BinaryWidth + $clog2(Coefficients)
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              valid_i,
    input  logic                              first_i,
    input  logic [KeyWidth-1:0]               key_i,
    input  logic [BinaryWidth-1:0]            binary_i,
    output logic                              low_valid_o,
    output logic                              high_valid_o,
    output logic [Lanes-1:0][SumWidth-1:0]    low_o,
    output logic [Lanes-1:0][SumWidth-1:0]    high_o
);

  localparam int unsigned Length = Coefficients * Chunks;
  localparam int unsigned CountWidth = index_width(Length);
  localparam int unsigned ChunkWidth = index_width(Chunks);

  // The place of the pair that comes: leaves are whole leaves apart, so that this is the place of the delayed ones, too.
  logic [CountWidth-1:0] count_q, count;
  logic [ChunkWidth-1:0] chunk_q, chunk;
  logic last;

  assign count = first_i ? '0 : count_q;
  assign chunk = first_i ? '0 : chunk_q;
  assign last = count == CountWidth'(Length - 1);

  always_ff @(posedge clk_i) begin
    count_q <= last ? '0 : count + 1'b1;
    chunk_q <= chunk == ChunkWidth'(Chunks - 1) ? '0 : chunk + 1'b1;
    if (!rst_ni) begin
      count_q <= '0;
      chunk_q <= '0;
    end
  end

  // The delayed key, and whether the lower and the upper coefficients of a product are on their way.
  logic [KeyWidth-1:0] key;
  logic [1:0] window_q;

  delay_line #(
      .Width(KeyWidth),
      .Depth(Length)
  ) u_key (
      .clk_i,
      .enable_i(1'b1),
      .data_i(key_i),
      .data_o(key)
  );

  always_ff @(posedge clk_i) begin
    if (last) window_q <= {window_q[0], valid_i};
    if (!rst_ni) window_q <= '0;
  end

  logic first_coefficient;
  logic [1:0] valid_q, valid_later_q;
  logic first_q;

  assign first_coefficient = count < CountWidth'(Chunks);

  always_ff @(posedge clk_i) begin
    valid_q <= window_q;
    valid_later_q <= valid_q;
    first_q <= first_coefficient;
    if (!rst_ni) begin
      valid_q <= '0;
      valid_later_q <= '0;
    end
  end

  assign low_valid_o = valid_later_q[0];
  assign high_valid_o = valid_later_q[1];

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    // Coefficients come with the lane's chunk, and become factors when all are there.
    logic [Coefficients-1:0][BinaryWidth-1:0] next_q, next, factor_q;
    logic [Coefficients-1:0][SumWidth-1:0] product_q;
    logic [Coefficients-1:0][SumWidth-1:0] sum;
    // What a tap had a coefficient ago; of the product before, too.
    logic [Coefficients:1][SumWidth-1:0] sum_later;
    logic [Coefficients-1:1][SumWidth-1:0] upper;
    logic [Coefficients:2][SumWidth-1:0] upper_later;

    assign next = chunk == ChunkWidth'(lane) ? {binary_i, next_q[Coefficients-1:1]} : next_q;

    always_ff @(posedge clk_i) begin
      next_q <= next;
      if (last) factor_q <= next;
    end

    assign sum_later[Coefficients] = '0;
    assign upper_later[Coefficients] = '0;

    for (genvar tap = 0; tap < Coefficients; tap++) begin : gen_tap
      always_ff @(posedge clk_i) begin
        product_q[tap] <= SumWidth'(key) * SumWidth'(factor_q[tap]);
      end

      assign sum[tap] = product_q[tap] + (first_q ? '0 : sum_later[tap+1]);

      if (tap > 0) begin : gen_later
        assign upper[tap] = first_q ? sum_later[tap] : upper_later[tap+1];

        delay_line #(
            .Width(SumWidth),
            .Depth(Chunks)
        ) u_sum (
            .clk_i,
            .enable_i(1'b1),
            .data_i(sum[tap]),
            .data_o(sum_later[tap])
        );
      end

      if (tap > 1) begin : gen_upper
        delay_line #(
            .Width(SumWidth),
            .Depth(Chunks)
        ) u_upper (
            .clk_i,
            .enable_i(1'b1),
            .data_i(upper[tap]),
            .data_o(upper_later[tap])
        );
      end
    end

    always_ff @(posedge clk_i) begin
      low_o[lane] <= sum[0];
      high_o[lane] <= upper[1];
    end
  end

  `RINGMILL_ASSERT(LeavesInStep, first_i |-> count_q == '0 || window_q == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(NoGap, valid_i && !last |=> valid_i, clk_i, !rst_ni)

  if (Lanes > Chunks || Coefficients < 2 || Chunks < 2) begin : gen_check_sizes
    $error("leaf_multiplier: a chunk with each lane's coefficient");
  end

endmodule
