// The sum of the systolic machine, a digit a cycle: columns come, carries stay here, digits go to a memory and out; a
// quotient's only out.
//
// Ports: clk_i, rst_ni; start_i, two cycles before the first column, with mode_i and length_i, the digits of this pass;
// busy_o; done_o, with the last digit; column_i; noise_shift_i with load_digit_i, before a pass that needs the noise, whose
// last digit has its sign; modulus_i, with digit_o, and less_o, after a pass: its digits are less than the modulus's;
// valid_o, digit_o; peek_i with peek_index_i, while not busy with anything but a quotient: peek_digit_o is that digit of the
// sum in the next cycle.
// Latency: 3 from start_i, 1 from a column, to its digit.

`include "assertions.svh"

module systolic_sum
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Depth = 9440,
    parameter int unsigned NoiseDigits = 67,
    parameter int unsigned SumWidth = 43,
    localparam int unsigned IndexWidth = index_width(Depth)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  start_i,
    input  sum_mode_e             mode_i,
    input  logic [IndexWidth-1:0] length_i,
    output logic                  busy_o,
    output logic                  done_o,
    input  logic [SumWidth-1:0]   column_i,
    input  logic                  noise_shift_i,
    input  logic [DigitWidth-1:0] load_digit_i,
    input  logic [DigitWidth-1:0] modulus_i,
    output logic                  less_o,
    output logic                  valid_o,
    output logic [DigitWidth-1:0] digit_o,
    input  logic                  peek_i,
    input  logic [IndexWidth-1:0] peek_index_i,
    output logic [DigitWidth-1:0] peek_digit_o
);

  // Twice a column, a digit and a signed carry.
  localparam int unsigned TotalWidth = SumWidth + 3;
  localparam int unsigned NoiseWidth = NoiseDigits * DigitWidth;

  sum_mode_e mode_q;
  logic reading_q, adding_q, writing_q;
  logic [IndexWidth-1:0] length_q, read_q, add_q, write_q;
  logic last;

  assign busy_o = reading_q || adding_q || writing_q;
  assign last = adding_q && add_q == length_q - 1'b1;

  always_ff @(posedge clk_i) begin
    read_q <= read_q + 1'b1;
    add_q <= read_q;
    write_q <= add_q;
    adding_q <= reading_q;
    writing_q <= adding_q;
    done_o <= last;
    if (read_q == length_q - 1'b1) reading_q <= 1'b0;
    if (start_i) begin
      reading_q <= 1'b1;
      mode_q <= mode_i;
      length_q <= length_i;
      read_q <= '0;
    end
    if (!rst_ni) begin
      reading_q <= 1'b0;
      adding_q <= 1'b0;
      writing_q <= 1'b0;
      done_o <= 1'b0;
    end
  end

  // A pass may begin while the digits of the one before are added.
  sum_mode_e adding_mode_q;

  always_ff @(posedge clk_i) adding_mode_q <= mode_q;

  logic [DigitWidth-1:0] stored;

  ram_simple_dual #(
      .Width(DigitWidth),
      .Depth(Depth),
      .Style(RamBlock)
  ) u_digits (
      .clk_i,
      .write_i(writing_q && mode_q != SumQuotient),
      .write_address_i(write_q),
      .write_data_i(digit_o),
      .read_i(reading_q || peek_i),
      .read_address_i(peek_i ? peek_index_i : read_q),
      .read_data_o(stored)
  );

  assign peek_digit_o = stored;

  // The noise leaves digit by digit, and its sign stays.
  logic [NoiseWidth-1:0] noise_q;

  always_ff @(posedge clk_i) begin
    if (noise_shift_i) noise_q <= NoiseWidth'({load_digit_i, noise_q} >> DigitWidth);
    else if (adding_q && adding_mode_q == SumFirst) begin
      noise_q <= NoiseWidth'({{DigitWidth{noise_q[NoiseWidth-1]}}, noise_q} >> DigitWidth);
    end
  end

  logic [DigitWidth-1:0] old;
  logic signed [TotalWidth-1:0] column, carry_q, total;

  always_comb begin
    case (adding_mode_q)
      SumFirst: old = noise_q[DigitWidth-1:0];
      SumQuotient: old = '0;
      default: old = stored;
    endcase
    case (adding_mode_q)
      SumQuotient: column = TotalWidth'(column_i);
      SumSubtract: column = -TotalWidth'(column_i);
      default: column = TotalWidth'({column_i, 1'b0});
    endcase
  end

  assign total = $signed(TotalWidth'(old)) + column + carry_q;

  always_ff @(posedge clk_i) begin
    digit_o <= total[DigitWidth-1:0];
    valid_o <= adding_q;
    carry_q <= total >>> DigitWidth;
    if (!adding_q || last) carry_q <= '0;
    if (!rst_ni) valid_o <= 1'b0;
  end

  // The borrow of the digits without the modulus.
  logic less_q;
  logic [DigitWidth:0] difference;

  assign difference = (DigitWidth + 1)'(digit_o) - (DigitWidth + 1)'(modulus_i) - (DigitWidth + 1)'(less_q);
  assign less_o = less_q;

  always_ff @(posedge clk_i) begin
    if (writing_q) less_q <= difference[DigitWidth];
    if (start_i) less_q <= 1'b0;
  end

  `RINGMILL_ASSERT(PassAfterPass, start_i |-> !reading_q || read_q == length_q - 1'b1, clk_i, !rst_ni)
  `RINGMILL_ASSERT(PeeksAlone, peek_i |-> !reading_q || mode_q == SumQuotient, clk_i, !rst_ni)
  `RINGMILL_ASSERT(FitsMemory, start_i |-> length_i != '0 && length_i <= IndexWidth'(Depth - 1), clk_i, !rst_ni)

endmodule
