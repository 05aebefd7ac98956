// Values of the package's functions as outputs, for its bench.

module dedicated_read_pkg_top
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 4,
    parameter int unsigned UnitLatency = 16
) (
    input  int unsigned index_i,
    input  int unsigned pass_i,
    output int unsigned words_o,
    output int unsigned few_o,
    output int unsigned coefficient_place_o,
    output int unsigned value_place_o,
    output int unsigned value_index_o,
    output int unsigned exchanged_address_o,
    output int unsigned exchanged_unit_o,
    output int unsigned forward_o,
    output int unsigned inverse_o,
    output int unsigned scaled_o,
    output int unsigned pairs_o,
    output int unsigned product_o
);

  assign words_o = bank_words(N, Units);
  assign few_o = few_factors(Units);
  assign coefficient_place_o = coefficient_place(N, index_i);
  assign value_place_o = value_place(N, Units, index_i);
  assign value_index_o = value_index(N, Units, value_place_o);
  assign exchanged_address_o = exchanged_address(N, Units, pass_i);
  assign exchanged_unit_o = exchanged_unit(Units, pass_i);
  assign forward_o = operation_cycles(N, Units, UnitLatency, OperationForward);
  assign inverse_o = operation_cycles(N, Units, UnitLatency, OperationInverse);
  assign scaled_o = operation_cycles(N, Units, UnitLatency, OperationInverseScaled);
  assign pairs_o = operation_cycles(N, Units, UnitLatency, OperationProduct);
  assign product_o = product_cycles(N, Units, UnitLatency);

endmodule
