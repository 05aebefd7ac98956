// ntt_sequencer with the fields of issue_o as ports.

module ntt_sequencer_top
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned ResultBuffers = 4,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [1:0]                    input_full_i,
    input  logic [1:0]                    input_double_i,
    output logic [1:0]                    input_free_o,
    input  logic                          result_free_i,
    output logic                          active_o,
    output logic                          valid_o,
    output logic                          thread_o,
    output logic                          from_input_o,
    output logic [1:0]                    read_region_o,
    output logic [AddressWidth-1:0]       base_o,
    output logic [AddressWidth-1:0]       mask_o,
    output logic [FactorAddressWidth-1:0] factor_o,
    output logic [ClassWidth-1:0]         pair_class_o,
    output logic                          parity_o,
    output logic                          fused_o,
    output logic                          second_o,
    output logic                          to_result_o,
    output logic [1:0]                    write_region_o,
    output logic                          first_o,
    output logic                          last_o,
    output logic                          last_of_job_o
);

  issue_t issue;

  ntt_sequencer #(
      .N(N),
      .Units(Units),
      .ResultBuffers(ResultBuffers),
      .Pipeline(Pipeline)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .input_full_i,
      .input_double_i,
      .input_free_o,
      .result_free_i,
      .issue_o(issue),
      .active_o
  );

  assign {valid_o, thread_o, from_input_o, read_region_o, base_o, mask_o, factor_o, pair_class_o, parity_o, fused_o,
          second_o, to_result_o, write_region_o, first_o, last_o, last_of_job_o} = issue;

endmodule
