// Values of the package's functions as outputs, for its bench.

module two_epoch_pkg_top
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned UnitLatency = 25
) (
    input  int unsigned step_i,
    output int unsigned steps_o,
    output int unsigned exchange_step_o,
    output int unsigned bit_o,
    output int unsigned gap_o,
    output int unsigned exchange_o,
    output int unsigned return_delay_o,
    output int unsigned forward_o,
    output int unsigned back_o
);

  assign steps_o = step_count(Network, Tiles);
  assign exchange_step_o = exchange_step(Tiles);
  assign bit_o = step_bit(Network, Tiles, step_i);
  assign gap_o = step_gap(Network, Tiles, UnitLatency, step_i);
  assign exchange_o = exchange_cycles(Network, Tiles, UnitLatency);
  assign return_delay_o = return_delay(Tiles, UnitLatency);
  assign forward_o = transform_cycles(Network, Tiles, UnitLatency, 1'b0);
  assign back_o = transform_cycles(Network, Tiles, UnitLatency, 1'b1);

endmodule
