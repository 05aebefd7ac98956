// Factors of the butterflies: one memory for all units (Fermat rings), or one a unit in the order of use.
//
// Ports: clk_i; read_i, read_address_i, read_data_o (one word a memory); write_i, write_address_i (address of the memories
// times their number, plus the number of one of them), write_data_i.
// Latency: BankLatency from read_i to read_data_o.

module xor_banks_factors
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned Memories = 1,
    parameter int unsigned Depth = 834,
    parameter int unsigned Width = 50,
    parameter ram_style_e Style = RamAuto
) (
    input  logic                           clk_i,
    input  logic                           read_i,
    input  logic [FactorAddressWidth-1:0]  read_address_i,
    output logic [Memories-1:0][Width-1:0] read_data_o,
    input  logic                           write_i,
    input  logic [31:0]                    write_address_i,
    input  logic [Width-1:0]               write_data_i
);

  localparam int unsigned DepthWidth = index_width(Depth);
  localparam int unsigned MemoryBits = $clog2(Memories);

  logic [Memories-1:0][Width-1:0] words;

  for (genvar i = 0; i < int'(Memories); i++) begin : gen_memory
    ram_simple_dual #(
        .Width(Width),
        .Depth(Depth),
        .Style(Style)
    ) u_words (
        .clk_i,
        .write_i(write_i && write_address_i % Memories == i),
        .write_address_i(write_address_i[MemoryBits+:DepthWidth]),
        .write_data_i,
        .read_i,
        .read_address_i(read_address_i[DepthWidth-1:0]),
        .read_data_o(words[i])
    );
  end

  always_ff @(posedge clk_i) read_data_o <= words;

  logic unused;
  assign unused = ^{read_address_i, write_address_i};

  if (1 << MemoryBits != Memories) begin : gen_check_memories
    $error("xor_banks_factors: Memories must be a power of two");
  end

endmodule
