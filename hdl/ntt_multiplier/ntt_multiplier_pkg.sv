// The schedule of the NTT multiplier: which word is where, and which pair is when.
//
// Paper: Mert, Ozturk, Savas, "Design and Implementation of a Fast and Scalable NTT-Based Polynomial
// Multiplier Architecture", DSD 2019, sections IV-A2 and IV-A3, algorithms 1 and 7.
//
// n = 2^k coefficients, `units` = 2^(beta-1) butterflies, 2^beta banks of T = 2^tau words, tau = k - beta.
//
// Transforms. Both directions are in place, with butterflies (U + V, w (U - V)) on the indices i and i + 2^p:
//   forward (algorithm 1), p = k-1 down to 0, natural order to bit-reversed order,
//     w = omega^((i mod 2^p) 2^(k-1-p)): entry i becomes the value at psi^(2 brv_k(i) + 1), omega = psi^2;
//   inverse, p = 0 up to k-1, bit-reversed order to natural order, w = omega^-(brv_(k-1-p)(i >> (p+1)) 2^p).
// Nothing is ever reordered.
//
// Place. Index i is word i >> beta of bank x, bit j of x = parity of the bits m = j (mod beta) of i.
//
// Time. A pass on bit p takes T slots. The `window` of its index bits, [s, s + beta) with s = max(0, p-beta+1), is told
// apart by the banks, the other tau bits by the slot c: bits below s are the low bits of c, bits above the
// window its remaining bits. The window has one bit of each class mod beta: each slot reads one word of each
// bank and, later, writes it. The word's address in bank x is base XOR (mask AND x repeated every beta bits).
//
// Pairs. In class j = p mod beta, bank x meets bank x XOR 2^j: one of them has even parity, and unit u belongs
// to the u-th bank of even parity, 2u + parity(u), for ever. Its bank holds V (bit p of the index is 1)
// where bit j of x XOR the parity of the slot's bits of class j is 1; then the factor is stored negated.
//
// Passes of a job (`step` counts them): 0..k-2 forward p = k-1..1; k-1: forward p = 0, which has factor 1,
// together with the product by the fixed operand, two cycles a slot: (U+V) f_U, then (U-V) f_V;
// k..2k-2: inverse p = 0..k-2. Inverse p = k-1 has factor 1 too: the output stage does it. A second product
// repeats steps k-1..2k-2 from the forward transform that is kept.
//
// Latency. A word read at cycle t can be read again, changed, at t + access_latency: memory, array, write. With a deep
// pipeline that may be longer than a pass. Then two jobs take turns, a cycle each, and `thread` names the job: each has
// its own regions of the working memory, and waits for its own words only. Where a pass would read too early, `gap`
// idle turns of its job precede it.
//
// Factors of each unit, in order of use: steps 0..k-2 (T words each), fixed operand 0 (2T, the two of a slot side
// by side), steps k..2k-2 (T each), fixed operand 1 (2T).

