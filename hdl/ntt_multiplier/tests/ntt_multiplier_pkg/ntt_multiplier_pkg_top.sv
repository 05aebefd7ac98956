// Values of the package's functions as outputs, for its bench.

module ntt_multiplier_pkg_top
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  int unsigned unit_i,
    input  int unsigned step_i,
    output int unsigned own_bank_o,
    output int unsigned bit_o,
    output int unsigned start_o,
    output int unsigned class_o,
    output int unsigned gap_o,
    output int unsigned steps_o,
    output int unsigned factors_o,
    output int unsigned operand0_o,
    output int unsigned inverse_o,
    output int unsigned operand1_o,
    output int unsigned threads_o,
    output int unsigned single_o,
    output int unsigned double_o
);

  assign own_bank_o = own_bank(unit_i);
  assign bit_o = step_bit(N, step_i);
  assign start_o = window_start(N, Units, step_i);
  assign class_o = step_class(N, Units, step_i);
  assign gap_o = step_gap(N, Units, Pipeline, step_i);
  assign steps_o = step_count(N);
  assign factors_o = factor_count(N, Units);
  assign operand0_o = operand0_base(N, Units);
  assign inverse_o = inverse_base(N, Units);
  assign operand1_o = operand1_base(N, Units);
  assign threads_o = thread_count(N, Units, Pipeline);
  assign single_o = job_latency(N, Units, Pipeline, 1);
  assign double_o = job_latency(N, Units, Pipeline, 2);

endmodule
