// Butterfly of both transforms: own + partner and factor * (own - partner), or factor * (own + partner).
//
// The NTT unit of section IV-A2, figure 3. The sum waits for the product. `own` may be either of U and V: where it
// is V the factor comes negated, and the difference's sign is right again.
//
// Ports: clk_i, own_i and partner_i in [0, q), factor_i in [0, q) times R, scale_sum_i (multiply the sum), modulus_i,
// sum_o and product_o in [0, q). R = 2^(word * steps) as modular_multiplier says, word = log2 2n.
// Latency: unit_latency(N), 5 for n = 1024: difference and partial products, adder tree, Montgomery steps. No
// reset.

module ntt_butterfly
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024
) (
    input  logic                 clk_i,
    input  logic [WordWidth-1:0] own_i,
    input  logic [WordWidth-1:0] partner_i,
    input  logic [WordWidth-1:0] factor_i,
    input  logic                 scale_sum_i,
    input  logic [WordWidth-1:0] modulus_i,
    output logic [WordWidth-1:0] sum_o,
    output logic [WordWidth-1:0] product_o
);

  butterfly #(
      .Width(WordWidth),
      .Word(montgomery_word(N)),
      .Pipeline(PipelineShallow),
      .Combines(1'b0)
  ) u_butterfly (
      .clk_i,
      .operation_i(scale_sum_i ? ButterflyScaleSum : ButterflyDecimate),
      .upper_i(own_i),
      .lower_i(partner_i),
      .factor_i,
      .modulus_i,
      .upper_o(sum_o),
      .lower_o(product_o)
  );

endmodule
