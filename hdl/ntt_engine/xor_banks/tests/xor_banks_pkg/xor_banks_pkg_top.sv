// Values of the package's functions as outputs, for its bench.

module xor_banks_pkg_top
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 64,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter ring_e Ring = RingFermat,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter int unsigned Latency = 29
) (
    input  logic        inverse_i,
    input  int unsigned step_i,
    input  int unsigned index_bit_i,
    input  int unsigned unit_i,
    output int unsigned own_bank_o,
    output int unsigned pair_bit_o,
    output int unsigned slot_cycles_o,
    output logic        space_o,
    output int unsigned time_bit_o,
    output int unsigned table_o,
    output int unsigned root_o,
    output int unsigned gap_o,
    output int unsigned passes_o,
    output int unsigned reads_o,
    output int unsigned cycles_o,
    output int unsigned factors_o,
    output int unsigned slot_latency_o,
    output int unsigned memories_o
);

  pass_t pass;

  assign pass = pass_of(N, Ring, inverse_i, step_i);
  assign own_bank_o = own_bank(unit_i);
  assign pair_bit_o = pass.pair_bit;
  assign slot_cycles_o = slot_cycles(pass.work);
  assign space_o = is_space(N, Units, Ring, pass, index_bit_i);
  assign time_bit_o = time_bit(N, Units, Ring, pass, index_bit_i);
  assign table_o = table_base(pass.low, pass.length);
  assign root_o = root_base(pass.low, pass.length);
  assign gap_o = step_gap(N, Units, Ring, inverse_i, step_i, Latency);
  assign passes_o = pass_count(N, Ring);
  assign reads_o = read_cycles(N, Units, Ring, inverse_i);
  assign cycles_o = transform_cycles(N, Units, Ring, inverse_i, Latency);
  assign factors_o = factor_count(N, Units, Ring);
  assign slot_latency_o = slot_latency(Width, Word, Pipeline);
  assign memories_o = factor_memories(N, Units, Ring);

endmodule
