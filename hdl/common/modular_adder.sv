// Sum modulo q, in constant time (algorithm 2).
//
// Partial = 1: operands below 2^K, K the bit length of q; the sum is congruent and below 2^K.
// Partial = 0: operands below q; the sum is below q. Saves the second subtraction.
//
// Ports: lhs_i, rhs_i, modulus_i, sum_o. Latency: 0 (combinational).

module modular_adder #(
    parameter int unsigned Width = 32,
    parameter bit Partial = 1'b1
) (
    input  logic [Width-1:0] lhs_i,
    input  logic [Width-1:0] rhs_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] sum_o
);

  logic [Width:0] sum;
  logic [Width+1:0] less_one;

  assign sum = {1'b0, lhs_i} + {1'b0, rhs_i};
  assign less_one = {1'b0, sum} - {2'b0, modulus_i};

  if (Partial) begin : gen_partial
    logic [Width+1:0] less_two;
    assign less_two = {1'b0, sum} - {1'b0, modulus_i, 1'b0};
    always_comb begin
      if (less_one[Width+1]) sum_o = sum[Width-1:0];
      else if (less_two[Width+1]) sum_o = less_one[Width-1:0];
      else sum_o = less_two[Width-1:0];
    end

    // Only the sign of the difference and its low word are of use.
    logic unused;
    assign unused = ^{sum[Width], less_one[Width], less_two[Width]};
  end else begin : gen_canonical
    assign sum_o = less_one[Width+1] ? sum[Width-1:0] : less_one[Width-1:0];

    logic unused;
    assign unused = ^{sum[Width], less_one[Width]};
  end

  if (Width < 2) begin : gen_check_width
    $error("modular_adder: Width must be at least 2");
  end

endmodule
