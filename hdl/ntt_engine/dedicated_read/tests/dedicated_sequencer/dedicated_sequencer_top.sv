// dedicated_sequencer with the fields of its control as ports.

module dedicated_sequencer_top
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 4,
    parameter int unsigned UnitLatency = 16,
    localparam int unsigned AddressBits = log2(bank_words(N, Units))
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   start_i,
    input  logic [2:0]             operation_i,
    input  logic [1:0]             half_i,
    input  logic                   reversed_i,
    output logic                   busy_o,
    output logic                   read_o,
    output logic                   write_o,
    output logic [AddressBits-1:0] address_o,
    output logic [1:0]             buffer_o,
    output logic                   factor_few_o,
    output logic [AddressBits:0]   factor_address_o,
    output logic                   odd_o,
    output logic                   paired_o,
    output logic                   by_word_o,
    output logic                   combine_o,
    output logic                   decimate_o,
    output logic                   scale_sum_o,
    output logic                   multiply_o,
    output logic [1:0]             keep_o,
    output logic                   swap_first_o,
    output logic [1:0]             exchange_o,
    output logic [GapWidth-1:0]    gap_o
);

  buffer_e buffer;
  control_t control;

  dedicated_sequencer #(
      .N(N),
      .Units(Units),
      .UnitLatency(UnitLatency)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i,
      .operation_i(operation_e'(operation_i)),
      .half_i(half_e'(half_i)),
      .reversed_i,
      .busy_o,
      .read_o,
      .write_o,
      .address_o,
      .buffer_o(buffer),
      .factor_few_o,
      .factor_address_o,
      .control_o(control)
  );

  assign buffer_o = buffer;
  assign odd_o = control.odd;
  assign paired_o = control.paired;
  assign by_word_o = control.by_word;
  assign combine_o = control.butterfly == ButterflyCombine;
  assign decimate_o = control.butterfly == ButterflyDecimate;
  assign scale_sum_o = control.butterfly == ButterflyScaleSum;
  assign multiply_o = control.butterfly == ButterflyMultiply;
  assign keep_o = control.keep;
  assign swap_first_o = control.swap_first;
  assign exchange_o = control.exchange;
  assign gap_o = control.gap;

endmodule
