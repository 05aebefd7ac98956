// ResPol: the sums that a coefficient's residues come from (algorithm 6, figure 9).
//
// ResidueUnits units take the same half word of the coefficient in the same cycle, 30 bits and then 29, and multiply it
// by constants of their own primes. A round gives a sum for each of them; they leave one after another. Prime i belongs
// to unit i mod ResidueUnits, round i / ResidueUnits.
//
// Ports: clk_i, rst_ni; power_write_i with power_unit_i, power_address_i (round * 2 Words + half word) and
// power_data_i; valid_i, word_i, and with last_i negative_i, while no coefficient is in; valid_o, sum_o, prime_o,
// negative_o.
// Cycles: 2 Words for each round.

`include "assertions.svh"

module residue_units
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    localparam int unsigned Words = modulus_words(Base),
    localparam int unsigned Rounds = ceil_div(Base, ResidueUnits),
    localparam int unsigned PowerAddress = index_width(2 * Words * Rounds),
    localparam int unsigned PrimeAddress = index_width(ResidueUnits * Rounds),
    localparam int unsigned SumWidth = sum_width(2 * Words),
    localparam int unsigned UnitWidth = index_width(ResidueUnits)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    power_write_i,
    input  logic [UnitWidth-1:0]    power_unit_i,
    input  logic [PowerAddress-1:0] power_address_i,
    input  logic [PrimeWidth-1:0]   power_data_i,
    input  logic                    valid_i,
    input  logic [WordWidth-1:0]    word_i,
    input  logic                    last_i,
    input  logic                    negative_i,
    output logic                    valid_o,
    output logic [SumWidth-1:0]     sum_o,
    output logic [PrimeAddress-1:0] prime_o,
    output logic                    negative_o
);

  localparam int unsigned MultiplierLatency = integer_multiplier_latency(PrimeWidth, Pipeline);
  localparam int unsigned HalfAddress = index_width(2 * Words);

  logic [HalfAddress-2:0] arrived_q;
  logic busy_q;
  logic negative_q;
  logic [HalfAddress-1:0] half_q;
  logic [PowerAddress-1:0] power_q;
  logic round_ends;
  logic ends;

  assign round_ends = busy_q && half_q == HalfAddress'(2 * Words - 1);
  assign ends = round_ends && power_q == PowerAddress'(2 * Words * Rounds - 1);

  always_ff @(posedge clk_i) begin
    if (valid_i) arrived_q <= last_i ? '0 : arrived_q + 1'b1;
    if (busy_q) begin
      half_q <= round_ends ? '0 : half_q + 1'b1;
      power_q <= power_q + 1'b1;
    end
    if (ends) busy_q <= 1'b0;
    if (valid_i && last_i) begin
      busy_q <= 1'b1;
      half_q <= '0;
      power_q <= '0;
      negative_q <= negative_i;
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
      arrived_q <= '0;
    end
  end

  // A product's memories and multiplier: whether it counts, is the first or the last of a round,
  // and the sign of its coefficient.
  logic [MultiplierLatency+1:0] valid_q;
  logic [MultiplierLatency+1:0] first_q;
  logic [MultiplierLatency+1:0] last_q;
  logic [MultiplierLatency+1:0] negatives_q;
  logic [WordWidth-1:0] word;
  logic upper_q;
  logic [PrimeWidth-1:0] half;

  assign half = upper_q ? PrimeWidth'(word[WordWidth-1:PrimeWidth]) : word[PrimeWidth-1:0];

  always_ff @(posedge clk_i) begin
    upper_q <= half_q[0];
    valid_q <= rst_ni ? {valid_q[MultiplierLatency:0], busy_q} : '0;
    first_q <= {first_q[MultiplierLatency:0], half_q == '0};
    last_q <= {last_q[MultiplierLatency:0], round_ends};
    negatives_q <= {negatives_q[MultiplierLatency:0], negative_q};
  end

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth(Words),
      .Style(RamDistributed)
  ) u_words (
      .clk_i,
      .write_i(valid_i),
      .write_address_i(arrived_q),
      .write_data_i(word_i),
      .read_i(1'b1),
      .read_address_i(half_q[HalfAddress-1:1]),
      .read_data_o(word)
  );

  logic [ResidueUnits-1:0][SumWidth-1:0] sum_q;

  for (genvar unit = 0; unit < int'(ResidueUnits); unit++) begin : gen_unit
    logic [PrimeWidth-1:0] power;
    logic [2*PrimeWidth-1:0] product;

    ram_simple_dual #(
        .Width(PrimeWidth),
        .Depth(2 * Words * Rounds)
    ) u_powers (
        .clk_i,
        .write_i(power_write_i && power_unit_i == UnitWidth'(unit)),
        .write_address_i(power_address_i),
        .write_data_i(power_data_i),
        .read_i(1'b1),
        .read_address_i(power_q),
        .read_data_o(power)
    );

    integer_multiplier #(
        .Width(PrimeWidth),
        .Pipeline(Pipeline)
    ) u_product (
        .clk_i,
        .enable_i(1'b1),
        .lhs_i(half),
        .rhs_i(power),
        .product_o(product)
    );

    always_ff @(posedge clk_i) begin
      sum_q[unit] <= (first_q[MultiplierLatency] ? '0 : sum_q[unit]) + SumWidth'(product);
    end
  end

  // The sums of a round leave one after another.
  logic [ResidueUnits-1:0][SumWidth-1:0] leaving_q;
  logic [UnitWidth:0] left_q;
  logic [PrimeAddress-1:0] prime_q;
  logic leaving_negative_q;
  logic round_done;
  logic leaves;

  assign round_done = valid_q[MultiplierLatency+1] && last_q[MultiplierLatency+1];
  assign leaves = left_q != '0;

  always_ff @(posedge clk_i) begin
    if (round_done) begin
      leaving_q <= sum_q;
      leaving_negative_q <= negatives_q[MultiplierLatency+1];
      left_q <= (UnitWidth + 1)'(ResidueUnits);
    end else if (leaves) begin
      leaving_q <= leaving_q >> SumWidth;
      left_q <= left_q - 1'b1;
    end
    if (leaves) prime_q <= prime_q == PrimeAddress'(ResidueUnits * Rounds - 1) ? '0 : prime_q + 1'b1;
    if (!rst_ni) begin
      left_q <= '0;
      prime_q <= '0;
    end
  end

  assign valid_o = leaves && 32'(prime_q) < Base;
  assign sum_o = leaving_q[0];
  assign prime_o = prime_q;
  assign negative_o = leaving_negative_q;

  `RINGMILL_ASSERT(Idle, !(valid_i && busy_q), clk_i, !rst_ni)

  if (Words < 2) begin : gen_check_words
    $error("residue_units: a coefficient has at least 2 words");
  end

endmodule
