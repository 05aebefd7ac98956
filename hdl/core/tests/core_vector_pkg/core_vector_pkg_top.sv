// Values of the package's functions as outputs, for its bench.

module core_vector_pkg_top
  import ringmill_pkg::*;
  import core_pkg::*;
  import core_vector_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  opcode_e     opcode_i,
    input  logic [2:0]  operation_i,
    input  int unsigned index_bit_i,
    input  int unsigned terms_i,
    output lane_e       lane_operation_o,
    output logic        takes_b_o,
    output int unsigned largest_field_o,
    output logic        told_apart_o,
    output int unsigned lane_latency_o,
    output int unsigned network_latency_o,
    output int unsigned write_latency_o,
    output int unsigned cycles_o
);

  instruction_t instruction;

  always_comb begin
    instruction = '0;
    instruction.opcode = opcode_i;
    instruction.operation = MaxLogRows'(operation_i);
  end

  assign lane_operation_o = lane_operation(instruction);
  assign takes_b_o = takes_b(lane_operation_o);
  assign largest_field_o = largest_field(N);
  assign told_apart_o = is_told_apart(N, Units, index_bit_i);
  assign lane_latency_o = vector_lane_latency(Width, Word, Pipeline);
  assign network_latency_o = lane_network_latency(2 * Units, Pipeline);
  assign write_latency_o = vector_write_latency(Units, Width, Word, Pipeline);
  assign cycles_o = vector_cycles(N, Units, terms_i, Width, Word, Pipeline);

endmodule
