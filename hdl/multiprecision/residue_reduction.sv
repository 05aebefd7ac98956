// Reduction of numbers below 2^30 q modulo primes q of 30 bits, each number with its own prime.
//
// Barrett's: with c = floor(2^60 / q), e = ((x >> 29) c) >> 31 falls short of x / q by less than 1 (bits of x that are
// cut) + 1 (those of the constant: x >> 29 has 31 bits) + 1 (the last shift). So x - e q < 3 q: less 2 q, less q.
//
// Ports: clk_i, number_i, modulus_i (2^29 < q < 2^30), reciprocal_i (c), residue_o.
// Latency: ReductionLatency; a number every cycle. No reset.

module residue_reduction
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
(
    input  logic                       clk_i,
    input  logic [2*PrimeWidth-1:0]    number_i,
    input  logic [PrimeWidth-1:0]      modulus_i,
    input  logic [ReciprocalWidth-1:0] reciprocal_i,
    output logic [PrimeWidth-1:0]      residue_o
);

  // Bits of x - e q.
  localparam int unsigned RestWidth = PrimeWidth + 2;

  // The number's low bits and the modulus wait for the products.
  localparam int unsigned Wait = 2 * ReductionMultiplierLatency;
  logic [Wait-1:0][RestWidth-1:0] number_q;
  logic [Wait+1:0][PrimeWidth-1:0] modulus_q;

  always_ff @(posedge clk_i) begin
    number_q <= {number_q[Wait-2:0], number_i[RestWidth-1:0]};
    modulus_q <= {modulus_q[Wait:0], modulus_i};
  end

  logic [2*ReciprocalWidth-1:0] scaled;
  logic [2*ReciprocalWidth-1:0] multiple;

  integer_multiplier #(
      .Width(ReciprocalWidth),
      .Pipeline(Pipeline)
  ) u_estimate (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(number_i[2*PrimeWidth-1:PrimeWidth-1]),
      .rhs_i(reciprocal_i),
      .product_o(scaled)
  );

  integer_multiplier #(
      .Width(ReciprocalWidth),
      .Pipeline(Pipeline)
  ) u_multiple (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(scaled[2*ReciprocalWidth-1:ReciprocalWidth]),
      .rhs_i({1'b0, modulus_q[ReductionMultiplierLatency-1]}),
      .product_o(multiple)
  );

  logic [RestWidth-1:0] rest_q;
  logic [PrimeWidth:0] below_two_q;
  logic [RestWidth:0] less_two;
  logic [RestWidth-1:0] less_one;

  assign less_two = {1'b0, rest_q} - {2'b0, modulus_q[Wait], 1'b0};
  assign less_one = {1'b0, below_two_q} - {2'b0, modulus_q[Wait+1]};

  always_ff @(posedge clk_i) begin
    rest_q <= number_q[Wait-1] - multiple[RestWidth-1:0];
    below_two_q <= less_two[RestWidth] ? rest_q[PrimeWidth:0] : less_two[PrimeWidth:0];
    residue_o <= less_one[RestWidth-1] ? below_two_q[PrimeWidth-1:0] : less_one[PrimeWidth-1:0];
  end

  logic unused;
  assign unused = ^{scaled[ReciprocalWidth-1:0], multiple[2*ReciprocalWidth-1:RestWidth], less_two[RestWidth-1],
                    less_one[PrimeWidth]};

endmodule
