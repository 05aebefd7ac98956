// A multiplication unit that accumulates: sum <- sum + x b, x and b of Digits digits, in 2 * Digits + 2 cycles
// (paper 5, section V: a block of w = 16 * Digits bits, one multiplier a digit, 2 ceil(w / 16) + 2 cycles).
//
// The sum circulates: with each column its lowest digit leaves, and comes back at the top, the column and a carry added. So
// carries never run through more than a column. Above the 2 * Digits digits is one more, for up to 2^DigitWidth products.
//
// Ports: clk_i, rst_ni, after which the sum is zero; ready_o, also in the last cycle of a product, and with it start_i,
// lhs_i and rhs_i; busy_o, from the cycle after a start to the product's last; shift_i, while not busy and without a start:
// digit_o, the lowest digit of the sum, leaves it.
// Latency: 2 * Digits + 2 cycles from a start to the next.

`include "assertions.svh"

module comba_accumulator
  import ringmill_pkg::*;
#(
    parameter int unsigned Digits = 64,
    parameter int unsigned DigitWidth = 16
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    output logic                              ready_o,
    output logic                              busy_o,
    input  logic                              start_i,
    input  logic [Digits-1:0][DigitWidth-1:0] lhs_i,
    input  logic [Digits-1:0][DigitWidth-1:0] rhs_i,
    input  logic                              shift_i,
    output logic [DigitWidth-1:0]             digit_o
);

  // Columns of a product, and the cycles from a digit of x to the sum with its column.
  localparam int unsigned Columns = 2 * Digits;
  localparam int unsigned ColumnLatency = 2;
  localparam int unsigned CountWidth = index_width(Columns + ColumnLatency);
  localparam int unsigned ColumnWidth = 2 * DigitWidth + $clog2(Digits);
  localparam int unsigned TotalWidth = ColumnWidth + 1;
  localparam int unsigned CarryWidth = TotalWidth - DigitWidth;

  logic busy_q;
  logic [CountWidth-1:0] count_q;
  logic last;

  logic [Digits-1:0][DigitWidth-1:0] lhs_q, rhs_q;
  logic [Columns-1:0][DigitWidth-1:0] sum_q;
  logic [DigitWidth-1:0] top_q;
  logic [CarryWidth-1:0] carry_q;

  assign last = busy_q && count_q == CountWidth'(Columns + ColumnLatency - 1);
  assign busy_o = busy_q;
  assign ready_o = !busy_q || last;

  always_ff @(posedge clk_i) begin
    count_q <= count_q + 1'b1;
    if (ready_o) begin
      busy_q <= start_i;
      count_q <= '0;
    end
    if (!rst_ni) busy_q <= 1'b0;
  end

  // x leaves digit by digit, and zeros follow.
  always_ff @(posedge clk_i) begin
    lhs_q <= (Digits * DigitWidth)'({DigitWidth'(0), lhs_q} >> DigitWidth);
    if (ready_o && start_i) begin
      lhs_q <= lhs_i;
      rhs_q <= rhs_i;
    end
    if (!rst_ni) lhs_q <= '0;
  end

  logic [ColumnWidth-1:0] column;

  comba_row #(
      .Taps(Digits),
      .DigitWidth(DigitWidth)
  ) u_row (
      .clk_i,
      .rst_ni,
      .taps_i(rhs_q),
      .digit_i(lhs_q[0]),
      .column_o(column)
  );

  // A column, a carry of less than the column's upper part and one, and a digit.
  logic [TotalWidth-1:0] total;
  logic circulates;

  assign circulates = busy_q && count_q >= CountWidth'(ColumnLatency);
  assign total = TotalWidth'(column) + TotalWidth'(carry_q) + TotalWidth'(sum_q[0]);

  always_ff @(posedge clk_i) begin
    if (circulates) begin
      sum_q <= {total[DigitWidth-1:0], sum_q[Columns-1:1]};
      carry_q <= total[TotalWidth-1:DigitWidth];
      if (last) begin
        top_q <= top_q + DigitWidth'(total[TotalWidth-1:DigitWidth]);
        carry_q <= '0;
      end
    end else if (shift_i) begin
      sum_q <= {top_q, sum_q[Columns-1:1]};
      top_q <= '0;
    end
    if (!rst_ni) begin
      sum_q <= '0;
      top_q <= '0;
      carry_q <= '0;
    end
  end

  assign digit_o = sum_q[0];

  `RINGMILL_ASSERT(ShiftsAlone, !(shift_i && (start_i || busy_q)), clk_i, !rst_ni)
  // Two numbers of 2 * Digits digits leave at most one above them, and the top does not overflow.
  `RINGMILL_ASSERT(CarryOfOne, last |-> total[TotalWidth-1:DigitWidth] <= 1, clk_i, !rst_ni)
  `RINGMILL_ASSERT(NoOverflow, last |-> !(&top_q && total[DigitWidth]), clk_i, !rst_ni)

  if (Digits == 0 || DigitWidth < 2) begin : gen_check_sizes
    $error("comba_accumulator: at least one digit of two bits");
  end

endmodule
