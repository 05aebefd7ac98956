// A row of the systolic machine: multiplies an element, digit by digit as it comes from ChaCha20's blocks and without its
// correction, by a factor, and adds the columns to those of the rows before (docs/machines/comba.md).
//
// Ports: clk_i, rst_ni; load_i with block_i, BlockDigits cycles after the last one or later; take_i, with an element's first
// block: the next factor is the factor from now on, and the correction begins to leave; stream_i, digits of another number,
// zero while blocks come; factor_shift_i and correction_shift_i, digit_i goes at the top of the next factor, or of the
// correction when the one before has left; sum_i, columns of the rows before, and sum_o.
// Latency: 5 from load_i, 4 from stream_i, to the column in sum_o; 1 from sum_i to sum_o.

`include "assertions.svh"

module systolic_row
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Taps = 59,
    parameter int unsigned CorrectionDigits = 67,
    parameter int unsigned SumWidth = 43
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  load_i,
    input  logic [BlockWidth-1:0] block_i,
    input  logic                  take_i,
    input  logic [DigitWidth-1:0] stream_i,
    input  logic                  factor_shift_i,
    input  logic                  correction_shift_i,
    input  logic [DigitWidth-1:0] digit_i,
    input  logic [SumWidth-1:0]   sum_i,
    output logic [SumWidth-1:0]   sum_o
);

  localparam int unsigned ColumnWidth = 2 * DigitWidth + $clog2(Taps);
  localparam int unsigned LeftWidth = index_width(CorrectionDigits + 1);
  localparam int unsigned FactorWidth = Taps * DigitWidth;
  localparam int unsigned CorrectionWidth = CorrectionDigits * DigitWidth;

  logic [FactorWidth-1:0] factor_q, next_q;
  logic [CorrectionWidth-1:0] correction_q;
  logic [LeftWidth-1:0] left_q;
  logic [BlockWidth-1:0] block_q;
  logic [DigitWidth-1:0] digit_q;
  logic borrow_q;
  logic [DigitWidth:0] difference;

  always_ff @(posedge clk_i) begin
    if (take_i) factor_q <= next_q;
    if (factor_shift_i) next_q <= FactorWidth'({digit_i, next_q} >> DigitWidth);
    if (!rst_ni) begin
      factor_q <= '0;
      next_q <= '0;
    end
  end

  // The correction ends in zeros.
  always_ff @(posedge clk_i) begin
    if (correction_shift_i) correction_q <= CorrectionWidth'({digit_i, correction_q} >> DigitWidth);
    else if (left_q != '0) correction_q <= CorrectionWidth'({DigitWidth'(0), correction_q} >> DigitWidth);
    if (take_i) left_q <= LeftWidth'(CorrectionDigits);
    else if (left_q != '0) left_q <= left_q - 1'b1;
    if (!rst_ni) begin
      correction_q <= '0;
      left_q <= '0;
    end
  end

  // While a correction waits its digits are no element's.
  assign difference = (DigitWidth + 1)'(block_q[DigitWidth-1:0])
      - (left_q != '0 ? (DigitWidth + 1)'(correction_q[DigitWidth-1:0]) : '0) - (DigitWidth + 1)'(borrow_q);

  always_ff @(posedge clk_i) begin
    block_q <= load_i ? block_i : block_q >> DigitWidth;
    borrow_q <= difference[DigitWidth] && !take_i;
    digit_q <= difference[DigitWidth-1:0] | stream_i;
    if (!rst_ni) begin
      block_q <= '0;
      borrow_q <= 1'b0;
    end
  end

  logic [ColumnWidth-1:0] column;

  comba_row #(
      .Taps(Taps),
      .DigitWidth(DigitWidth)
  ) u_row (
      .clk_i,
      .rst_ni,
      .taps_i(factor_q),
      .digit_i(digit_q),
      .column_o(column)
  );

  always_ff @(posedge clk_i) begin
    sum_o <= sum_i + SumWidth'(column);
    if (!rst_ni) sum_o <= '0;
  end

  `RINGMILL_ASSERT(CorrectionHasLeft, correction_shift_i |-> left_q == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneSource, stream_i != '0 |-> difference == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(NotNegative, take_i |-> !borrow_q, clk_i, !rst_ni)

  if (Taps == 0 || CorrectionDigits == 0 || SumWidth < ColumnWidth) begin : gen_check_sizes
    $error("systolic_row: at least a tap and a digit of a correction, and a sum of a column's width");
  end

endmodule
