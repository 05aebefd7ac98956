// Banks of polynomials for the engine, and a host that reads and writes single words of buffer 0 while it is idle.
//
// Ports: clk_i, rst_ni. The engine's: read_i, read_address_i, BankLatency cycles later read_data_o; write_i (one bit a
// bank), write_address_i, write_data_i. The host's: host_write_i or host_read_i with host_index_i, the index of the word
// in natural order, and host_data_i; HostLatency cycles after host_read_i host_valid_o with host_data_o.

`include "assertions.svh"

module xor_banks_memory
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Buffers = 1,
    parameter ram_style_e Style = RamAuto,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned WordAddressWidth = index_width(Buffers) + slot_bits(N, Units)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    read_i,
    input  logic [Banks-1:0][WordAddressWidth-1:0]  read_address_i,
    output logic [Banks-1:0][Width-1:0]             read_data_o,
    input  logic [Banks-1:0]                        write_i,
    input  logic [Banks-1:0][WordAddressWidth-1:0]  write_address_i,
    input  logic [Banks-1:0][Width-1:0]             write_data_i,
    input  logic                                    host_write_i,
    input  logic                                    host_read_i,
    input  logic [$clog2(N)-1:0]                    host_index_i,
    input  logic [Width-1:0]                        host_data_i,
    output logic                                    host_valid_o,
    output logic [Width-1:0]                        host_data_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SlotBits = slot_bits(N, Units);
  localparam int unsigned StoredWidth = SlotBits + (Buffers > 1 ? index_width(Buffers) : 0);

  // The host's word: its bank and its address in buffer 0.
  logic host_write_q, host_read_q;
  logic [BankBits-1:0] host_bank, host_bank_q;
  logic [StoredWidth-1:0] host_address_q;
  logic [Width-1:0] host_data_q;

  always_comb begin
    host_bank = '0;
    for (int unsigned m = 0; m < $clog2(N); m++) host_bank[m%BankBits] = host_bank[m%BankBits] ^ host_index_i[m];
  end

  always_ff @(posedge clk_i) begin
    host_write_q <= rst_ni && host_write_i;
    host_read_q <= rst_ni && host_read_i;
    host_bank_q <= host_bank;
    host_address_q <= StoredWidth'(host_index_i >> BankBits);
    host_data_q <= host_data_i;
  end

  logic [Banks-1:0][Width-1:0] words;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    ram_simple_dual #(
        .Width(Width),
        .Depth(1 << StoredWidth),
        .Style(Style)
    ) u_words (
        .clk_i,
        .write_i(host_write_q ? host_bank_q == BankBits'(bank) : write_i[bank]),
        .write_address_i(host_write_q ? host_address_q : write_address_i[bank][StoredWidth-1:0]),
        .write_data_i(host_write_q ? host_data_q : write_data_i[bank]),
        .read_i(read_i || host_read_q),
        .read_address_i(host_read_q ? host_address_q : read_address_i[bank][StoredWidth-1:0]),
        .read_data_o(words[bank])
    );
  end

  always_ff @(posedge clk_i) read_data_o <= words;

  // The bank of the word that the host asked for, until its data is there.
  logic [BankLatency-1:0] valid_q;
  logic [BankLatency-1:0][BankBits-1:0] bank_q;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[BankLatency-2:0], host_read_q} : '0;
    bank_q <= {bank_q[BankLatency-2:0], host_bank_q};
    host_valid_o <= rst_ni && valid_q[BankLatency-1];
    host_data_o <= read_data_o[bank_q[BankLatency-1]];
  end

  logic unused;
  assign unused = ^{read_address_i, write_address_i};

  `RINGMILL_ASSERT(OneWriter, !(|write_i && host_write_q), clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneReader, !(read_i && host_read_q), clk_i, !rst_ni)

  if (1 << $clog2(Buffers) != Buffers) begin : gen_check_buffers
    $error("xor_banks_memory: Buffers must be a power of two");
  end

endmodule
