// Sizes, places, schedule and latencies of the transform engine whose units read from memories of their own.
//
// Paper: Sinha Roy, Jarvinen, Vliegen, Vercauteren, Verbauwhede, "HEPCloud: An FPGA-Based Multicore Processor for FV
// Somewhat Homomorphic Function Evaluation", IEEE Transactions on Computers, 2018. Algorithms are cited by its numbers.
//
// N = 2^k points, 2^b units. Unit c owns a bank of 2^a words, k = 1 + a + b; a word is a pair of residues, and a
// butterfly works on the pair. So a place has k bits: half W of the word, unit C, address A. Index bits move through
// them: pass p finds bit k - 1 - p of the coefficient's index in W and leaves bit p of the value's index there. Then
// it is exchanged: W takes bit p mod a of A, that bit takes bit min(p, b - 1) of C, and this one takes W. These are
// the places of algorithm 3; the inverse transform undoes passes and exchanges in turn.

package dedicated_read_pkg;

  // Each design uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // What an engine does with all words of a buffer.
  typedef enum logic [2:0] {
    OperationForward = 0,        // coefficients to values
    OperationInverse = 1,        // values to coefficients times N
    OperationInverseScaled = 2,  // values to coefficients
    OperationProduct = 3,        // source * operand, times R^-1
    OperationDifference = 4      // (source - operand) * correction
  } operation_e;

  // Which coefficients a forward transform takes; the others count as 0.
  typedef enum logic [1:0] {
    HalfBoth = 0,
    HalfLow = 1,  // below N / 2
    HalfHigh = 2  // the others
  } half_e;

  // Which buffer a read takes: later passes read what the first wrote.
  typedef enum logic [1:0] {
    BufferSource = 0,
    BufferOperand = 1,
    BufferDestination = 2
  } buffer_e;

  // Which words the results of two successive operations of the units become.
  typedef enum logic [1:0] {
    ExchangeNone = 0,     // each pair stays a word
    ExchangeForward = 1,
    ExchangeInverse = 2,
    ExchangePair = 3      // the lower results of both are one word
  } exchange_e;

  // Width of the number of an exchanged bit of C: up to 256 units.
  localparam int unsigned GapWidth = 3;

  // What travels with an operation through the units to the banks.
  typedef struct packed {
    logic                      odd;         // the second of two
    logic                      paired;      // works on halves of two words, one from source and one from operand
    logic                      by_word;     // the operand is the factor
    ringmill_pkg::butterfly_e  butterfly;
    logic [1:0]                keep;        // halves of the word that count
    logic                      swap_first;  // but the other way round in unit 0
    exchange_e                 exchange;
    logic [GapWidth-1:0]       gap;         // bit of C that is exchanged
  } control_t;

  // log2 N and log2 Units.
  function automatic int unsigned log2(int unsigned size);
    return unsigned'($clog2(size));
  endfunction

  // Words a bank holds of a buffer.
  function automatic int unsigned bank_words(int unsigned n, int unsigned units);
    return n / (2 * units);
  endfunction

  // Factors of a unit that are not in its table: those of the first log2 Units passes, the scale, the correction.
  function automatic int unsigned few_factors(int unsigned units);
    return log2(units) + 2;
  endfunction

  // Constants of an engine, word 0 of each table with them.
  function automatic int unsigned constant_count(int unsigned n, int unsigned units);
    return units * (2 * bank_words(n, units) + few_factors(units));
  endfunction

  // Bit of A that is exchanged between passes p and p + 1.
  function automatic int unsigned exchanged_address(int unsigned n, int unsigned units, int unsigned pass);
    return pass % log2(bank_words(n, units));
  endfunction

  // Bit of C that is exchanged between passes p and p + 1.
  function automatic int unsigned exchanged_unit(int unsigned units, int unsigned pass);
    return pass < log2(units) - 1 ? pass : log2(units) - 1;
  endfunction

  // Place of a coefficient: W, C, A from the upper bit down.
  function automatic int unsigned coefficient_place(int unsigned n, int unsigned index);
    int unsigned place;
    place = index & (n / 2);
    for (int unsigned i = 0; i < log2(n) - 1; i++) begin
      if (((index >> i) & 1) != 0) place |= 1 << (log2(n) - 2 - i);
    end
    return place;
  endfunction

  // Bit of a value's index that a bit of its place is.
  function automatic int unsigned value_bit(int unsigned n, int unsigned units, int unsigned place_bit);
    int unsigned a, b;
    a = log2(bank_words(n, units));
    b = log2(units);
    if (place_bit == a + b) return a + b;
    if (place_bit == a + b - 1) return a + b - 1;
    if (place_bit >= a) return place_bit - a;
    return place_bit >= b ? place_bit - 1 : a + place_bit - 1;
  endfunction

  // Place of a value.
  function automatic int unsigned value_place(int unsigned n, int unsigned units, int unsigned index);
    int unsigned place;
    place = 0;
    for (int unsigned i = 0; i < log2(n); i++) begin
      if (((index >> value_bit(n, units, i)) & 1) != 0) place |= 1 << i;
    end
    return place;
  endfunction

  // Index of the value at a place.
  function automatic int unsigned value_index(int unsigned n, int unsigned units, int unsigned place);
    int unsigned index;
    index = 0;
    for (int unsigned i = 0; i < log2(n); i++) begin
      if (((place >> i) & 1) != 0) index |= 1 << value_bit(n, units, i);
    end
    return index;
  endfunction

  // Cycles from the read of a word to operands of the unit: bank, its output register, operand registers.
  localparam int unsigned OperandLatency = 3;

  // Cycles from results of a unit to the write: two to meet the results of the next operation, one for the word.
  localparam int unsigned ExchangeLatency = 3;

  // Cycles from the read of the first of two words to the write of the first of two words.
  function automatic int unsigned slot_latency(int unsigned unit_latency);
    return OperandLatency + unit_latency + ExchangeLatency;
  endfunction

  // Cycles that the next pass waits: it goes through the words at half the pace in which they are written.
  function automatic int unsigned pass_gap(int unsigned n, int unsigned units, int unsigned unit_latency);
    int unsigned half;
    half = bank_words(n, units) / 2;
    return slot_latency(unit_latency) > half ? slot_latency(unit_latency) - half : 0;
  endfunction

  // Cycles of an operation from its first read to its last write.
  function automatic int unsigned operation_cycles(int unsigned n, int unsigned units, int unsigned unit_latency,
                                                   operation_e operation);
    int unsigned words, passes;
    words = bank_words(n, units);
    passes = log2(n) * words + (log2(n) - 1) * pass_gap(n, units, unit_latency);
    case (operation)
      OperationForward, OperationInverse: return passes + slot_latency(unit_latency);
      OperationInverseScaled: return passes + words + slot_latency(unit_latency);
      default: return 2 * words + slot_latency(unit_latency);
    endcase
  endfunction

  // An operation of a product in Z_q[x] / f; buffers 0 and 1: operands, 2 and 3: the constants of m and of f.
  typedef struct packed {
    operation_e operation;
    half_e      half;
    logic       reversed;
    logic [1:0] source;
    logic [1:0] operand;
    logic [1:0] destination;
  } product_step_t;

  localparam int unsigned ProductSteps = 11;

  function automatic product_step_t product_step(int unsigned step);
    case (step)
      // The values of a and b, their product, c in reversed places.
      0: return {OperationForward, HalfLow, 1'b0, 2'd0, 2'd0, 2'd0};
      1: return {OperationForward, HalfLow, 1'b0, 2'd1, 2'd0, 2'd1};
      2: return {OperationProduct, HalfBoth, 1'b0, 2'd0, 2'd1, 2'd0};
      3: return {OperationInverse, HalfBoth, 1'b0, 2'd0, 2'd0, 2'd0};
      // Its high half times m, in places as they were.
      4: return {OperationForward, HalfHigh, 1'b1, 2'd0, 2'd0, 2'd1};
      5: return {OperationProduct, HalfBoth, 1'b0, 2'd1, 2'd2, 2'd1};
      6: return {OperationInverse, HalfBoth, 1'b0, 2'd1, 2'd0, 2'd1};
      // The high half of that times f, in reversed places; less than c by the product.
      7: return {OperationForward, HalfHigh, 1'b0, 2'd1, 2'd0, 2'd1};
      8: return {OperationProduct, HalfBoth, 1'b0, 2'd1, 2'd3, 2'd1};
      9: return {OperationInverse, HalfBoth, 1'b0, 2'd1, 2'd0, 2'd1};
      default: return {OperationDifference, HalfBoth, 1'b0, 2'd0, 2'd1, 2'd0};
    endcase
  endfunction

  // Cycles between two operations: the next begins when the last word is written.
  localparam int unsigned StartLatency = 2;

  // Cycles of a product in Z_q[x] / f from its first read to its last write.
  function automatic int unsigned product_cycles(int unsigned n, int unsigned units, int unsigned unit_latency);
    int unsigned cycles;
    cycles = (ProductSteps - 1) * StartLatency;
    for (int unsigned step = 0; step < ProductSteps; step++) begin
      cycles += operation_cycles(n, units, unit_latency, product_step(step).operation);
    end
    return cycles;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
