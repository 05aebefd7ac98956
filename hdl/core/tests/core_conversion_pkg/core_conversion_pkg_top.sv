// Values of the package's functions as outputs, for its bench.

module core_conversion_pkg_top
  import ringmill_pkg::*;
  import core_conversion_pkg::*;
#(
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  int unsigned slots_i,
    input  int unsigned sources_i,
    input  int unsigned targets_i,
    input  int unsigned own_i,
    output int unsigned fraction_bits_o,
    output int unsigned fraction_sum_bits_o,
    output int unsigned product_latency_o,
    output int unsigned residue_latency_o,
    output int unsigned latency_o,
    output int unsigned cycles_o
);

  assign fraction_bits_o = fraction_bits(Width);
  assign fraction_sum_bits_o = fraction_sum_bits(Width);
  assign product_latency_o = lane_product_latency(Width, Pipeline);
  assign residue_latency_o = lane_residue_latency(Width, Word, Pipeline);
  assign latency_o = lane_latency(Width, Word, Pipeline);
  assign cycles_o = conversion_cycles(slots_i, sources_i, targets_i, own_i, latency_o);

endmodule
