// Full product of two unsigned words by core multipliers: a partial product for each digit of one operand and each of the
// other.
//
// The partial products on a diagonal of that square (digits i + k of lhs and i of rhs, for all i) stand side by side
// without overlapping, so a diagonal is one row without an adder. The diagonals k and -k are added first, then those
// sums to the main diagonal. Shallow: partial products are registered in their DSP slices, the sum of all follows; of
// 32 x 32 bits (cores of 16 x 16) the two crossed products meet in a DSP slice and one adder of 48 bits is left. Deep:
// the operands have a register, and every sum has a cycle.
//
// Ports: clk_i, enable_i (0 holds all registers), lhs_i, rhs_i, product_o.
// Latency: integer_multiplier_latency(Width, Pipeline); a product every cycle. No reset.

module integer_multiplier
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic               clk_i,
    input  logic               enable_i,
    input  logic [Width-1:0]   lhs_i,
    input  logic [Width-1:0]   rhs_i,
    output logic [2*Width-1:0] product_o
);

  localparam bit Deep = Pipeline != PipelineShallow;
  localparam int unsigned LhsDigit = lhs_digit(Width, Pipeline);
  localparam int unsigned RhsDigit = rhs_digit(Width, Pipeline);
  localparam int unsigned LhsDigits = ceil_div(Width, LhsDigit);
  localparam int unsigned RhsDigits = ceil_div(Width, RhsDigit);
  localparam int unsigned Entry = LhsDigit + RhsDigit;
  localparam int unsigned Pairs = diagonal_pairs(Width, Pipeline);

  // Bits of a row, and of all sums: no partial product reaches further.
  localparam int unsigned RowWidth = LhsDigits * LhsDigit + RhsDigits * RhsDigit;

  logic [LhsDigits*LhsDigit-1:0] lhs;
  logic [RhsDigits*RhsDigit-1:0] rhs;
  logic [LhsDigits-1:0][RhsDigits-1:0][Entry-1:0] partial_q;

  if (Deep) begin : gen_operands
    logic [Width-1:0] lhs_q;
    logic [Width-1:0] rhs_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        lhs_q <= lhs_i;
        rhs_q <= rhs_i;
      end
    end
    assign lhs = (LhsDigits * LhsDigit)'(lhs_q);
    assign rhs = (RhsDigits * RhsDigit)'(rhs_q);
  end else begin : gen_direct
    assign lhs = (LhsDigits * LhsDigit)'(lhs_i);
    assign rhs = (RhsDigits * RhsDigit)'(rhs_i);
  end

  for (genvar i = 0; i < int'(LhsDigits); i++) begin : gen_lhs
    for (genvar j = 0; j < int'(RhsDigits); j++) begin : gen_rhs
      always_ff @(posedge clk_i) begin
        if (enable_i) begin
          partial_q[i][j] <= lhs[i*LhsDigit+:LhsDigit] * rhs[j*RhsDigit+:RhsDigit];
        end
      end
    end
  end

  // Row of the diagonals k >= 0 (digits i + k of lhs and i of rhs) and of -k, without the weight of RhsDigit * k bits that
  // both have.
  logic [Pairs:0][RowWidth-1:0] upper;
  logic [Pairs:0][RowWidth-1:0] lower;

  always_comb begin
    upper = '0;
    lower = '0;
    for (int unsigned k = 0; k <= Pairs; k++) begin
      for (int unsigned i = 0; i < LhsDigits; i++) begin
        for (int unsigned j = 0; j < RhsDigits; j++) begin
          if (i == j + k) upper[k] = upper[k] | RowWidth'(partial_q[i][j]) << (Entry * j + (LhsDigit - RhsDigit) * k);
          if (j == i + k && k != 0) lower[k] = lower[k] | RowWidth'(partial_q[i][j]) << (Entry * i);
        end
      end
    end
  end

  if (Deep) begin : gen_deep
    // Sums of the pairs, each until its turn, and the sums so far.
    logic [Pairs:1][RowWidth-1:0] pair_q;
    logic [Pairs:0][RowWidth-1:0] sum_q;

    always_ff @(posedge clk_i) begin
      if (enable_i) sum_q[0] <= upper[0];
    end

    for (genvar k = 1; k <= int'(Pairs); k++) begin : gen_pair
      logic [k-1:0][RowWidth-1:0] wait_q;
      always_ff @(posedge clk_i) begin
        if (enable_i) begin
          wait_q[0] <= upper[k] + lower[k];
          for (int unsigned i = 1; i < k; i++) wait_q[i] <= wait_q[i-1];
          sum_q[k] <= sum_q[k-1] + (pair_q[k] << (RhsDigit * k));
        end
      end
      assign pair_q[k] = wait_q[k-1];
    end

    assign product_o = sum_q[Pairs][2*Width-1:0];

    logic unused;
    assign unused = ^sum_q[Pairs][RowWidth-1:2*Width-1];
  end else begin : gen_shallow
    logic [RowWidth-1:0] sum;

    always_comb begin
      sum = upper[0];
      for (int unsigned k = 1; k <= Pairs; k++) sum = sum + ((upper[k] + lower[k]) << (RhsDigit * k));
    end

    always_ff @(posedge clk_i) begin
      if (enable_i) product_o <= sum[2*Width-1:0];
    end

    logic unused;
    assign unused = ^sum[RowWidth-1:2*Width-1];
  end

  if (Width < 2) begin : gen_check_width
    $error("integer_multiplier: Width must be at least 2");
  end

endmodule