package ntt_multiplier_pkg;
  import ringmill_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // Bits of a residue.
  localparam int unsigned WordWidth = 32;

  // Widths that hold any machine's addresses of a bank, of the factors, and numbers of a class.
  localparam int unsigned AddressWidth = 12;
  localparam int unsigned FactorAddressWidth = 17;
  localparam int unsigned ClassWidth = 4;

  // Regions of the working memory, of each thread.
  localparam logic RegionForward = 1'b0;
  localparam logic RegionInverse = 1'b1;

  // Jobs that take turns, at most.
  localparam int unsigned MostThreads = 2;

  // What the packets of the link are.
  typedef enum logic [2:0] {
    ModeRun = 3'd0,
    ModeInputScale = 3'd1,
    ModeOutputScale = 3'd2,
    ModeFactors = 3'd3,
    ModeOperands = 3'd4
  } mode_e;

  // One slot, at the cycle in which the banks are read.
  typedef struct packed {
    logic valid;
    logic thread;  // of the job
    logic from_input;  // read the input memory, not the working memory
    logic [1:0] read_region;
    logic [AddressWidth-1:0] base;
    logic [AddressWidth-1:0] mask;
    logic [FactorAddressWidth-1:0] factor;
    logic [ClassWidth-1:0] pair_class;
    logic parity;  // of the slot's bits of this class
    logic fused;  // only the product is written
    logic second;  // second cycle of a fused slot
    logic to_result;  // write the result memory, not the working memory
    logic [1:0] write_region;
    logic first;  // of a job
    logic last;  // of a product
    logic last_of_job;  // its product is the job's last
  } issue_t;

  // beta: index bits that the banks tell apart.
  function automatic int unsigned bank_bits(int unsigned units);
    return $clog2(units) + 1;
  endfunction

  // tau: bits of a bank's address, and of the number of a slot.
  function automatic int unsigned slot_bits(int unsigned n, int unsigned units);
    return $clog2(n) - bank_bits(units);
  endfunction

  // Bank of unit u: the u-th of even parity.
  function automatic int unsigned own_bank(int unsigned unit);
    return 2 * unit + $countones(unit) % 2;
  endfunction

  // Cycles of a memory, from the address to the word. Deep: one more, for the memory's output register.
  function automatic int unsigned memory_latency(pipeline_e pipeline);
    return pipeline == PipelineShallow ? 1 : 2;
  endfunction

  // Cycles of a multiplier of the input and output stages.
  function automatic int unsigned scale_latency(int unsigned n, pipeline_e pipeline);
    return modular_multiplier_latency(ReductionMontgomery, WordWidth, montgomery_word(n), pipeline);
  endfunction

  // Cycles of the array: a butterfly. Deep: also the chosen operands, and the results at their banks.
  function automatic int unsigned array_latency(int unsigned n, pipeline_e pipeline);
    return butterfly_latency(WordWidth, montgomery_word(n), pipeline, 1'b0) + (pipeline == PipelineShallow ? 0 : 2);
  endfunction

  // Cycles from a read to the first read of its result.
  function automatic int unsigned access_latency(int unsigned n, pipeline_e pipeline);
    return memory_latency(pipeline) + array_latency(n, pipeline) + 1;
  endfunction

  // Jobs that take turns: two where a deep pipeline is longer than a pass.
  function automatic int unsigned thread_count(int unsigned n, int unsigned units, pipeline_e pipeline);
    return pipeline != PipelineShallow && access_latency(n, pipeline) > 1 << slot_bits(n, units) ? MostThreads : 1;
  endfunction

  // Passes of a job with one product.
  function automatic int unsigned step_count(int unsigned n);
    return 2 * $clog2(n) - 1;
  endfunction

  // The step that multiplies by the fixed operand.
  function automatic int unsigned fused_step(int unsigned n);
    return $clog2(n) - 1;
  endfunction

  // p: index bit on which a step's pairs differ.
  function automatic int unsigned step_bit(int unsigned n, int unsigned step);
    return step <= fused_step(n) ? fused_step(n) - step : step - $clog2(n);
  endfunction

  // s: first bit of a step's window.
  function automatic int unsigned window_start(int unsigned n, int unsigned units, int unsigned step);
    return step_bit(n, step) + 1 > bank_bits(units) ? step_bit(n, step) + 1 - bank_bits(units) : 0;
  endfunction

  // j: class of a step's pairs.
  function automatic int unsigned step_class(int unsigned n, int unsigned units, int unsigned step);
    return step_bit(n, step) % bank_bits(units);
  endfunction

  // Idle turns of the job after a step. The next one reads in slot c what the same slot wrote; where the window moves
  // (by one bit, s being the greater start) also what slot c + 2^(s-1) wrote. The result memory is not read.
  function automatic int unsigned step_gap(int unsigned n, int unsigned units, pipeline_e pipeline,
                                           int unsigned step);
    int unsigned here;
    int unsigned there;
    int unsigned slots;
    int unsigned turns;
    if (step + 1 >= step_count(n)) return 0;
    here = window_start(n, units, step);
    there = window_start(n, units, step + 1);
    slots = 1 << slot_bits(n, units);
    if (here != there) slots = slots - (1 << (maximum(here, there) - 1));
    turns = ceil_div(access_latency(n, pipeline), thread_count(n, units, pipeline));
    return turns > slots ? turns - slots : 0;
  endfunction

  // First factor of fixed operand 0, of step k, of fixed operand 1, and the number of all factors of a unit.
  function automatic int unsigned operand0_base(int unsigned n, int unsigned units);
    return ($clog2(n) - 1) << slot_bits(n, units);
  endfunction

  function automatic int unsigned inverse_base(int unsigned n, int unsigned units);
    return ($clog2(n) + 1) << slot_bits(n, units);
  endfunction

  function automatic int unsigned operand1_base(int unsigned n, int unsigned units);
    return (2 * $clog2(n)) << slot_bits(n, units);
  endfunction

  function automatic int unsigned factor_count(int unsigned n, int unsigned units);
    return (2 * $clog2(n) + 2) << slot_bits(n, units);
  endfunction

  // Cycles of a job's computation, from its first read to its last result, both included.
  function automatic int unsigned job_latency(int unsigned n, int unsigned units, pipeline_e pipeline,
                                              int unsigned products);
    int unsigned turns;
    turns = 0;
    for (int unsigned step = 0; step < step_count(n); step++) begin
      turns = turns + (step < fused_step(n) ? 1 : products)
          * (((step == fused_step(n) ? 2 : 1) << slot_bits(n, units)) + step_gap(n, units, pipeline, step));
    end
    return (turns - 1) * thread_count(n, units, pipeline) + access_latency(n, pipeline);
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
