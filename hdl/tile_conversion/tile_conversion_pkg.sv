// Sizes, latencies and operations of the conversions on tiles (docs/machines/tile-conversion.md).

package tile_conversion_pkg;
  import ringmill_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  localparam pipeline_e Pipeline = PipelineDeep;

  // Words of a tile, and how many of them it multiplies in a cycle.
  localparam int unsigned WordWidth = 32;
  localparam int unsigned Lanes = 3;

  // Addresses of triples of words and of constants, and of operations.
  localparam int unsigned TripleBits = 7;
  localparam int unsigned ConstantBits = 13;
  localparam int unsigned OperationBits = 9;

  // Triples of an operation: with 42 of them a sum has up to 126 products of 64 bits, and what is left of the one before.
  localparam int unsigned CountBits = 6;

  // Sums are reduced as products of two words of this width, for primes that are 1 modulo 2^16.
  localparam int unsigned ReductionWidth = 36;
  localparam int unsigned ReductionWord = 16;
  localparam int unsigned SumWidth = 2 * ReductionWidth;

  // Cycles from the read of a triple to its words, their products, the sum of the three, and the sum with those before;
  // from there to its residue, which is when results are written.
  localparam int unsigned OperandLatency = 2;
  localparam int unsigned ProductLatency = OperandLatency + integer_multiplier_latency(WordWidth, Pipeline);
  localparam int unsigned PartLatency = ProductLatency + 1;
  localparam int unsigned SumLatency = PartLatency + 1;
  localparam int unsigned ResidueLatency = montgomery_latency(ReductionWidth, ReductionWord, Pipeline);
  localparam int unsigned TileLatency = SumLatency + ResidueLatency;
  localparam int unsigned ModulusLead = montgomery_lead(Pipeline);

  // What becomes of a sum.
  typedef enum logic [1:0] {
    KindKeep,
    KindWord,
    KindResidue
  } kind_e;

  // What a sum begins with; ChainHold leaves it as it is.
  typedef enum logic [1:0] {
    ChainFresh,
    ChainContinue,
    ChainShift,
    ChainHold
  } chain_e;

  // An operation, as the program has it.
  typedef struct packed {
    logic [WordWidth-1:0] modulus;
    logic [TripleBits-1:0] address;  // of the result
    logic [1:0] bank;
    logic [CountBits-1:0] triples;
    logic [ConstantBits-1:0] constants;
    logic [TripleBits-1:0] operand;
    logic waits;  // for all results
    chain_e chain;
    kind_e kind;
  } operation_t;

  // What tiles write, when the result is there.
  typedef struct packed {
    logic valid;
    logic residue;  // or the sum's low word
    logic [1:0] bank;
    logic [TripleBits-1:0] address;
  } result_t;

  /* verilator lint_on UNUSEDPARAM */

endpackage
