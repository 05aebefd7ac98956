// Values of the package's functions as outputs, for its bench.

module ringmill_pkg_top
  import ringmill_pkg::*;
#(
    parameter int unsigned Length = 1024,
    parameter int unsigned Width = 32,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    output int unsigned word_o,
    output int unsigned steps_o,
    output int unsigned montgomery_o,
    output int unsigned barrett_o,
    output int unsigned greater_o,
    output int unsigned greater_swapped_o,
    output int unsigned index_o,
    output int unsigned index_of_one_o
);

  localparam int unsigned Word = montgomery_word(Length);

  assign word_o = Word;
  assign steps_o = montgomery_steps(Width, Word);
  assign montgomery_o = modular_multiplier_latency(ReductionMontgomery, Width, Word, Pipeline);
  assign barrett_o = modular_multiplier_latency(ReductionBarrett, Width, Word, Pipeline);
  assign greater_o = maximum(Length, Width);
  assign greater_swapped_o = maximum(Width, Length);
  assign index_o = index_width(Length + 1);
  assign index_of_one_o = index_width(1);

endmodule
