// dedicated_core with the fields of its control as ports.

module dedicated_core_top
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 4,
    parameter int unsigned Width = 30,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter bit First = 1'b0,
    localparam int unsigned AddressBits = log2(bank_words(N, Units))
) (
    input  logic                  clk_i,
    input  logic [Width-1:0]      modulus_i,
    input  logic                  constant_write_i,
    input  logic                  constant_few_i,
    input  logic [AddressBits:0]  constant_address_i,
    input  logic [Width-1:0]      constant_data_i,
    input  logic                  read_i,
    input  logic                  factor_few_i,
    input  logic [AddressBits:0]  factor_address_i,
    input  logic [1:0][Width-1:0] word_i,
    input  logic                  odd_i,
    input  logic                  paired_i,
    input  logic                  by_word_i,
    input  logic                  forward_i,
    input  logic [1:0]            keep_i,
    input  logic                  swap_first_i,
    output logic [Width-1:0]      upper_o,
    output logic [Width-1:0]      lower_o
);

  control_t control;

  always_comb begin
    control = '0;
    control.odd = odd_i;
    control.paired = paired_i;
    control.by_word = by_word_i;
    control.butterfly = ButterflyDecimate;
    if (by_word_i) control.butterfly = ButterflyMultiply;
    else if (forward_i) control.butterfly = ButterflyCombine;
    control.keep = keep_i;
    control.swap_first = swap_first_i;
  end

  dedicated_core #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline),
      .First(First)
  ) u_core (
      .clk_i,
      .modulus_i,
      .constant_write_i,
      .constant_few_i,
      .constant_address_i,
      .constant_data_i,
      .read_i,
      .factor_few_i,
      .factor_address_i,
      .word_i,
      .control_i(control),
      .upper_o,
      .lower_o
  );

endmodule
