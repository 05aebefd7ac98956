// Barrett reduction by any odd q of 2 to Width bits that is loaded at run time.
//
// With K = length_i the bit length of q: product < 2^K q, for instance a word of K bits times a residue;
// constant_i = floor(2^(K+Width) / q) - 2^Width (the leading bit is not stored).
// Estimate of the quotient: e = ((product >> K) * floor(2^(K+Width) / q)) >> Width. It falls short by less than 2
// (bits of the product that are cut) + 1 (those of the constant) + 1 (the last shift), so product - e q < 4q:
// two conditional subtractions, of 2q and of q.
//
// Ports: clk_i, enable_i (0 holds all registers), product_i, modulus_i, length_i, constant_i (constant while values
// are in flight), result_o in [0, q). Latency: barrett_latency(Width, Pipeline); a result every cycle. No reset.

module barrett_reduction
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic                       clk_i,
    input  logic                       enable_i,
    input  logic [2*Width-1:0]         product_i,
    input  logic [Width-1:0]           modulus_i,
    input  logic [$clog2(Width+1)-1:0] length_i,
    input  logic [Width-1:0]           constant_i,
    output logic [Width-1:0]           result_o
);

  // Bits of product - e q: below 4q.
  localparam int unsigned RestWidth = Width + 2;

  // The product's low bits wait for the estimate's multiple of q.
  localparam int unsigned MultiplierLatency = integer_multiplier_latency(Width, Pipeline);
  localparam int unsigned Wait = 2 * MultiplierLatency + 1;

  logic [2*Width-1:0] shifted;
  logic [Width-1:0] top_q;
  logic [Wait-1:0][RestWidth-1:0] product_q;
  logic [MultiplierLatency-1:0][Width-1:0] delayed_q;

  assign shifted = product_i >> length_i;

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      top_q <= shifted[Width-1:0];
      product_q <= {product_q[Wait-2:0], product_i[RestWidth-1:0]};
      delayed_q <= {delayed_q[MultiplierLatency-2:0], top_q};
    end
  end

  logic [2*Width-1:0] scaled;
  logic [Width-1:0] estimate;
  logic [2*Width-1:0] multiple;

  integer_multiplier #(
      .Width(Width),
      .Pipeline(Pipeline)
  ) u_estimate (
      .clk_i,
      .enable_i,
      .lhs_i(top_q),
      .rhs_i(constant_i),
      .product_o(scaled)
  );

  // The leading bit of the constant: top * 2^Width.
  assign estimate = scaled[2*Width-1:Width] + delayed_q[MultiplierLatency-1];

  integer_multiplier #(
      .Width(Width),
      .Pipeline(Pipeline)
  ) u_multiple (
      .clk_i,
      .enable_i,
      .lhs_i(estimate),
      .rhs_i(modulus_i),
      .product_o(multiple)
  );

  logic [RestWidth-1:0] rest;
  logic [RestWidth-1:0] rest_kept;
  logic [RestWidth:0] less_two;
  logic [Width:0] below_two;
  logic [Width:0] below_two_kept;
  logic [Width+1:0] less_one;

  assign rest = product_q[Wait-1] - multiple[RestWidth-1:0];
  assign less_two = {1'b0, rest_kept} - {2'b0, modulus_i, 1'b0};
  assign below_two = less_two[RestWidth] ? rest_kept[Width:0] : less_two[Width:0];
  assign less_one = {1'b0, below_two_kept} - {2'b0, modulus_i};

  if (Pipeline == PipelineShallow) begin : gen_shallow
    assign rest_kept = rest;
    assign below_two_kept = below_two;
  end else begin : gen_deep
    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        rest_kept <= rest;
        below_two_kept <= below_two;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i) result_o <= less_one[Width+1] ? below_two_kept[Width-1:0] : less_one[Width-1:0];
  end

  logic unused;
  assign unused = ^{shifted[2*Width-1:Width], scaled[Width-1:0], multiple[2*Width-1:RestWidth],
                    less_two[RestWidth-1], less_one[Width]};

  if (Width < 3) begin : gen_check_width
    $error("barrett_reduction: Width must be at least 3");
  end

endmodule
