// All recursions before the products for one coefficient of a binary polynomial's leaf: of 2^Levels bits, half after half is
// taken, the other one dropped, or both are added, as the digits of the leaf's number say.
//
// Ports: clk_i; bits_i, the bits that share a place in their leaves; digits_i, of the leaf's number, the highest one for the
// first split: 0 the lower half, 1 the upper one, 2 their sum; sum_o. Latency: Levels.

module leaf_sum #(
    parameter int unsigned Levels = 9
) (
    input  logic                   clk_i,
    input  logic [2**Levels-1:0]   bits_i,
    input  logic [Levels-1:0][1:0] digits_i,
    output logic [Levels:0]        sum_o
);

  // Where the values begin that enter a stage; those of stage i have i + 1 bits.
  function automatic int unsigned offset(int unsigned stage);
    offset = 0;
    for (int unsigned i = 0; i < stage; i++) offset += (i + 1) << (Levels - i);
  endfunction

  localparam int unsigned Total = offset(Levels) + Levels + 1;

  logic [Total-1:0] values;

  assign values[2**Levels-1:0] = bits_i;

  for (genvar stage = 0; stage < Levels; stage++) begin : gen_stage
    localparam int unsigned Width = stage + 1;
    localparam int unsigned Half = 2 ** (Levels - stage - 1);
    localparam int unsigned Begin = offset(stage);
    localparam int unsigned Next = offset(stage + 1);

    logic [1:0] digit;
    logic [Half-1:0][Width:0] value_q;

    delay_line #(
        .Width(2),
        .Depth(stage)
    ) u_digit (
        .clk_i,
        .enable_i(1'b1),
        .data_i(digits_i[Levels-1-stage]),
        .data_o(digit)
    );

    for (genvar i = 0; i < Half; i++) begin : gen_pair
      always_ff @(posedge clk_i) begin
        value_q[i] <= (Width + 1)'(digit == 2'd1 ? '0 : values[Begin+i*Width+:Width])
            + (Width + 1)'(digit == 2'd0 ? '0 : values[Begin+(i+Half)*Width+:Width]);
      end
    end

    assign values[Next+:Half*(Width+1)] = value_q;
  end

  assign sum_o = values[Total-1-:Levels+1];

  if (Levels == 0) begin : gen_check_levels
    $error("leaf_sum: at least one recursion");
  end

endmodule
