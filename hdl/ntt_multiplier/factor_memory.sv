// Second operands of the butterflies' multipliers, in the order of use: one memory a unit, one address for all.
//
// Written over the link, WriteWords units at once: group g holds the units g * WriteWords and the following.
//
// Ports: clk_i, read_i, read_address_i, read_data_o; write_i, write_address_i, write_group_i, write_data_i.
// Latency: 1 + OutputRegister from read_i to read_data_o.

module factor_memory
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned WriteWords = 4,
    parameter ram_style_e Style = RamAuto,
    parameter bit OutputRegister = 1'b0,
    localparam int unsigned GroupWidth = index_width(Units / WriteWords)
) (
    input  logic                                 clk_i,
    input  logic                                 read_i,
    input  logic [FactorAddressWidth-1:0]        read_address_i,
    output logic [Units-1:0][WordWidth-1:0]      read_data_o,
    input  logic                                 write_i,
    input  logic [FactorAddressWidth-1:0]        write_address_i,
    input  logic [GroupWidth-1:0]                write_group_i,
    input  logic [WriteWords-1:0][WordWidth-1:0] write_data_i
);

  localparam int unsigned Depth = factor_count(N, Units);
  localparam int unsigned DepthWidth = index_width(Depth);

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    ram_simple_dual #(
        .Width(WordWidth),
        .Depth(Depth),
        .Style(Style),
        .OutputRegister(OutputRegister)
    ) u_words (
        .clk_i,
        .write_i(write_i && write_group_i == GroupWidth'(unit / int'(WriteWords))),
        .write_address_i(write_address_i[DepthWidth-1:0]),
        .write_data_i(write_data_i[unit%int'(WriteWords)]),
        .read_i,
        .read_address_i(read_address_i[DepthWidth-1:0]),
        .read_data_o(read_data_o[unit])
    );
  end

  logic unused;
  assign unused = ^{read_address_i, write_address_i};

endmodule
