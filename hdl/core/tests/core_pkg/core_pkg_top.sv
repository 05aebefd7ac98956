// A descriptor's fields and the package's sizes as ports, for its bench.

module core_pkg_top
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16
) (
    input  logic [255:0] bytes_i,
    output logic [7:0]   opcode_o,
    output logic [7:0]   operation_o,
    output logic [7:0]   destination_o,
    output logic [7:0]   a_o,
    output logic [7:0]   b_o,
    output logic [7:0]   slot_o,
    output logic [7:0]   count_o,
    output logic [7:0]   top_o,
    output logic [63:0]  immediate_o,
    output logic [127:0] unused_o,
    output int unsigned  block_words_o,
    output int unsigned  instruction_bits_o
);

  descriptor_t descriptor;

  assign descriptor = bytes_i;
  assign opcode_o = descriptor.opcode;
  assign operation_o = descriptor.operation;
  assign destination_o = descriptor.destination;
  assign a_o = descriptor.a;
  assign b_o = descriptor.b;
  assign slot_o = descriptor.slot;
  assign count_o = descriptor.count;
  assign top_o = descriptor.top;
  assign immediate_o = descriptor.immediate;
  assign unused_o = descriptor.unused;
  assign block_words_o = block_words(N, Units, Engine);
  assign instruction_bits_o = $bits(instruction_t);

endmodule
