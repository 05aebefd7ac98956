// A row of multipliers that holds one factor, while the digits of another pass: Comba's columns, one a cycle
// (paper 5, section III; a finite impulse response filter, transposed).
//
// Column c is the sum of digits x_(c-j) b_j. The lowest digit of x comes first. When Taps digits of zero have followed the
// last one, nothing of x is left in the row.
//
// Ports: clk_i, rst_ni; taps_i, the digits of b, constant while digits of x pass that are not zero; digit_i of x; column_o.
// Latency: 2 cycles from a digit to the column that it is the last one of.

module comba_row #(
    parameter int unsigned Taps = 64,
    parameter int unsigned DigitWidth = 16,
    localparam int unsigned ColumnWidth = 2 * DigitWidth + $clog2(Taps)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic [Taps-1:0][DigitWidth-1:0] taps_i,
    input  logic [DigitWidth-1:0]           digit_i,
    output logic [ColumnWidth-1:0]          column_o
);

  logic [Taps-1:0][2*DigitWidth-1:0] product_q;
  logic [Taps-1:0][ColumnWidth-1:0] sum_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned tap = 0; tap < Taps; tap++) begin
      product_q[tap] <= (2 * DigitWidth)'(digit_i) * (2 * DigitWidth)'(taps_i[tap]);
      sum_q[tap] <= ColumnWidth'(product_q[tap]) + (tap + 1 < Taps ? sum_q[(tap+1)%Taps] : '0);
      if (!rst_ni) begin
        product_q[tap] <= '0;
        sum_q[tap] <= '0;
      end
    end
  end

  assign column_o = sum_q[0];

  if (Taps == 0 || DigitWidth == 0) begin : gen_check_sizes
    $error("comba_row: at least one tap and one bit");
  end

endmodule
