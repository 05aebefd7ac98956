// Factors of the butterflies, of several moduli: one memory for all units, or one a unit, with the same words (Fermat
// rings) or with its own in the order of use.
//
// Ports: clk_i; read_i, read_slot_i, read_address_i (one a memory), read_data_o (one word a memory); write_i,
// write_slot_i, write_address_i (Same: the address; else the address times Memories, plus the number of one of them),
// write_data_i. Latency: BankLatency from read_i to read_data_o.

module xor_banks_factors
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned Memories = 1,
    parameter bit Same = 1'b1,
    parameter int unsigned Slots = 1,
    parameter int unsigned Depth = 834,
    parameter int unsigned Width = 50,
    parameter ram_style_e Style = RamAuto,
    localparam int unsigned SlotWidth = index_width(Slots)
) (
    input  logic                                        clk_i,
    input  logic                                        read_i,
    input  logic [SlotWidth-1:0]                        read_slot_i,
    input  logic [Memories-1:0][FactorAddressWidth-1:0] read_address_i,
    output logic [Memories-1:0][Width-1:0]              read_data_o,
    input  logic                                        write_i,
    input  logic [SlotWidth-1:0]                        write_slot_i,
    input  logic [31:0]                                 write_address_i,
    input  logic [Width-1:0]                            write_data_i
);

  localparam int unsigned DepthWidth = index_width(Depth);
  localparam int unsigned MemoryBits = Same ? 0 : $clog2(Memories);
  localparam int unsigned Words = Slots == 1 ? Depth : Slots << DepthWidth;
  localparam int unsigned WordsWidth = index_width(Words);

  logic [Memories-1:0][Width-1:0] words;

  for (genvar i = 0; i < int'(Memories); i++) begin : gen_memory
    ram_simple_dual #(
        .Width(Width),
        .Depth(Words),
        .Style(Style)
    ) u_words (
        .clk_i,
        .write_i(write_i && (Same || write_address_i % Memories == i)),
        .write_address_i(WordsWidth'({write_slot_i, write_address_i[MemoryBits+:DepthWidth]})),
        .write_data_i,
        .read_i,
        .read_address_i(WordsWidth'({read_slot_i, read_address_i[i][DepthWidth-1:0]})),
        .read_data_o(words[i])
    );
  end

  always_ff @(posedge clk_i) read_data_o <= words;

  logic unused;
  assign unused = ^{read_address_i, write_address_i, read_slot_i, write_slot_i};

  if (1 << $clog2(Memories) != Memories) begin : gen_check_memories
    $error("xor_banks_factors: Memories must be a power of two");
  end

endmodule
