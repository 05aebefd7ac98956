// Sizes and latencies of the core's conversion unit (see core_conversion).

package core_conversion_pkg;
  import ringmill_pkg::*;
  import core_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // Rows of a lane's memory for one column: y_i for each source, and v behind them.
  localparam int unsigned LaneRows = 32;
  localparam int unsigned LaneRowBits = 5;

  // Columns in work at once, each with rows of its own, as many as a power of two.
  localparam int unsigned LaneColumns = 4;
  localparam int unsigned LaneColumnBits = 2;

  // Bits of a fraction, and of the sum of fractions of all sources and 1/2.
  function automatic int unsigned fraction_bits(int unsigned width);
    return 2 * width - 16;
  endfunction

  function automatic int unsigned fraction_sum_bits(int unsigned width);
    return fraction_bits(width) + LaneRowBits + 1;
  endfunction

  // Fractions this far below 1, as a logarithm, are not certain: each source's is too small by less than two units.
  localparam int unsigned DoubtBits = LaneRowBits + 1;

  // Cycles from the read of a lane's operands to them.
  localparam int unsigned OperandLatency = 2;

  // Cycles from that read to the product, to its residue, and to the sum.
  function automatic int unsigned lane_product_latency(int unsigned width, pipeline_e pipeline);
    return OperandLatency + integer_multiplier_latency(width, pipeline);
  endfunction

  function automatic int unsigned lane_residue_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return lane_product_latency(width, pipeline) + montgomery_latency(width, word, pipeline);
  endfunction

  function automatic int unsigned lane_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return lane_residue_latency(width, word, pipeline) + 3;
  endfunction

  // Cycles of a conversion of so many slots, from its start to the next possible one.
  function automatic int unsigned conversion_cycles(int unsigned slots, int unsigned sources, int unsigned targets,
                                                    int unsigned own, int unsigned latency);
    return 3 * sources * (slots + 2) + maximum(targets * (sources + 1 + own), latency) * slots + 3 * latency + 2;
  endfunction

  // What a lane does with a product, when it is there.
  typedef struct packed {
    logic fraction;        // adds it to the sum of fractions
    logic fraction_first;  // which begins with it
    logic fraction_low;    // its upper word only
  } fraction_t;

  // What a lane does with a residue.
  typedef struct packed {
    logic y;  // keeps it
    logic v;  // keeps the sum of fractions in its place
    logic [LaneColumnBits-1:0] column;
    logic [LaneRowBits-1:0] row;
    logic first;  // begins a sum
  } residue_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
