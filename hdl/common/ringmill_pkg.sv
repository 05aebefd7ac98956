// What all machines share: the kinds of reduction, latencies, and helper functions for elaboration.
//
// Paper: Mert, Ozturk, Savas, "Design and Implementation of a Fast and Scalable NTT-Based Polynomial
// Multiplier Architecture", DSD 2019. Algorithms are cited by its numbers.

package ringmill_pkg;

  // A machine uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // How a modular multiplier reduces its product.
  typedef enum int unsigned {
    ReductionMontgomery = 0,  // q = 1 mod 2^Word; the result carries a factor 2^-(Word * steps)
    ReductionBarrett = 1      // any odd q; the result is the product itself
  } reduction_e;

  // How deep arithmetic is pipelined.
  typedef enum int unsigned {
    PipelineShallow = 0,  // as in the paper: few registers, so sums and corrections share a cycle with a product
    PipelineDeep = 1,     // every product and every sum has a cycle; for slices of 25 x 18 bits
    PipelineNarrow = 2    // the same for slices of 18 x 18 bits
  } pipeline_e;

  // What a butterfly computes: see butterfly.
  typedef enum logic [2:0] {
    ButterflyDecimate = 3'd0,
    ButterflyCombine = 3'd1,
    ButterflyScaleSum = 3'd2,
    ButterflyScaleDifference = 3'd3,
    ButterflyMultiply = 3'd4
  } butterfly_e;

  // Which memory a RAM becomes.
  typedef enum int unsigned {
    RamAuto = 0,
    RamBlock = 1,
    RamDistributed = 2
  } ram_style_e;

  // Operand width of one core multiplier: fits the DSP slices of all families (18 x 25 and 18 x 18, signed).
  localparam int unsigned CoreWidth = 16;

  // The widest unsigned operands of slices of 25 x 18 and of 18 x 18 bits.
  localparam int unsigned LongDigit = 24;
  localparam int unsigned ShortDigit = 17;

  // Width of the accumulator of a DSP slice.
  localparam int unsigned AccumulatorWidth = 48;

  // a / b, rounded up.
  function automatic int unsigned ceil_div(int unsigned a, int unsigned b);
    return (a + b - 1) / b;
  endfunction

  // The greater of two numbers.
  function automatic int unsigned maximum(int unsigned a, int unsigned b);
    return a > b ? a : b;
  endfunction

  // Bits that index count things; 1 for a single one, as a vector needs a bit.
  function automatic int unsigned index_width(int unsigned count);
    return count > 1 ? unsigned'($clog2(count)) : 1;
  endfunction

  // Word size of Montgomery's reduction for transforms of length n: q = 1 mod 2n (algorithm 6).
  function automatic int unsigned montgomery_word(int unsigned n);
    return unsigned'($clog2(n)) + 1;
  endfunction

  // Steps of Montgomery's reduction for operands of width bits: R = 2^(word * steps) >= 2^width.
  function automatic int unsigned montgomery_steps(int unsigned width, int unsigned word);
    return ceil_div(width, word);
  endfunction

  // Bits of a digit of integer_multiplier's operands. Words of two cores are cut evenly: then nothing is wasted.
  function automatic int unsigned lhs_digit(int unsigned width, pipeline_e pipeline);
    if (pipeline == PipelineShallow || width <= 2 * CoreWidth) return CoreWidth;
    return pipeline == PipelineDeep ? LongDigit : ShortDigit;
  endfunction

  function automatic int unsigned rhs_digit(int unsigned width, pipeline_e pipeline);
    return pipeline == PipelineShallow || width <= 2 * CoreWidth ? CoreWidth : ShortDigit;
  endfunction

  // Pairs of diagonals beside the main one in the square of integer_multiplier's partial products.
  function automatic int unsigned diagonal_pairs(int unsigned width, pipeline_e pipeline);
    return maximum(ceil_div(width, lhs_digit(width, pipeline)), ceil_div(width, rhs_digit(width, pipeline))) - 1;
  endfunction

  // Cycles of integer_multiplier. Shallow: partial products, sum. Deep: operands, partial products, sums of diagonals,
  // and one more sum for each of these.
  function automatic int unsigned integer_multiplier_latency(int unsigned width, pipeline_e pipeline);
    return pipeline == PipelineShallow ? 2 : 3 + diagonal_pairs(width, pipeline);
  endfunction

  // Bits of the digits of the modulus in montgomery_step.
  function automatic int unsigned modulus_digit(pipeline_e pipeline);
    return pipeline == PipelineNarrow ? ShortDigit : LongDigit;
  endfunction

  // Cycles of montgomery_step. Deep: products, their sum if there are two, difference, and correction in the last step.
  function automatic int unsigned montgomery_step_latency(int unsigned width, int unsigned word, pipeline_e pipeline,
                                                          bit last);
    if (pipeline == PipelineShallow) return 1;
    return 2 + (width - word + 1 > modulus_digit(pipeline) + 1 ? 1 : 0) + (last ? 1 : 0);
  endfunction

  // Cycles by which a modulus that moves precedes its value in montgomery_step and montgomery_reduction.
  function automatic int unsigned montgomery_lead(pipeline_e pipeline);
    return pipeline == PipelineShallow ? 0 : 1;
  endfunction

  // Cycles of montgomery_reduction.
  function automatic int unsigned montgomery_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return (montgomery_steps(width, word) - 1) * montgomery_step_latency(width, word, pipeline, 1'b0)
        + montgomery_step_latency(width, word, pipeline, 1'b1);
  endfunction

  // Cycles of barrett_reduction: alignment, estimate, multiple of the modulus, correction (deep: difference and two
  // corrections).
  function automatic int unsigned barrett_latency(int unsigned width, pipeline_e pipeline);
    return 1 + 2 * integer_multiplier_latency(width, pipeline) + (pipeline == PipelineShallow ? 1 : 3);
  endfunction

  // Cycles of modular_multiplier.
  function automatic int unsigned modular_multiplier_latency(reduction_e reduction, int unsigned width,
                                                             int unsigned word, pipeline_e pipeline);
    return integer_multiplier_latency(width, pipeline)
        + (reduction == ReductionMontgomery ? montgomery_latency(width, word, pipeline)
                                            : barrett_latency(width, pipeline));
  endfunction

  // Cycles of modular_add_sub. Deep: sum and difference, correction.
  function automatic int unsigned add_sub_latency(pipeline_e pipeline);
    return pipeline == PipelineShallow ? 0 : 2;
  endfunction

  // Cycles of butterfly: sums before the product, product, and, if it combines, sums behind it and a choice.
  function automatic int unsigned butterfly_latency(int unsigned width, int unsigned word, pipeline_e pipeline,
                                                    bit combines = 1'b1);
    return add_sub_latency(pipeline) + modular_multiplier_latency(ReductionMontgomery, width, word, pipeline)
        + (combines ? add_sub_latency(pipeline) + 1 : 0);
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
