// The figures of tile_conversion_pkg as ports.

module tile_conversion_pkg_top
  import tile_conversion_pkg::*;
(
    input  logic        clk_i,
    output logic [31:0] part_latency_o,
    output logic [31:0] sum_latency_o,
    output logic [31:0] tile_latency_o,
    output logic [31:0] operation_width_o
);

  assign part_latency_o = PartLatency;
  assign sum_latency_o = SumLatency;
  assign tile_latency_o = TileLatency;
  assign operation_width_o = $bits(operation_t);

  logic unused;
  assign unused = clk_i;

endmodule
