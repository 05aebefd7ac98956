// ntt_array with the fields of a slot that it looks at as ports. Slots write the result memory, so that none can meet a
// word that is not written yet: the order of slots is not this module's.

module ntt_array_top
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic [WordWidth-1:0]            modulus_i,
    input  logic                            valid_i,
    input  logic                            from_input_i,
    input  logic [AddressWidth-1:0]         base_i,
    input  logic [ClassWidth-1:0]           pair_class_i,
    input  logic                            parity_i,
    input  logic                            fused_i,
    input  logic                            second_i,
    input  logic [Banks-1:0][WordWidth-1:0] input_i,
    input  logic [Banks-1:0][WordWidth-1:0] work_i,
    input  logic [Units-1:0][WordWidth-1:0] factor_i,
    output logic                            valid_o,
    output logic [AddressWidth-1:0]         base_o,
    output logic [Banks-1:0]                write_o,
    output logic [Banks-1:0][WordWidth-1:0] result_o
);

  issue_t issue;
  issue_t done;

  always_comb begin
    issue = '0;
    issue.valid = valid_i;
    issue.from_input = from_input_i;
    issue.base = base_i;
    issue.pair_class = pair_class_i;
    issue.parity = parity_i;
    issue.fused = fused_i;
    issue.second = second_i;
    issue.to_result = 1'b1;
  end

  ntt_array #(
      .N(N),
      .Units(Units),
      .Pipeline(Pipeline)
  ) u_array (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .issue_i(issue),
      .input_i,
      .work_i,
      .factor_i,
      .done_o(done),
      .write_o,
      .result_o
  );

  assign valid_o = done.valid;
  assign base_o = done.base;

  logic unused;
  assign unused = ^done;

endmodule
