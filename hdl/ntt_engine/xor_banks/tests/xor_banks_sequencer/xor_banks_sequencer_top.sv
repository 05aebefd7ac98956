// xor_banks_sequencer with the fields of issue_o as ports, and the classes of the factor's bits as bytes.

module xor_banks_sequencer_top
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 2048,
    parameter int unsigned Units = 4,
    parameter ring_e Ring = RingFermat,
    parameter int unsigned Latency = 25
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          start_i,
    input  logic                          inverse_i,
    output logic                          valid_o,
    output logic                          first_o,
    output logic                          last_o,
    output logic [AddressWidth-1:0]       address_zero_o,
    output logic [AddressWidth-1:0]       address_one_o,
    output logic [FactorAddressWidth-1:0] factor_o,
    output logic [TableAddressWidth-1:0][7:0] factor_class_o,
    output logic [ClassWidth-1:0]         pair_class_o,
    output logic                          parity_o,
    output logic                          decimate_o,
    output logic                          combine_o,
    output logic                          scale_sum_o,
    output logic                          scale_difference_o,
    output logic                          write_upper_o,
    output logic                          write_lower_o,
    output logic                          product_upper_o
);

  issue_t issue;

  xor_banks_sequencer #(
      .N(N),
      .Units(Units),
      .Ring(Ring),
      .Latency(Latency)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i,
      .inverse_i,
      .issue_o(issue)
  );

  assign valid_o = issue.valid;
  assign first_o = issue.first;
  assign last_o = issue.last;
  assign {address_one_o, address_zero_o} = issue.address;
  assign factor_o = issue.factor;
  for (genvar b = 0; b < int'(TableAddressWidth); b++) begin : gen_class
    assign factor_class_o[b] = 8'(issue.factor_class[b]);
  end
  assign pair_class_o = issue.pair_class;
  assign parity_o = issue.parity;
  assign decimate_o = issue.operation == ButterflyDecimate;
  assign combine_o = issue.operation == ButterflyCombine;
  assign scale_sum_o = issue.operation == ButterflyScaleSum;
  assign scale_difference_o = issue.operation == ButterflyScaleDifference;
  assign write_upper_o = issue.write_upper;
  assign write_lower_o = issue.write_lower;
  assign product_upper_o = issue.product_upper;

endmodule
