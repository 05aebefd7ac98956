// Which result of a unit this is: results of a unit after the products are lower, upper and sum of the next one's, in turns.
//
// Ports: clk_i, rst_ni; valid_i, first_i; valid_o, for each of Count products. Latency: 0.

module result_order
  import ringmill_pkg::*;
#(
    parameter int unsigned Count = 3
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             first_i,
    output logic [Count-1:0] valid_o
);

  // One bit, which turns with each result.
  logic [Count-1:0] turn_q, turn;

  assign turn = first_i ? {turn_q[Count-2:0], turn_q[Count-1]} : turn_q;
  assign valid_o = valid_i ? turn : '0;

  always_ff @(posedge clk_i) begin
    if (valid_i) turn_q <= turn;
    if (!rst_ni) turn_q <= {1'b1, (Count - 1)'(0)};
  end

  if (Count < 2) begin : gen_check_count
    $error("result_order: at least two results");
  end

endmodule
