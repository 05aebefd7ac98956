// xor_banks_array with the fields of a slot that it looks at as ports.

module xor_banks_array_top
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned Units = 16,
    parameter int unsigned Memories = 1,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic [Width-1:0]               modulus_i,
    input  logic                           valid_i,
    input  logic                           last_i,
    input  logic [AddressWidth-1:0]        address_i,
    input  logic [ClassWidth-1:0]          pair_class_i,
    input  logic                           parity_i,
    input  logic                           decimate_i,
    input  logic                           combine_i,
    input  logic                           scale_sum_i,
    input  logic                           write_upper_i,
    input  logic                           write_lower_i,
    input  logic                           product_upper_i,
    input  logic [Banks-1:0][Width-1:0]    data_i,
    input  logic [Memories-1:0][Width-1:0] factor_i,
    output logic                           valid_o,
    output logic                           last_o,
    output logic [AddressWidth-1:0]        address_o,
    output logic [Banks-1:0]               write_o,
    output logic [Banks-1:0][Width-1:0]    result_o
);

  issue_t issue;
  issue_t done;

  always_comb begin
    issue = '0;
    issue.valid = valid_i;
    issue.last = last_i;
    issue.address[0] = address_i;
    issue.pair_class = pair_class_i;
    issue.parity = parity_i;
    if (decimate_i) issue.operation = ButterflyDecimate;
    else if (combine_i) issue.operation = ButterflyCombine;
    else issue.operation = scale_sum_i ? ButterflyScaleSum : ButterflyScaleDifference;
    issue.write_upper = write_upper_i;
    issue.write_lower = write_lower_i;
    issue.product_upper = product_upper_i;
  end

  xor_banks_array #(
      .Units(Units),
      .Memories(Memories),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_array (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .issue_i(issue),
      .data_i,
      .factor_i,
      .done_o(done),
      .write_o,
      .result_o
  );

  assign valid_o = done.valid;
  assign last_o = done.last;
  assign address_o = done.address[0];

  logic unused;
  assign unused = ^done;

endmodule
