// A bank of all buffers of the limb memory: a memory for each buffer, and the ways of readers and writers to them.
//
// In a cycle a buffer serves one reader, or several at one address, and one writer. If there are more, the first has its
// way; the last reader's address and the last writer's word are there when no other asks.
//
// Ports: clk_i; for each reader a bit a buffer, whether it reads that, its buffer's number a cycle later, an address, and
// BankLatency cycles after it the word; for each writer a bit a buffer, an address, and a word.

module limb_bank
  import ringmill_pkg::*;
#(
    parameter int unsigned Limbs = 8,
    parameter int unsigned Depth = 1024,
    parameter int unsigned Width = 50,
    parameter int unsigned Readers = 5,
    parameter int unsigned Writers = 4,
    parameter ram_style_e Style = RamAuto,
    localparam int unsigned SlotBits = index_width(Depth),
    localparam int unsigned ChoiceWidth = index_width(Limbs)
) (
    input  logic                                  clk_i,
    input  logic [Readers-1:0][Limbs-1:0]         read_i,
    input  logic [Readers-1:0][ChoiceWidth-1:0]   choice_i,
    input  logic [Readers-1:0][SlotBits-1:0]      read_address_i,
    output logic [Readers-1:0][Width-1:0]         read_data_o,
    input  logic [Writers-1:0][Limbs-1:0]         write_i,
    input  logic [Writers-1:0][SlotBits-1:0]      write_address_i,
    input  logic [Writers-1:0][Width-1:0]         write_data_i
);

  logic [Limbs-1:0][Width-1:0] words;

  for (genvar buffer = 0; buffer < int'(Limbs); buffer++) begin : gen_buffer
    logic read, write;
    logic [SlotBits-1:0] read_address, write_address;
    logic [Width-1:0] write_data;

    always_comb begin
      read = 1'b0;
      read_address = read_address_i[Readers-1];
      for (int reader = int'(Readers) - 1; reader >= 0; reader--) begin
        read |= read_i[reader][buffer];
        if (read_i[reader][buffer]) read_address = read_address_i[reader];
      end
      write = 1'b0;
      write_address = write_address_i[Writers-1];
      write_data = write_data_i[Writers-1];
      for (int writer = int'(Writers) - 1; writer >= 0; writer--) begin
        write |= write_i[writer][buffer];
        if (write_i[writer][buffer]) begin
          write_address = write_address_i[writer];
          write_data = write_data_i[writer];
        end
      end
    end

    ram_simple_dual #(
        .Width(Width),
        .Depth(Depth),
        .Style(Style)
    ) u_words (
        .clk_i,
        .write_i(write),
        .write_address_i(write_address),
        .write_data_i(write_data),
        .read_i(read),
        .read_address_i(read_address),
        .read_data_o(words[buffer])
    );
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned reader = 0; reader < Readers; reader++) read_data_o[reader] <= words[choice_i[reader]];
  end

  if (Limbs < 2 || Depth < 2 || Readers == 0 || Writers == 0) begin : gen_check_sizes
    $error("limb_bank: at least two limbs and two words, a reader and a writer");
  end

endmodule
