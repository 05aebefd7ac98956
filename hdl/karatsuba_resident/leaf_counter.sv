// The digits of a leaf's number to base 3: from the highest one on, whether it is the lower half, the upper half or the sum of
// what each recursion splits.
//
// Ports: clk_i; restart_i, back to Start; step_i, on by Step; digits_o, the lowest first. Latency: 1.

module leaf_counter #(
    parameter int unsigned Digits = 9,
    parameter int unsigned Start = 0,
    parameter int unsigned Step = 4
) (
    input  logic                   clk_i,
    input  logic                   restart_i,
    input  logic                   step_i,
    output logic [Digits-1:0][1:0] digits_o
);

  // A number's digits.
  function automatic logic [Digits-1:0][1:0] digits_of(int unsigned number);
    for (int unsigned i = 0; i < Digits; i++) begin
      digits_of[i] = 2'(number % 3);
      number = number / 3;
    end
  endfunction

  localparam logic [Digits-1:0][1:0] First = digits_of(Start);
  localparam logic [Digits-1:0][1:0] Addend = digits_of(Step);

  logic [Digits-1:0][1:0] digits_q, sum;

  always_comb begin
    logic carry;
    logic [2:0] total;
    carry = 1'b0;
    for (int unsigned i = 0; i < Digits; i++) begin
      total = 3'(digits_q[i]) + 3'(Addend[i]) + 3'(carry);
      carry = total >= 3'd3;
      sum[i] = 2'(carry ? total - 3'd3 : total);
    end
  end

  always_ff @(posedge clk_i) begin
    if (restart_i) digits_q <= First;
    else if (step_i) digits_q <= sum;
  end

  assign digits_o = digits_q;

endmodule
