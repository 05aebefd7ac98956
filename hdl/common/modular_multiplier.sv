// Product modulo q: integer_multiplier and the reduction that is chosen.
//
// ReductionMontgomery: q = 1 mod 2^Word, result = lhs * rhs * R^-1 mod q with
//   R = 2^(Word * montgomery_steps(Width, Word)); lhs * rhs < q R, so any word times a residue below q.
//   length_i and constant_i are not used (tie them to 0).
// ReductionBarrett: any odd q of length_i bits, result = lhs * rhs mod q; lhs * rhs < 2^length_i q.
//   constant_i as barrett_reduction says. Word is not used.
// The result lies in [0, q) in both cases.
//
// Ports: clk_i, enable_i (0 holds all registers), lhs_i, rhs_i, modulus_i, length_i, constant_i, result_o.
// Latency: modular_multiplier_latency(Reduction, Width, Word, Pipeline); a result every cycle. No reset.

module modular_multiplier
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter reduction_e Reduction = ReductionMontgomery,
    parameter int unsigned Word = 11,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic                         clk_i,
    input  logic                         enable_i,
    input  logic [Width-1:0]             lhs_i,
    input  logic [Width-1:0]             rhs_i,
    input  logic [Width-1:0]             modulus_i,
    input  logic [$clog2(Width+1)-1:0]   length_i,
    input  logic [Width-1:0]             constant_i,
    output logic [Width-1:0]             result_o
);

  logic [2*Width-1:0] product;

  integer_multiplier #(
      .Width(Width),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i,
      .lhs_i,
      .rhs_i,
      .product_o(product)
  );

  if (Reduction == ReductionMontgomery) begin : gen_montgomery
    montgomery_reduction #(
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline)
    ) u_reduction (
        .clk_i,
        .enable_i,
        .product_i(product),
        .modulus_i,
        .result_o
    );

    logic unused;
    assign unused = ^{length_i, constant_i};
  end else begin : gen_barrett
    barrett_reduction #(
        .Width(Width),
        .Pipeline(Pipeline)
    ) u_reduction (
        .clk_i,
        .enable_i,
        .product_i(product),
        .modulus_i,
        .length_i,
        .constant_i,
        .result_o
    );
  end

endmodule
