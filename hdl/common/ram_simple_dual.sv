// Memory with one write port and one registered read port.
//
// A read of a word that is written in the same cycle returns what it held before. The output holds its value while
// read_i is 0 and has no reset, so it maps to block RAM, or to distributed RAM and a register.
//
// OutputRegister = 1 adds a second register, as block RAM wants at high clock rates: in every cycle it takes what the first
// one holds.
//
// Ports: clk_i, write_i, write_address_i, write_data_i, read_i, read_address_i, read_data_o.
// Latency: 1 + OutputRegister from read_i to read_data_o.

module ram_simple_dual
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned Depth = 512,
    parameter ram_style_e Style = RamAuto,
    parameter bit OutputRegister = 1'b0,
    localparam int unsigned AddressWidth = index_width(Depth)
) (
    input  logic                    clk_i,
    input  logic                    write_i,
    input  logic [AddressWidth-1:0] write_address_i,
    input  logic [Width-1:0]        write_data_i,
    input  logic                    read_i,
    input  logic [AddressWidth-1:0] read_address_i,
    output logic [Width-1:0]        read_data_o
);

  logic [Width-1:0] word_q;

  if (Style == RamBlock) begin : gen_block
    (* ram_style = "block" *) logic [Width-1:0] memory[Depth];
    always_ff @(posedge clk_i) begin
      if (write_i) memory[write_address_i] <= write_data_i;
      if (read_i) word_q <= memory[read_address_i];
    end
  end else if (Style == RamDistributed) begin : gen_distributed
    (* ram_style = "distributed" *) logic [Width-1:0] memory[Depth];
    always_ff @(posedge clk_i) begin
      if (write_i) memory[write_address_i] <= write_data_i;
      if (read_i) word_q <= memory[read_address_i];
    end
  end else begin : gen_auto
    logic [Width-1:0] memory[Depth];
    always_ff @(posedge clk_i) begin
      if (write_i) memory[write_address_i] <= write_data_i;
      if (read_i) word_q <= memory[read_address_i];
    end
  end

  if (OutputRegister) begin : gen_register
    always_ff @(posedge clk_i) read_data_o <= word_q;
  end else begin : gen_direct
    assign read_data_o = word_q;
  end

endmodule
