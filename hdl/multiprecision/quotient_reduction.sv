// A long number less a multiple of q: Barrett's reduction with a quotient of 64 bits (section 4.3.4).
//
// y < 2^(30 (Total - Base)) arrives in long words, the least first. e = (y >> (30 Base - 4)) floor(2^(30 Base + 60) /
// q) >> 64 falls short of y / q by less than 1/2 (bits of y that are cut, as q >= 2^(30 Base - 3)) + 1 (those of the
// constant) + 1 (the last shift). So y - e q < 3 q leaves, in words.
//
// Ports: clk_i, rst_ni; quotient_write_i with table_data_i: the constant; modulus_write_i with table_address_i: the
// words of q; valid_i, long_i, and with last_i negative_i, while nothing is computed; valid_o, word_o, last_o,
// negative_o.
// Cycles: quotient_cycles(Base) from the last long word in to the last word out.

`include "assertions.svh"

module quotient_reduction
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    parameter int unsigned Total = 84,
    localparam int unsigned Words = modulus_words(Base),
    localparam int unsigned WordAddress = index_width(Words)
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     quotient_write_i,
    input  logic                     modulus_write_i,
    input  logic [WordAddress-1:0]   table_address_i,
    input  logic [QuotientWidth-1:0] table_data_i,
    input  logic                     valid_i,
    input  logic [LongWidth-1:0]     long_i,
    input  logic                     last_i,
    input  logic                     negative_i,
    output logic                     valid_o,
    output logic [WordWidth-1:0]     word_o,
    output logic                     last_o,
    output logic                     negative_o
);

  localparam int unsigned LongWords = quotient_long_words(Base, Total);
  localparam int unsigned LongAddress = index_width(LongWords);
  localparam int unsigned Latency = QuotientMultiplierLatency;

  // The upper bits' place in the last two long words.
  localparam int unsigned Shift = modulus_bits(Base) - 4 + 2 * LongWidth - LongWords * LongWidth;

  // Step 0 takes the quotient's product, step Latency reads the first word of q, and so on.
  localparam int unsigned Steps = 2 * Latency + Words + 1;
  localparam int unsigned StepWidth = index_width(Steps);

  logic [LongAddress-1:0] arrived_q;
  logic [2*LongWidth-1:0] upper_q;
  logic [2*LongWidth-1:0] upper;
  logic [QuotientWidth-1:0] constant_q;
  logic [QuotientWidth-1:0] quotient_q;
  logic negative_q;
  logic busy_q;
  logic [StepWidth-1:0] step_q;

  assign upper = upper_q >> Shift;

  always_ff @(posedge clk_i) begin
    if (quotient_write_i) constant_q <= table_data_i;
    if (valid_i) begin
      arrived_q <= last_i ? '0 : arrived_q + 1'b1;
      upper_q <= {long_i, upper_q[2*LongWidth-1:LongWidth]};
    end
    step_q <= step_q + 1'b1;
    if (step_q == StepWidth'(Steps - 1)) busy_q <= 1'b0;
    if (valid_i && last_i) begin
      busy_q <= 1'b1;
      step_q <= '0;
      negative_q <= negative_i;
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
      arrived_q <= '0;
    end
  end

  // The word of q that is read, and what its product needs: it is there after the memory and the multiplier.
  logic reads;
  logic [StepWidth-1:0] place;
  logic [Latency:0] reads_q;
  logic [Latency:0] last_q;
  logic [Latency-1:0][StepWidth-1:0] place_q;
  logic [WordWidth-1:0] modulus_word;
  logic [2*QuotientWidth-1:0] product;

  assign place = step_q - StepWidth'(Latency);
  assign reads = busy_q && step_q >= StepWidth'(Latency) && step_q < StepWidth'(Latency + Words);

  always_ff @(posedge clk_i) begin
    reads_q <= rst_ni ? {reads_q[Latency-1:0], reads} : '0;
    last_q <= {last_q[Latency-1:0], place == StepWidth'(Words - 1)};
    place_q <= {place_q[Latency-2:0], place};
    if (step_q == StepWidth'(Latency)) quotient_q <= product[2*QuotientWidth-1:QuotientWidth];
  end

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth(Words),
      .Style(RamDistributed)
  ) u_modulus (
      .clk_i,
      .write_i(modulus_write_i),
      .write_address_i(table_address_i),
      .write_data_i(table_data_i[WordWidth-1:0]),
      .read_i(1'b1),
      .read_address_i(place[WordAddress-1:0]),
      .read_data_o(modulus_word)
  );

  logic estimates;
  assign estimates = step_q == '0;

  integer_multiplier #(
      .Width(QuotientWidth),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(estimates ? upper[QuotientWidth-1:0] : quotient_q),
      .rhs_i(estimates ? constant_q : QuotientWidth'(modulus_word)),
      .product_o(product)
  );

  logic [1:0][WordWidth-1:0] halves;
  logic odd_q;

  for (genvar half = 0; half < 2; half++) begin : gen_half
    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(LongWords),
        .Style(RamDistributed)
    ) u_number (
        .clk_i,
        .write_i(valid_i),
        .write_address_i(arrived_q),
        .write_data_i(long_i[half*WordWidth+:WordWidth]),
        .read_i(1'b1),
        .read_address_i(place_q[Latency-1][LongAddress:1]),
        .read_data_o(halves[half])
    );
  end

  // Words of the quotient's product with q, and of what is left.
  logic [QuotientWidth+WordWidth-1:0] multiple;
  logic [QuotientWidth-1:0] carry_q;
  logic borrow_q;
  logic [WordWidth:0] difference;

  assign multiple = product[QuotientWidth+WordWidth-1:0] + (QuotientWidth + WordWidth)'(carry_q);
  assign difference = {1'b0, halves[odd_q]} - {1'b0, multiple[WordWidth-1:0]} - (WordWidth + 1)'(borrow_q);

  always_ff @(posedge clk_i) begin
    odd_q <= place_q[Latency-1][0];
    carry_q <= reads_q[Latency] ? multiple[QuotientWidth+WordWidth-1:WordWidth] : '0;
    borrow_q <= reads_q[Latency] && difference[WordWidth];
    valid_o <= reads_q[Latency];
    word_o <= difference[WordWidth-1:0];
    last_o <= reads_q[Latency] && last_q[Latency];
    negative_o <= negative_q;
  end

  logic unused;
  assign unused = ^{upper[2*LongWidth-1:QuotientWidth], product[2*QuotientWidth-1:QuotientWidth+WordWidth]};

  `RINGMILL_ASSERT(Idle, !(valid_i && busy_q), clk_i, !rst_ni)

  if (Total <= 2 * Base || Total > 2 * Base + 2) begin : gen_check_primes
    $error("quotient_reduction: Total must be 2 Base + 1 or 2 Base + 2: a quotient of at most 64 bits");
  end

endmodule
