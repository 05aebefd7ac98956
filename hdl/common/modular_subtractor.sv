// Difference modulo q, in constant time (algorithm 3).
//
// Partial = 1: operands below 2^K, K the bit length of q; the difference is congruent and below 2^K.
// Partial = 0: operands below q; the difference is below q. Saves the second addition.
//
// Ports: lhs_i, rhs_i, modulus_i, difference_o = lhs - rhs. Latency: 0 (combinational).

module modular_subtractor #(
    parameter int unsigned Width = 32,
    parameter bit Partial = 1'b1
) (
    input  logic [Width-1:0] lhs_i,
    input  logic [Width-1:0] rhs_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] difference_o
);

  logic [Width:0] difference;

  assign difference = {1'b0, lhs_i} - {1'b0, rhs_i};

  if (Partial) begin : gen_partial
    logic [Width:0] plus_one;
    logic [Width-1:0] plus_two;
    assign plus_one = difference + {1'b0, modulus_i};
    assign plus_two = difference[Width-1:0] + {modulus_i[Width-2:0], 1'b0};
    always_comb begin
      if (!difference[Width]) difference_o = difference[Width-1:0];
      else if (!plus_one[Width]) difference_o = plus_one[Width-1:0];
      else difference_o = plus_two;
    end
  end else begin : gen_canonical
    assign difference_o = difference[Width-1:0] + (difference[Width] ? modulus_i : '0);
  end

  if (Width < 2) begin : gen_check_width
    $error("modular_subtractor: Width must be at least 2");
  end

endmodule
