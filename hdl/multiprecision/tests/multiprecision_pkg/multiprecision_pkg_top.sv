// The functions of multiprecision_pkg as ports.

module multiprecision_pkg_top
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    parameter int unsigned Total = 84,
    parameter int unsigned Cores = 8
) (
    input  logic              clk_i,
    output logic [31:0]       modulus_words_o,
    output logic [31:0]       constants_o,
    output logic [1:0][31:0]  words_o,
    output logic [1:0][31:0]  fraction_o,
    output logic [1:0][31:0]  reciprocal_o,
    output logic [1:0][31:0]  dividend_o,
    output logic [1:0][31:0]  results_o,
    output logic [1:0][31:0]  slots_o,
    output logic [1:0][31:0]  division_o,
    output logic [31:0]       sum_latency_o,
    output logic [31:0]       quotient_cycles_o,
    output logic [31:0]       scale_interval_o
);

  assign modulus_words_o = modulus_words(Base);
  assign constants_o = core_constants(Base, Total, Cores);

  for (genvar i = 0; i < 2; i++) begin : gen_conversion
    localparam conversion_e Conversion = i == 0 ? ConversionLift : ConversionScale;
    assign words_o[i] = sum_words(Base, Total, Conversion);
    assign fraction_o[i] = fraction_words(Base, Total, Conversion);
    assign reciprocal_o[i] = reciprocal_words(Base, Total, Conversion);
    assign dividend_o[i] = dividend_words(Base, Total, Conversion);
    assign results_o[i] = result_words(Base, Total, Conversion);
    assign slots_o[i] = core_slots(Base, Total, Cores, Conversion);
    assign division_o[i] = division_cycles(Base, Total, Conversion);
  end

  assign sum_latency_o = sum_latency(Cores);
  assign quotient_cycles_o = quotient_cycles(Base);
  assign scale_interval_o = scale_interval(Base, Total, Cores);

  logic unused;
  assign unused = clk_i;

endmodule
