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

  // Which memory a RAM becomes.
  typedef enum int unsigned {
    RamAuto = 0,
    RamBlock = 1,
    RamDistributed = 2
  } ram_style_e;

  // Operand width of one core multiplier: fits the DSP slices of all families (18 x 25 and 18 x 18, signed).
  localparam int unsigned CoreWidth = 16;

  // Width of the accumulator of a DSP slice.
  localparam int unsigned AccumulatorWidth = 48;

  // Cycles of integer_multiplier: partial products, adder tree.
  localparam int unsigned IntegerMultiplierLatency = 2;

  // Cycles of barrett_reduction: alignment, estimate (2), multiple of the modulus (2), correction.
  localparam int unsigned BarrettLatency = 2 + 2 * IntegerMultiplierLatency;

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

  // Cycles of montgomery_reduction: one a step; the final correction is part of the last.
  function automatic int unsigned montgomery_latency(int unsigned width, int unsigned word);
    return montgomery_steps(width, word);
  endfunction

  // Cycles of modular_multiplier.
  function automatic int unsigned modular_multiplier_latency(reduction_e reduction, int unsigned width,
                                                             int unsigned word);
    return IntegerMultiplierLatency
        + (reduction == ReductionMontgomery ? montgomery_latency(width, word) : BarrettLatency);
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
