// Sizes, controls and cycles of the multi-precision conversion pipeline.
//
// Paper: Sinha Roy, Jarvinen, Vliegen, Vercauteren, Verbauwhede, "HEPCloud: An FPGA-Based Multicore Processor for FV
// Somewhat Homomorphic Function Evaluation", IEEE Transactions on Computers, 2018. Sections and algorithms are its.
//
// base: primes of q, total: primes of Q, all of 30 bits; q >= 2^(30 base - 3), 2 base + 1 <= total <= 2 base + 2.

package multiprecision_pkg;

  import ringmill_pkg::*;

  // Each design uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // Bits of words, of long words, of primes, of Barrett's quotient.
  localparam int unsigned WordWidth = 59;
  localparam int unsigned LongWidth = 2 * WordWidth;
  localparam int unsigned PrimeWidth = 30;
  localparam int unsigned QuotientWidth = 64;

  // Constants of primes below 2^30 that have a bit more.
  localparam int unsigned ReciprocalWidth = PrimeWidth + 1;

  // A sum of products of 30 bits is folded here (algorithm 6).
  localparam int unsigned FoldBit = 58;

  // Units of the reduction to residues.
  localparam int unsigned ResidueUnits = 4;

  // Residues of this many coefficients are in the cores: one arrives, one is summed, up to two wait for a quotient.
  localparam int unsigned Buffers = 4;

  localparam pipeline_e Pipeline = PipelineDeep;

  // What the pipeline computes.
  typedef enum logic {
    ConversionLift = 1'b0,
    ConversionScale = 1'b1
  } conversion_e;

  // The tables that a host loads: see docs/machines/multiprecision.md.
  typedef enum logic [3:0] {
    TableFactors = 4'd0,      // of the cores; unit: core
    TableModuli = 4'd1,       // primes
    TableReciprocals = 4'd2,  // floor(2^60 / prime)
    TableFolds = 4'd3,        // 2^58 modulo a prime
    TableInverses = 4'd4,     // (Q / prime)^-1
    TableDivision = 4'd5,     // words of reciprocals
    TableTotal = 4'd6,        // rows of Q
    TableBase = 4'd7,         // rows of q
    TableQuotient = 4'd8,     // Barrett's constant of q
    TableModulus = 4'd9,      // words of q
    TablePowers = 4'd10       // of ResPol; unit: unit
  } table_e;

  // What travels with a product through the cores.
  typedef struct packed {
    logic valid;
    logic first;    // product of a step
    logic last;     // product of a step
    logic opening;  // step of a sum: nothing is carried into it
    logic whole;    // the step's sum leaves whole, not a word of it
  } mac_control_t;

  // Words and long words that bits need.
  function automatic int unsigned words(int unsigned bits);
    return ceil_div(bits, WordWidth);
  endfunction

  function automatic int unsigned long_words(int unsigned bits);
    return ceil_div(bits, LongWidth);
  endfunction

  // Bits that hold q.
  function automatic int unsigned modulus_bits(int unsigned base);
    return PrimeWidth * base;
  endfunction

  // Words of a number below 4 q.
  function automatic int unsigned modulus_words(int unsigned base);
    return words(modulus_bits(base) + 2);
  endfunction

  // Bits and words of a lift's sum, below base * 2^30 q.
  function automatic int unsigned lift_bits(int unsigned base);
    return modulus_bits(base) + PrimeWidth + unsigned'($clog2(base));
  endfunction

  function automatic int unsigned lift_words(int unsigned base);
    return words(lift_bits(base));
  endfunction

  // Bits in excess of Q, and words, of a scale's sum, below total * Q.
  function automatic int unsigned excess_bits(int unsigned total);
    return unsigned'($clog2(total));
  endfunction

  function automatic int unsigned scale_words(int unsigned total);
    return words(PrimeWidth * total + excess_bits(total));
  endfunction

  // Long words of round(2 c / q), at most Q / q.
  function automatic int unsigned quotient_long_words(int unsigned base, int unsigned total);
    return long_words(PrimeWidth * (total - base));
  endfunction

  // Long words of fraction and of the reciprocal, for t / q with t = 1 or 2 (section 4.3.3).
  function automatic int unsigned fraction_words(int unsigned base, int unsigned total, conversion_e conversion);
    return long_words((conversion == ConversionLift ? lift_bits(base) : PrimeWidth * total) + modulus_bits(base) + 1);
  endfunction

  function automatic int unsigned reciprocal_words(int unsigned base, int unsigned total, conversion_e conversion);
    return long_words(LongWidth * fraction_words(base, total, conversion)
        + (conversion == ConversionLift ? 4 : 5) - modulus_bits(base));
  endfunction

  // Long words of the dividend, and of the rounded quotient.
  function automatic int unsigned dividend_words(int unsigned base, int unsigned total, conversion_e conversion);
    return ceil_div(conversion == ConversionLift ? lift_words(base) : scale_words(total), 2);
  endfunction

  function automatic int unsigned result_words(int unsigned base, int unsigned total, conversion_e conversion);
    return conversion == ConversionLift ? 1 : quotient_long_words(base, total);
  endfunction

  // Slots of a core: residues, and in a lift two pieces of the quotient.
  function automatic int unsigned core_slots(int unsigned base, int unsigned total, int unsigned cores,
                                             conversion_e conversion);
    return ceil_div(conversion == ConversionLift ? base + 2 : total, cores);
  endfunction

  // Steps of a core: words of a sum, and new primes of a lift.
  function automatic int unsigned sum_words(int unsigned base, int unsigned total, conversion_e conversion);
    return conversion == ConversionLift ? lift_words(base) : scale_words(total);
  endfunction

  // Constants of a core: of a lift's sum, of its new residues, of a scale's sum.
  function automatic int unsigned core_constants(int unsigned base, int unsigned total, int unsigned cores);
    return core_slots(base, total, cores, ConversionLift) * (lift_words(base) + total - base)
        + core_slots(base, total, cores, ConversionScale) * scale_words(total);
  endfunction

  // Bits of a sum of products of 30 bits, with this many terms.
  function automatic int unsigned sum_width(int unsigned terms);
    return 2 * PrimeWidth + unsigned'($clog2(terms));
  endfunction

  // Cycles of multiply_accumulate from a read to its link: memories, product, sum.
  localparam int unsigned MacMultiplierLatency = integer_multiplier_latency(WordWidth, Pipeline);
  localparam int unsigned MacLatency = 1 + MacMultiplierLatency + 1;

  // Cycles of sum_of_products from a step's last read to its word: a core, its neighbours in the arm, the arms' sum.
  function automatic int unsigned sum_latency(int unsigned cores);
    return MacLatency + cores / 2;
  endfunction

  // Cycles of residue_reduction: two products, a difference and two corrections.
  localparam int unsigned ReductionMultiplierLatency = integer_multiplier_latency(ReciprocalWidth, Pipeline);
  localparam int unsigned ReductionLatency = 2 * ReductionMultiplierLatency + 3;

  // Cycles of residue_fold: tables, product, sum, reduction, sign.
  localparam int unsigned FoldLatency = 1 + 2 + ReductionLatency + 1;

  // Cycles of centred_reduction from the last word in to the last word out: all passes, and two from a read to a word.
  function automatic int unsigned centre_cycles(int unsigned multiples, int unsigned count);
    return (multiples + 2) * (count + 1) + 1;
  endfunction

  // Cycles of long_multiplier: sums of halves, products, the middle one, all.
  localparam int unsigned LongMultiplierLatency = integer_multiplier_latency(WordWidth + 1, Pipeline) + 3;

  // Products of reciprocal_division from a column on, one a cycle, and a cycle for each column without one.
  function automatic int unsigned division_cycles(int unsigned base, int unsigned total, conversion_e conversion,
                                                  int unsigned from = 0);
    int unsigned dividend, reciprocal, columns, cycles;
    dividend = dividend_words(base, total, conversion);
    reciprocal = reciprocal_words(base, total, conversion);
    columns = fraction_words(base, total, conversion) + result_words(base, total, conversion);
    cycles = 0;
    for (int unsigned column = from; column < columns; column++) begin
      int unsigned first, last;
      first = column < reciprocal ? 0 : column - reciprocal + 1;
      last = column < dividend ? column : dividend - 1;
      cycles += first < last ? last - first + 1 : 1;
    end
    return cycles;
  endfunction

  // Cycles of reciprocal_division from the last product to the last word: memories, product, sum.
  localparam int unsigned DivisionLatency = 1 + LongMultiplierLatency + 1;

  // Cycles of quotient_reduction from the last long word in to the last word out: the quotient, and behind it its
  // product with q.
  localparam int unsigned QuotientMultiplierLatency = integer_multiplier_latency(QuotientWidth, Pipeline);

  function automatic int unsigned quotient_cycles(int unsigned base);
    return 2 * QuotientMultiplierLatency + modulus_words(base) + 2;
  endfunction

  // Rounds of residue_units.
  function automatic int unsigned residue_rounds(int unsigned base);
    return ceil_div(base, ResidueUnits);
  endfunction

  // Cycles of residue_scale: tables, product, reduction.
  localparam int unsigned ScaleMultiplierLatency = integer_multiplier_latency(PrimeWidth, Pipeline);
  localparam int unsigned ScaleLatency = 1 + ScaleMultiplierLatency + ReductionLatency;

  // Cycles between two sums of a scale: the longest stage. What has one buffer is empty before words arrive again.
  function automatic int unsigned scale_interval(int unsigned base, int unsigned total, int unsigned cores);
    int unsigned longest, fraction;
    fraction = fraction_words(base, total, ConversionScale);
    longest = core_slots(base, total, cores, ConversionScale) * scale_words(total);
    longest = maximum(longest, (excess_bits(total) + 2) * (scale_words(total) + 1));
    longest = maximum(longest, division_cycles(base, total, ConversionScale));
    longest = maximum(longest, division_cycles(base, total, ConversionScale, fraction + 1) + quotient_cycles(base));
    longest = maximum(longest, 4 * (modulus_words(base) + 1));
    return maximum(longest, modulus_words(base) * (2 * residue_rounds(base) + 1));
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
