// One lane of the vector unit: sums, differences and Montgomery products of two words, and sums of products.
//
//   LaneAdd a + b, LaneSubtract a - b, LaneNegate -a, LaneMove a, LaneFill c; LaneMultiply a b / R, LaneScale a c / R,
//   all modulo q, with R = 2^(Word * montgomery_steps(Width, Word)).
//
// A product without first_i is added to the result of the cycle before, which must be one of a product. So each cycle
// of a sum gives the sum of its terms so far, and the last one gives the sum.
//
// One adder does all: s + (s < 0 ? p : p - q) lies in [-q, q) for s in [-q, q) and p in [0, q). p - q is computed a
// cycle before, so the loop of the running sum is this adder and a multiplexer. s is the running sum, or a or 0; where
// it is not the running sum it is not negative, and p - q may as well be -b.
//
// Ports: clk_i, operation_i, first_i, a_i, b_i, constant_i and result_o in [0, q), modulus_i (constant while values are
// in flight). Operands that an operation does not name may be anything.
// Latency: vector_lane_latency(Width, Word, Pipeline) for all operations; one every cycle. No reset.

module vector_lane
  import ringmill_pkg::*;
  import core_vector_pkg::*;
#(
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic             clk_i,
    input  lane_e            operation_i,
    input  logic             first_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    input  logic [Width-1:0] constant_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] result_o
);

  localparam int unsigned Product = modular_multiplier_latency(ReductionMontgomery, Width, Word, Pipeline);

  // What waits for the product, or goes in its place.
  typedef struct packed {
    logic first;
    logic multiply;
    logic subtract;
    logic [Width-1:0] augend;
    logic [Width-1:0] addend;
  } summands_t;

  summands_t summands;
  summands_t [Product-1:0] summands_q;
  summands_t delayed;
  logic [Width-1:0] product;

  always_comb begin
    summands = '{first: first_i, multiply: 1'b0, subtract: 1'b0, augend: '0, addend: b_i};
    case (operation_i)
      LaneAdd: summands.augend = a_i;
      LaneSubtract: begin
        summands.augend = a_i;
        summands.subtract = 1'b1;
      end
      LaneNegate: begin
        summands.addend = a_i;
        summands.subtract = 1'b1;
      end
      LaneMove: summands.addend = a_i;
      LaneFill: summands.addend = constant_i;
      default: summands.multiply = 1'b1;
    endcase
  end

  modular_multiplier #(
      .Width(Width),
      .Reduction(ReductionMontgomery),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(a_i),
      .rhs_i(operation_i == LaneScale ? constant_i : b_i),
      .modulus_i,
      .length_i('0),
      .constant_i('0),
      .result_o(product)
  );

  always_ff @(posedge clk_i) summands_q <= {summands_q[Product-2:0], summands};
  assign delayed = summands_q[Product-1];

  // The addend, and what is added in its place to a sum that is not negative: the same less the modulus.
  logic first_q;
  logic [Width-1:0] augend_q;
  logic [Width-1:0] addend;
  logic [Width-1:0] addend_q;
  logic [Width:0] reduced_q;

  assign addend = delayed.multiply ? product : delayed.addend;

  always_ff @(posedge clk_i) begin
    first_q <= delayed.first;
    augend_q <= delayed.augend;
    addend_q <= addend;
    reduced_q <= delayed.subtract ? -{1'b0, addend} : {1'b0, addend} - {1'b0, modulus_i};
  end

  // The sum, in [-q, q).
  logic [Width:0] augend;
  logic [Width:0] sum_q;

  assign augend = first_q ? {1'b0, augend_q} : sum_q;

  always_ff @(posedge clk_i) begin
    sum_q <= augend + (augend[Width] ? {1'b0, addend_q} : reduced_q);
    result_o <= sum_q[Width-1:0] + (sum_q[Width] ? modulus_i : '0);
  end

endmodule
