// A tile that converts: a memory of three banks, three multipliers, a sum, and its reduction.
//
// Ports: clk_i. In cycle 0 address_i, of the triple that is read. OperandLatency later constants_i, PartLatency later
// chain_i, of the sum of the three products. ModulusLead before SumLatency modulus_i, and TileLatency later result_i: what
// is written then. host_write_i, a bit for each bank, with host_address_i and host_data_i, while no result is written.
// words_o, the triple, after OperandLatency. One triple every cycle. No reset.

module conversion_tile
  import ringmill_pkg::*;
  import tile_conversion_pkg::*;
(
    input  logic                            clk_i,
    input  logic [TripleBits-1:0]           address_i,
    input  logic [Lanes-1:0][WordWidth-1:0] constants_i,
    input  chain_e                          chain_i,
    input  logic [WordWidth-1:0]            modulus_i,
    input  result_t                         result_i,
    input  logic [Lanes-1:0]                host_write_i,
    input  logic [TripleBits-1:0]           host_address_i,
    input  logic [Lanes-1:0][WordWidth-1:0] host_data_i,
    output logic [Lanes-1:0][WordWidth-1:0] words_o
);

  // Memory and products.
  logic [Lanes-1:0][2*WordWidth-1:0] products;
  logic [WordWidth-1:0] result;

  for (genvar lane = 0; lane < int'(Lanes); lane++) begin : gen_lane
    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(1 << TripleBits),
        .OutputRegister(1'b1)
    ) u_words (
        .clk_i,
        .write_i(host_write_i[lane] || (result_i.valid && result_i.bank == 2'(lane))),
        .write_address_i(host_write_i[lane] ? host_address_i : result_i.address),
        .write_data_i(host_write_i[lane] ? host_data_i[lane] : result),
        .read_i(1'b1),
        .read_address_i(address_i),
        .read_data_o(words_o[lane])
    );

    integer_multiplier #(
        .Width(WordWidth),
        .Pipeline(Pipeline)
    ) u_product (
        .clk_i,
        .enable_i(1'b1),
        .lhs_i(words_o[lane]),
        .rhs_i(constants_i[lane]),
        .product_o(products[lane])
    );
  end

  // The sum.
  logic [SumWidth-1:0] part_q;
  logic [SumWidth-1:0] sum_q;

  always_ff @(posedge clk_i) begin
    part_q <= SumWidth'(products[0]) + SumWidth'(products[1]) + SumWidth'(products[2]);
    case (chain_i)
      ChainFresh: sum_q <= part_q;
      ChainContinue: sum_q <= sum_q + part_q;
      ChainShift: sum_q <= (sum_q >> WordWidth) + part_q;
      default: ;
    endcase
  end

  // Results: words wait for residues, so that there is one in a cycle.
  logic [WordWidth-1:0] low;
  logic [ReductionWidth-1:0] residue;

  delay_line #(
      .Width(WordWidth),
      .Depth(ResidueLatency)
  ) u_low (
      .clk_i,
      .enable_i(1'b1),
      .data_i(sum_q[WordWidth-1:0]),
      .data_o(low)
  );

  montgomery_reduction #(
      .Width(ReductionWidth),
      .Word(ReductionWord),
      .ModulusMoves(1'b1),
      .Pipeline(Pipeline)
  ) u_residue (
      .clk_i,
      .enable_i(1'b1),
      .product_i(sum_q),
      .modulus_i(ReductionWidth'(modulus_i)),
      .result_o(residue)
  );

  assign result = result_i.residue ? residue[WordWidth-1:0] : low;

  logic unused;
  assign unused = ^residue[ReductionWidth-1:WordWidth];

endmodule
