// The engine with one buffer and a port for a host: transforms of one polynomial.
//
// Word i is coefficient i, or value i. RingFermat: both orders are those of the software's ring, row-major by discrete
// logarithms to the generators of the primes. RingPower: value i is at psi^(2 r + 1) or psi^r, r the bits of i reversed.
//
// Ports: clk_i, rst_ni; modulus_i, constant while busy. While idle: constant_write_i, constant_address_i,
// constant_data_i as xor_banks_pkg says; word_write_i, word_address_i, word_data_i; word_read_i, some cycles later
// word_valid_o with word_data_o; start_i with inverse_i. busy_o; cycles_o of the last transform, from its first read to
// its last write.

`include "assertions.svh"

module xor_banks_machine
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter ring_e Ring = RingFermat,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] modulus_i,
    input  logic             constant_write_i,
    input  logic [31:0]      constant_address_i,
    input  logic [Width-1:0] constant_data_i,
    input  logic             word_write_i,
    input  logic [31:0]      word_address_i,
    input  logic [Width-1:0] word_data_i,
    input  logic             word_read_i,
    output logic             word_valid_o,
    output logic [Width-1:0] word_data_o,
    input  logic             start_i,
    input  logic             inverse_i,
    output logic             busy_o,
    output logic [31:0]      cycles_o
);

  localparam int unsigned Banks = 2 * Units;
  localparam int unsigned WordAddressWidth = 1 + slot_bits(N, Units);

  logic read;
  logic [Banks-1:0][WordAddressWidth-1:0] read_address;
  logic [Banks-1:0][Width-1:0] read_data;
  logic [Banks-1:0] write;
  logic [Banks-1:0][WordAddressWidth-1:0] write_address;
  logic [Banks-1:0][Width-1:0] write_data;

  xor_banks #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Ring(Ring),
      .Pipeline(Pipeline),
      .Buffers(1),
      .Slots(1)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .constant_write_i,
      .constant_slot_i('0),
      .constant_address_i,
      .constant_data_i,
      .start_i,
      .inverse_i,
      .slot_i('0),
      .source_i('0),
      .destination_i('0),
      .busy_o,
      .read_o(read),
      .read_address_o(read_address),
      .read_data_i(read_data),
      .write_o(write),
      .write_address_o(write_address),
      .write_data_o(write_data)
  );

  xor_banks_memory #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Buffers(1)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .read_i(read),
      .read_address_i(read_address),
      .read_data_o(read_data),
      .write_i(write),
      .write_address_i(write_address),
      .write_data_i(write_data),
      .host_write_i(word_write_i),
      .host_read_i(word_read_i),
      .host_index_i(word_address_i[$clog2(N)-1:0]),
      .host_data_i(word_data_i),
      .host_valid_o(word_valid_o),
      .host_data_o(word_data_o)
  );

  // From the first read on, while busy.
  always_ff @(posedge clk_i) begin
    if (start_i) cycles_o <= '0;
    else if (busy_o && (read || cycles_o != '0)) cycles_o <= cycles_o + 1'b1;
  end

  logic unused;
  assign unused = ^word_address_i;

  `RINGMILL_ASSERT(HostWhileIdle, word_write_i || word_read_i |-> !busy_o, clk_i, !rst_ni)

endmodule
