// The product of two leaves, one coefficient of the binary polynomial a cycle: Coefficients x Chunks multipliers. Products of a
// coefficient's chunks do not overlap at every other place, so that two numbers are added.
//
// The lower coefficients of the product leave as the rows come, one each; the upper ones, of which the last is zero, from the
// last row on.
//
// Ports: clk_i, rst_ni; valid_i, first_i, for Coefficients cycles without a gap, key_i, the same for all of them, binary_i,
// the lowest coefficient first; low_valid_o, low_first_o, low_o; high_valid_o, high_first_o, high_o: coefficients modulo 2^Width.
// Latency: 3 to the lower coefficients, Coefficients - 1 more to the upper ones.

`include "assertions.svh"

module leaf_row
  import ringmill_pkg::*;
#(
    parameter int unsigned Coefficients = 5,
    parameter int unsigned Chunks = 6,
    parameter int unsigned KeyWidth = 24,
    parameter int unsigned BinaryWidth = 10,
    parameter int unsigned Width = 150
) (
    input  logic                                             clk_i,
    input  logic                                             rst_ni,
    input  logic                                             valid_i,
    input  logic                                             first_i,
    input  logic [Coefficients-1:0][Chunks-1:0][KeyWidth-1:0] key_i,
    input  logic [BinaryWidth-1:0]                           binary_i,
    output logic                                             low_valid_o,
    output logic                                             low_first_o,
    output logic [Width-1:0]                                 low_o,
    output logic                                             high_valid_o,
    output logic                                             high_first_o,
    output logic [Width-1:0]                                 high_o
);

  localparam int unsigned ProductWidth = KeyWidth + BinaryWidth;
  localparam int unsigned CountWidth = index_width(Coefficients);
  // All chunks' products, with their overlaps.
  localparam int unsigned TotalWidth = maximum(Width, Chunks * KeyWidth + BinaryWidth);

  logic [1:0] valid_q, first_q;
  logic [CountWidth-1:0] row_q;
  logic last;

  // The row whose products are added now, and what is left of the upper coefficients.
  assign last = valid_q[1] && row_q == CountWidth'(Coefficients - 1);

  logic [CountWidth-1:0] left_q;
  logic high_valid_q, high_first_q;

  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[0], valid_i};
    first_q <= {first_q[0], valid_i && first_i};
    if (valid_q[1]) row_q <= last ? '0 : row_q + 1'b1;
    low_valid_o <= valid_q[1];
    low_first_o <= first_q[1];
    high_first_q <= last;
    if (last) begin
      high_valid_q <= 1'b1;
      left_q <= CountWidth'(Coefficients - 1);
    end else if (left_q == '0) begin
      high_valid_q <= 1'b0;
    end else begin
      left_q <= left_q - 1'b1;
    end
    if (!rst_ni) begin
      valid_q <= '0;
      first_q <= '0;
      row_q <= '0;
      low_valid_o <= 1'b0;
      low_first_o <= 1'b0;
      high_valid_q <= 1'b0;
      high_first_q <= 1'b0;
      left_q <= '0;
    end
  end

  logic [Coefficients-1:0][Width-1:0] sum;
  // A row ago; and the upper coefficients on their way out, after which come zeros.
  logic [Coefficients-1:1][Width-1:0] sum_q;
  logic [Coefficients:1][Width-1:0] upper;

  assign upper[Coefficients] = '0;

  for (genvar tap = 0; tap < Coefficients; tap++) begin : gen_tap
    logic [Chunks-1:0][ProductWidth-1:0] product_q;
    logic [TotalWidth-1:0] even, odd;
    logic [Width-1:0] total_q;

    always_comb begin
      even = '0;
      odd = '0;
      for (int unsigned chunk = 0; chunk < Chunks; chunk++) begin
        if (chunk % 2 == 0) even |= TotalWidth'(product_q[chunk]) << (chunk * KeyWidth);
        else odd |= TotalWidth'(product_q[chunk]) << (chunk * KeyWidth);
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned chunk = 0; chunk < Chunks; chunk++) begin
        product_q[chunk] <= ProductWidth'(key_i[tap][chunk]) * ProductWidth'(binary_i);
      end
      total_q <= Width'(even + odd);
    end

    if (tap == Coefficients - 1) begin : gen_last
      assign sum[tap] = total_q;
    end else begin : gen_sum
      assign sum[tap] = total_q + (first_q[1] ? '0 : sum_q[tap+1]);
    end

    if (tap > 0) begin : gen_upper
      logic [Width-1:0] upper_q;

      always_ff @(posedge clk_i) begin
        sum_q[tap] <= sum[tap];
        upper_q <= last ? sum[tap] : upper[tap+1];
      end

      assign upper[tap] = upper_q;
    end
  end

  always_ff @(posedge clk_i) low_o <= sum[0];

  assign high_valid_o = high_valid_q;
  assign high_first_o = high_first_q;
  assign high_o = upper[1];

  `RINGMILL_ASSERT(WholeLeaves, valid_i && !first_i |-> valid_q[0], clk_i, !rst_ni)
  `RINGMILL_ASSERT(FirstInStep, valid_q[1] |-> first_q[1] == (row_q == '0), clk_i, !rst_ni)

  if (Coefficients < 2 || Chunks == 0 || KeyWidth < BinaryWidth) begin : gen_check_sizes
    $error("leaf_row: at least two coefficients, and products that reach the next chunk but not the one after it");
  end

endmodule
