// core_vector with the fields of its instruction as ports.

module core_vector_top
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           start_i,
    input  opcode_e                        opcode_i,
    input  logic [2:0]                     operation_i,
    input  logic [BufferWidth-1:0]         destination_i,
    input  logic [BufferWidth-1:0]         a_i,
    input  logic [BufferWidth-1:0]         b_i,
    input  logic [BufferWidth:0]           count_i,
    input  logic [63:0]                    immediate_i,
    input  logic [Width-1:0]               modulus_i,
    output logic                           done_o,
    output logic                           read_a_o,
    output logic [BufferWidth-1:0]         buffer_a_o,
    output logic [Banks-1:0][SlotBits-1:0] address_a_o,
    input  logic [Banks-1:0][Width-1:0]    data_a_i,
    output logic                           read_b_o,
    output logic [BufferWidth-1:0]         buffer_b_o,
    output logic [SlotBits-1:0]            address_b_o,
    input  logic [Banks-1:0][Width-1:0]    data_b_i,
    output logic [Banks-1:0]               write_o,
    output logic [BufferWidth-1:0]         buffer_o,
    output logic [Banks-1:0][SlotBits-1:0] address_o,
    output logic [Banks-1:0][Width-1:0]    data_o
);

  instruction_t instruction;

  assign instruction = '{
      opcode: opcode_i,
      operation: MaxLogRows'(operation_i),
      destination: destination_i,
      a: a_i,
      b: b_i,
      slot: '0,
      count: count_i,
      immediate: immediate_i
  };

  core_vector #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_vector (
      .clk_i,
      .rst_ni,
      .start_i,
      .instruction_i(instruction),
      .modulus_i,
      .done_o,
      .read_a_o,
      .buffer_a_o,
      .address_a_o,
      .data_a_i,
      .read_b_o,
      .buffer_b_o,
      .address_b_o,
      .data_b_i,
      .write_o,
      .buffer_o,
      .address_o,
      .data_o
  );

endmodule
