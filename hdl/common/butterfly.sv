// Butterfly of all transforms: sums before the multiplier, sums behind it.
//
// With u = upper, v = lower, w = factor R^-1, all modulo q (figure 3 has the first operation):
//   ButterflyDecimate         upper u + v, lower (u - v) w        decimation in frequency (Gentleman, Sande)
//   ButterflyCombine          upper u + v w, lower u - v w        decimation in time (Cooley, Tukey)
//   ButterflyScaleSum         upper u + v, lower X = (u + v) w
//   ButterflyScaleDifference  with Y = (u - v) w and X of the cycle before: upper X + Y, lower X - Y
//   ButterflyMultiply         upper u, lower v w
// ScaleSum and ScaleDifference together are the last pass of a transform, the product by a table and the first pass of
// the inverse transform on one pair, in two cycles; the upper result of ScaleSum is not of use then.
//
// Combines = 0 leaves out the sums behind the multiplier: there is no ButterflyCombine, and ScaleDifference gives upper
// u + v, lower Y.
//
// Ports: clk_i, operation_i, upper_i and lower_i in [0, q), factor_i in [0, q) times R, modulus_i (constant while values are in
// flight), upper_o and lower_o in [0, q). R = 2^(Word * montgomery_steps(Width, Word)).
// Latency: butterfly_latency(Width, Word, Pipeline, Combines) for all operations; one every cycle. No reset.

module butterfly
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 11,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter bit Combines = 1'b1
) (
    input  logic             clk_i,
    input  butterfly_e       operation_i,
    input  logic [Width-1:0] upper_i,
    input  logic [Width-1:0] lower_i,
    input  logic [Width-1:0] factor_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] upper_o,
    output logic [Width-1:0] lower_o
);

  // Cycles before the product, and of it.
  localparam int unsigned Before = add_sub_latency(Pipeline);
  localparam int unsigned Product = modular_multiplier_latency(ReductionMontgomery, Width, Word, Pipeline);

  logic [Width-1:0] sum;
  logic [Width-1:0] difference;
  butterfly_e operation;
  logic [Width-1:0] upper;
  logic [Width-1:0] lower;
  logic [Width-1:0] factor;

  modular_add_sub #(
      .Width(Width),
      .Pipeline(Pipeline)
  ) u_before (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(upper_i),
      .rhs_i(lower_i),
      .modulus_i,
      .sum_o(sum),
      .difference_o(difference)
  );

  if (Before == 0) begin : gen_direct
    assign {operation, upper, lower, factor} = {operation_i, upper_i, lower_i, factor_i};
  end else begin : gen_delayed
    typedef struct packed {
      butterfly_e operation;
      logic [Width-1:0] upper;
      logic [Width-1:0] lower;
      logic [Width-1:0] factor;
    } operands_t;
    operands_t [Before-1:0] operands_q;
    always_ff @(posedge clk_i) operands_q <= {operands_q[Before-2:0], {operation_i, upper_i, lower_i, factor_i}};
    assign {operation, upper, lower, factor} = operands_q[Before-1];
  end

  // What is multiplied, and what waits for the product.
  logic [Width-1:0] multiplicand;
  logic [Width-1:0] other;
  logic [Width-1:0] product;

  always_comb begin
    case (operation)
      ButterflyCombine, ButterflyMultiply: multiplicand = lower;
      ButterflyScaleSum: multiplicand = sum;
      default: multiplicand = difference;
    endcase
  end
  assign other = operation == ButterflyCombine || operation == ButterflyMultiply ? upper : sum;

  modular_multiplier #(
      .Width(Width),
      .Reduction(ReductionMontgomery),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(multiplicand),
      .rhs_i(factor),
      .modulus_i,
      .length_i('0),
      .constant_i('0),
      .result_o(product)
  );

  logic [Product-1:0][Width-1:0] other_q;
  always_ff @(posedge clk_i) other_q <= {other_q[Product-2:0], other};

  if (Combines) begin : gen_combines
    localparam int unsigned Behind = add_sub_latency(Pipeline);

    butterfly_e [Product+Behind-1:0] operation_q;
    logic [Width-1:0] previous_q;
    logic [Width-1:0] addend;
    logic [Width-1:0] combined_sum;
    logic [Width-1:0] combined_difference;
    logic [Width-1:0] waiting;
    logic [Width-1:0] product_waiting;
    logic combines;

    always_ff @(posedge clk_i) begin
      operation_q <= {operation_q[Product+Behind-2:0], operation};
      previous_q <= product;
    end

    assign addend = operation_q[Product-1] == ButterflyScaleDifference ? previous_q : other_q[Product-1];

    modular_add_sub #(
        .Width(Width),
        .Pipeline(Pipeline)
    ) u_behind (
        .clk_i,
        .enable_i(1'b1),
        .lhs_i(addend),
        .rhs_i(product),
        .modulus_i,
        .sum_o(combined_sum),
        .difference_o(combined_difference)
    );

    if (Behind == 0) begin : gen_direct
      assign {waiting, product_waiting} = {other_q[Product-1], product};
    end else begin : gen_delayed
      logic [Behind-1:0][2*Width-1:0] waiting_q;
      always_ff @(posedge clk_i) waiting_q <= {waiting_q[Behind-2:0], {other_q[Product-1], product}};
      assign {waiting, product_waiting} = waiting_q[Behind-1];
    end

    assign combines = operation_q[Product+Behind-1] == ButterflyCombine
        || operation_q[Product+Behind-1] == ButterflyScaleDifference;

    always_ff @(posedge clk_i) begin
      upper_o <= combines ? combined_sum : waiting;
      lower_o <= combines ? combined_difference : product_waiting;
    end
  end else begin : gen_plain
    assign upper_o = other_q[Product-1];
    assign lower_o = product;
  end

endmodule
