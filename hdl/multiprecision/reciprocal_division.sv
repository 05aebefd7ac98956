// The division and rounding unit: a long number times a stored reciprocal, rounded to the nearest integer (section
// 4.3.3).
//
// With r = ceil(t 2^(118 P) / q), P words of fraction, the product's integer part, plus the fraction's highest bit, is
// t x / q rounded: see docs/machines/multiprecision.md. The products of long words are taken by columns, one in each
// cycle, into one register that is shifted by a word after each column.
// The next number may arrive while this one is divided, and no more.
//
// Ports: clk_i, rst_ni; conversion_i: whose sizes and reciprocal count, constant while numbers are in;
// reciprocal_write_i, reciprocal_address_i (the lift's words, then the scale's, of 59 bits, two for each long word),
// reciprocal_data_i; valid_i, word_i, and with last_i negative_i; valid_o, long_o, last_o, negative_o.
// Cycles: division_cycles products; DivisionLatency from the last of them to the last word.

`include "assertions.svh"

module reciprocal_division
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    parameter int unsigned Total = 84,
    localparam int unsigned LiftReciprocal = reciprocal_words(Base, Total, ConversionLift),
    localparam int unsigned ScaleReciprocal = reciprocal_words(Base, Total, ConversionScale),
    localparam int unsigned ReciprocalAddress = index_width(2 * (LiftReciprocal + ScaleReciprocal))
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  conversion_e                  conversion_i,
    input  logic                         reciprocal_write_i,
    input  logic [ReciprocalAddress-1:0] reciprocal_address_i,
    input  logic [WordWidth-1:0]         reciprocal_data_i,
    input  logic                         valid_i,
    input  logic [WordWidth-1:0]         word_i,
    input  logic                         last_i,
    input  logic                         negative_i,
    output logic                         valid_o,
    output logic [LongWidth-1:0]         long_o,
    output logic                         last_o,
    output logic                         negative_o
);

  localparam int unsigned LiftDividend = dividend_words(Base, Total, ConversionLift);
  localparam int unsigned ScaleDividend = dividend_words(Base, Total, ConversionScale);
  localparam int unsigned LiftFraction = fraction_words(Base, Total, ConversionLift);
  localparam int unsigned ScaleFraction = fraction_words(Base, Total, ConversionScale);
  localparam int unsigned LiftColumns = LiftFraction + result_words(Base, Total, ConversionLift);
  localparam int unsigned ScaleColumns = ScaleFraction + result_words(Base, Total, ConversionScale);
  localparam int unsigned IndexWidth = index_width(maximum(LiftColumns, ScaleColumns) + 1);
  localparam int unsigned DividendAddress = index_width(maximum(LiftDividend, ScaleDividend));
  localparam int unsigned SumWidth = 2 * LongWidth + index_width(maximum(LiftDividend, ScaleDividend) + 1);

  typedef struct packed {
    logic valid;
    logic masked;   // no product: a column that has only what is carried into it
    logic opening;  // column of a number: nothing is carried into it
    logic last;     // product of a column
    logic rounds;   // the column's word is the fraction's first
    logic counts;   // the column's word is one of the quotient
    logic ends;     // the column is the last
    logic negative;
  } column_control_t;

  // Sizes of what is divided.
  logic [IndexWidth-1:0] dividend_last;
  logic [IndexWidth-1:0] reciprocal_last;
  logic [IndexWidth-1:0] fraction;
  logic [IndexWidth-1:0] column_last;

  logic lifts;
  assign lifts = conversion_i == ConversionLift;
  assign dividend_last = lifts ? IndexWidth'(LiftDividend - 1) : IndexWidth'(ScaleDividend - 1);
  assign reciprocal_last = lifts ? IndexWidth'(LiftReciprocal - 1) : IndexWidth'(ScaleReciprocal - 1);
  assign fraction = lifts ? IndexWidth'(LiftFraction) : IndexWidth'(ScaleFraction);
  assign column_last = lifts ? IndexWidth'(LiftColumns - 1) : IndexWidth'(ScaleColumns - 1);

  // Numbers arrive in two buffers in turn, two words to a long one.
  logic arriving_q;
  logic [DividendAddress:0] arrived_q;
  logic waiting_q;
  logic waiting_negative_q;

  // The product that is taken: word dividend_q of the number, column_q - dividend_q of the reciprocal.
  logic busy_q;
  logic buffer_q;
  logic negative_q;
  logic [IndexWidth-1:0] column_q;
  logic [IndexWidth-1:0] first_q;
  logic [IndexWidth-1:0] dividend_q;
  logic column_ends;
  logic ends;
  logic begins;

  assign column_ends = dividend_q >= dividend_last || dividend_q >= column_q;
  assign ends = busy_q && column_ends && column_q == column_last;
  assign begins = waiting_q && (!busy_q || ends);

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      arrived_q <= last_i ? '0 : arrived_q + 1'b1;
      arriving_q <= arriving_q ^ last_i;
    end
    if (ends) busy_q <= 1'b0;
    if (begins) begin
      busy_q <= 1'b1;
      buffer_q <= !arriving_q;
      negative_q <= waiting_negative_q;
      column_q <= '0;
      first_q <= '0;
      dividend_q <= '0;
      waiting_q <= 1'b0;
    end else if (column_ends) begin
      column_q <= column_q + 1'b1;
      first_q <= column_q < reciprocal_last ? '0 : first_q + 1'b1;
      dividend_q <= column_q < reciprocal_last ? '0 : first_q + 1'b1;
    end else begin
      dividend_q <= dividend_q + 1'b1;
    end
    if (valid_i && last_i) begin
      waiting_q <= 1'b1;
      waiting_negative_q <= negative_i;
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
      waiting_q <= 1'b0;
      arriving_q <= 1'b0;
      arrived_q <= '0;
    end
  end

  column_control_t taken;

  assign taken = '{
    valid: busy_q,
    masked: first_q > dividend_last,
    opening: column_q == '0,
    last: column_ends,
    rounds: column_q + 1'b1 == fraction,
    counts: column_q >= fraction,
    ends: column_q == column_last,
    negative: negative_q
  };

  logic [ReciprocalAddress-2:0] reciprocal_index;
  logic [LongWidth-1:0] dividend;
  logic [LongWidth-1:0] reciprocal;
  logic [2*LongWidth-1:0] product;

  assign reciprocal_index = (ReciprocalAddress - 1)'(column_q - dividend_q)
      + (lifts ? '0 : (ReciprocalAddress - 1)'(LiftReciprocal));

  for (genvar half = 0; half < 2; half++) begin : gen_half
    // The last word of an odd number of words is followed by 0.
    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(2 << DividendAddress),
        .Style(RamDistributed)
    ) u_dividend (
        .clk_i,
        .write_i(valid_i && (arrived_q[0] == 1'(half) || half == 1 && last_i)),
        .write_address_i({arriving_q, arrived_q[DividendAddress:1]}),
        .write_data_i(arrived_q[0] == 1'(half) ? word_i : '0),
        .read_i(1'b1),
        .read_address_i({buffer_q, dividend_q[DividendAddress-1:0]}),
        .read_data_o(dividend[half*WordWidth+:WordWidth])
    );

    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(LiftReciprocal + ScaleReciprocal),
        .Style(RamDistributed)
    ) u_reciprocal (
        .clk_i,
        .write_i(reciprocal_write_i && reciprocal_address_i[0] == 1'(half)),
        .write_address_i(reciprocal_address_i[ReciprocalAddress-1:1]),
        .write_data_i(reciprocal_data_i),
        .read_i(1'b1),
        .read_address_i(reciprocal_index),
        .read_data_o(reciprocal[half*WordWidth+:WordWidth])
    );
  end

  long_multiplier u_product (
      .clk_i,
      .lhs_i(dividend),
      .rhs_i(reciprocal),
      .product_o(product)
  );

  column_control_t [LongMultiplierLatency:0] control_q;
  column_control_t control;
  logic [SumWidth-1:0] carried_q;
  logic rounds_q;
  logic [SumWidth-1:0] sum;

  assign control = control_q[LongMultiplierLatency];
  assign sum = (control.opening ? '0 : carried_q) + (control.masked ? '0 : SumWidth'(product))
      + SumWidth'(rounds_q && !control.opening);

  always_ff @(posedge clk_i) begin
    control_q <= {control_q[LongMultiplierLatency-1:0], taken};
    carried_q <= control.last ? sum >> LongWidth : sum;
    rounds_q <= control.last && control.rounds && sum[LongWidth-1];
    long_o <= sum[LongWidth-1:0];
    valid_o <= rst_ni && control.valid && control.last && control.counts;
    last_o <= rst_ni && control.valid && control.last && control.ends;
    negative_o <= control.negative;
  end

  `RINGMILL_ASSERT(RoomForNumber, !(valid_i && waiting_q && !begins), clk_i, !rst_ni)

endmodule
