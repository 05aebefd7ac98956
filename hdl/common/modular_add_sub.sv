// Sum and difference modulo q of operands below q, in constant time (algorithms 2 and 3).
//
// Shallow: combinational. Deep: sum and difference have a register, their corrections another one.
//
// Ports: clk_i, enable_i (0 holds all registers), lhs_i, rhs_i, modulus_i (constant while values are in flight), sum_o,
// difference_o = lhs - rhs, both below q. Latency: add_sub_latency(Pipeline); a pair every cycle. No reset.

module modular_add_sub
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic             clk_i,
    input  logic             enable_i,
    input  logic [Width-1:0] lhs_i,
    input  logic [Width-1:0] rhs_i,
    input  logic [Width-1:0] modulus_i,
    output logic [Width-1:0] sum_o,
    output logic [Width-1:0] difference_o
);

  if (Pipeline == PipelineShallow) begin : gen_shallow
    modular_adder #(
        .Width(Width),
        .Partial(1'b0)
    ) u_sum (
        .lhs_i,
        .rhs_i,
        .modulus_i,
        .sum_o
    );

    modular_subtractor #(
        .Width(Width),
        .Partial(1'b0)
    ) u_difference (
        .lhs_i,
        .rhs_i,
        .modulus_i,
        .difference_o
    );

    logic unused;
    assign unused = ^{clk_i, enable_i};
  end else begin : gen_deep
    logic [Width:0] sum_q;
    logic [Width:0] difference_q;
    logic [Width+1:0] less_one;

    assign less_one = {1'b0, sum_q} - {2'b0, modulus_i};

    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        sum_q <= {1'b0, lhs_i} + {1'b0, rhs_i};
        difference_q <= {1'b0, lhs_i} - {1'b0, rhs_i};
        sum_o <= less_one[Width+1] ? sum_q[Width-1:0] : less_one[Width-1:0];
        difference_o <= difference_q[Width-1:0] + (difference_q[Width] ? modulus_i : '0);
      end
    end

    logic unused;
    assign unused = less_one[Width];
  end

endmodule
