// The three recursions before the products (paper 4, section 3.3.1, figure 5): a polynomial of forty coefficients comes in, on
// eight lines twenty-seven of five go out.
//
// The bits of a line's number say, from the highest, in which recursions its polynomials are sums. Line 0 has eight
// polynomials in a row, the halves of halves of halves; line 7 has the one that is three times a sum. In the eighth
// of the time that a polynomial of five coefficients takes, line x has one in those times t whose bits include x.
//
// Ports: clk_i, rst_ni; valid_i, first_i, key_i, binary_i as pre_recursion has them; for each line valid_o, first_o, key_o,
// binary_o. Latency: 3.

module pre_computation #(
    parameter int unsigned Coefficients = 5,
    parameter int unsigned Chunks = 5,
    parameter int unsigned KeyWidth = 27,
    parameter int unsigned BinaryWidth = 10
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        valid_i,
    input  logic                        first_i,
    input  logic [KeyWidth-1:0]         key_i,
    input  logic [BinaryWidth-1:0]      binary_i,
    output logic [7:0]                  valid_o,
    output logic [7:0]                  first_o,
    output logic [7:0][KeyWidth-1:0]    key_o,
    output logic [7:0][BinaryWidth-1:0] binary_o
);

  // Lines between recursions: those of recursion r begin at 2^r - 1.
  logic [14:0] valid, first;
  logic [14:0][KeyWidth-1:0] key;
  logic [14:0][BinaryWidth-1:0] binary;

  assign valid[0] = valid_i;
  assign first[0] = first_i;
  assign key[0] = key_i;
  assign binary[0] = binary_i;

  for (genvar recursion = 0; recursion < 3; recursion++) begin : gen_recursion
    for (genvar line = 0; line < 2 ** recursion; line++) begin : gen_line
      localparam int unsigned From = 2 ** recursion - 1 + line;
      localparam int unsigned Into = 2 ** (recursion + 1) - 1 + 2 * line;

      pre_recursion #(
          .Half(Coefficients * 2 ** (2 - recursion)),
          .Chunks(Chunks),
          .KeyWidth(KeyWidth),
          .BinaryWidth(BinaryWidth)
      ) u_recursion (
          .clk_i,
          .rst_ni,
          .valid_i(valid[From]),
          .first_i(first[From]),
          .key_i(key[From]),
          .binary_i(binary[From]),
          .through_valid_o(valid[Into]),
          .through_first_o(first[Into]),
          .through_key_o(key[Into]),
          .through_binary_o(binary[Into]),
          .sum_valid_o(valid[Into+1]),
          .sum_first_o(first[Into+1]),
          .sum_key_o(key[Into+1]),
          .sum_binary_o(binary[Into+1])
      );
    end
  end

  assign valid_o = valid[14:7];
  assign first_o = first[14:7];
  assign key_o = key[14:7];
  assign binary_o = binary[14:7];

endmodule
