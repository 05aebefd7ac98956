// The core's instructions, errors, and what its units say to each other (docs/machines/core.md).
//
// A unit takes an instruction with start_i while it is idle, and says done_o for one cycle when its last word is written;
// with done_o comes its error, ErrorNone if there is none. It is idle from the next cycle on. A unit may read its
// buffers from the cycle after start_i on.

package core_pkg;
  import ringmill_pkg::*;
  import xor_banks_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // The engine of the transform unit, as WORDS names it.
  typedef enum int unsigned {
    EngineXorBanks = 0,
    EngineDedicatedRead = 1
  } engine_e;

  typedef enum logic [7:0] {
    OpcodeLoad = 8'h01,
    OpcodeConstants = 8'h02,
    OpcodeStore = 8'h03,
    OpcodeTable = 8'h04,
    OpcodeNtt = 8'h10,
    OpcodeVector = 8'h20,
    OpcodeMac = 8'h21,
    OpcodeAutomorphism = 8'h22,
    OpcodeWait = 8'h30,
    OpcodeInterrupt = 8'h31,
    OpcodeConvert = 8'h40
  } opcode_e;

  // Operations of OpcodeVector.
  typedef enum logic [2:0] {
    VectorAdd = 3'd0,
    VectorSubtract = 3'd1,
    VectorNegate = 3'd2,
    VectorMultiply = 3'd3,
    VectorScale = 3'd4,
    VectorFill = 3'd5
  } vector_e;

  typedef enum logic [4:0] {
    ErrorNone = 5'd0,
    ErrorInstruction = 5'd1,
    ErrorBuffer = 5'd2,
    ErrorSlot = 5'd3,
    ErrorEmpty = 5'd4,
    ErrorModulus = 5'd5,
    ErrorInUse = 5'd6,
    ErrorMisaligned = 5'd7,
    ErrorOutside = 5'd8,
    ErrorConstant = 5'd9,
    ErrorShift = 5'd10,
    ErrorWord = 5'd11,
    ErrorBlock = 5'd12,
    ErrorRead = 5'd13,
    ErrorWrite = 5'd14,
    ErrorDescriptor = 5'd15,
    ErrorTail = 5'd16,
    ErrorDoubts = 5'd17,
    ErrorTable = 5'd18,
    ErrorRows = 5'd19
  } error_e;

  // The units, in the order of their counters.
  typedef enum logic [2:0] {
    UnitLoad = 3'd0,
    UnitStore = 3'd1,
    UnitTransform = 3'd2,
    UnitVector = 3'd3,
    UnitConversion = 3'd4
  } unit_e;
  localparam int unsigned UnitCount = 5;

  // Widths that hold any core's numbers of buffers, and of slots and tables.
  localparam int unsigned BufferWidth = 5;
  localparam int unsigned SlotWidth = 4;
  localparam int unsigned MaxLimbs = 1 << BufferWidth;
  localparam int unsigned MaxSlots = 1 << SlotWidth;

  // The most rows of a buffer, as a logarithm.
  localparam int unsigned MaxLogRows = 5;

  // A checked instruction, as units take it.
  typedef struct packed {
    opcode_e opcode;
    logic [MaxLogRows-1:0] operation;  // vector_e, whether an NTT is inverse, or a strip
    logic [BufferWidth-1:0] destination;
    logic [BufferWidth-1:0] a;
    logic [BufferWidth-1:0] b;
    logic [SlotWidth-1:0] slot;
    logic [BufferWidth:0] count;
    logic [63:0] immediate;
  } instruction_t;

  // Whether an instruction's slot is the number of a table, and whether it is that of a slot: rows have none.
  function automatic logic names_table(instruction_t instruction);
    logic unused;
    unused = ^instruction;
    return instruction.opcode inside {OpcodeTable, OpcodeConvert};
  endfunction

  function automatic logic is_of_rows(instruction_t instruction);
    logic unused;
    unused = ^instruction;
    return instruction.opcode inside {OpcodeLoad, OpcodeStore} && instruction.count != '0;
  endfunction

  function automatic logic names_slot(instruction_t instruction);
    return !names_table(instruction) && !is_of_rows(instruction);
  endfunction

  // A descriptor: bytes, and its words and fields.
  localparam int unsigned DescriptorBytes = 32;

  typedef struct packed {
    logic [127:0] unused;  // words 3 and 2
    logic [63:0] immediate;
    logic [7:0] top;
    logic [7:0] count;
    logic [7:0] slot;
    logic [7:0] b;
    logic [7:0] a;
    logic [7:0] destination;
    logic [7:0] operation;
    logic [7:0] opcode;
  } descriptor_t;

  // The alignment of addresses.
  localparam int unsigned Alignment = 64;

  // Words of 64 bits in a constants block: the modulus and seven zeros, the constants, zeros up to a multiple of eight.
  localparam int unsigned BlockHead = 8;

  function automatic int unsigned constant_count(int unsigned n, int unsigned units, engine_e engine);
    return engine == EngineXorBanks ? factor_count(n, units, RingFermat) : dedicated_read_pkg::constant_count(n, units);
  endfunction

  function automatic int unsigned block_words(int unsigned n, int unsigned units, engine_e engine);
    return BlockHead + 8 * ceil_div(constant_count(n, units, engine), 8);
  endfunction

  // Words of 64 bits in a table of conversions: the shape and seven zeros, primes of sources and targets, factors.
  localparam int unsigned TableHead = 8;
  localparam int unsigned TablePrimes = 32;  // of sources, and of targets
  localparam int unsigned TableFactorBits = 10;
  localparam int unsigned TableFactors = 1 << TableFactorBits;
  localparam int unsigned TableWords = TableHead + 2 * TablePrimes + TableFactors;
  localparam int unsigned TableWordWidth = $clog2(TableWords);

  // The operands of a conversion.
  typedef struct packed {
    logic low;  // v is the low word of the sum of fractions
    logic half;  // rounds to the nearest
    logic own;  // has words that were modulo the targets before
    logic [5:0] targets;  // 1 to 32
    logic [4:0] sources;  // 1 to 31
  } shape_t;

  // Counters, in the order of their registers. Those of units have one for each.
  localparam int unsigned CounterCycles = 0;
  localparam int unsigned CounterWorking = 1;
  localparam int unsigned CounterWaiting = 5;
  localparam int unsigned CounterStarved = 9;
  localparam int unsigned CounterFull = 10;
  localparam int unsigned CounterHeld = 11;
  localparam int unsigned CounterReadStalled = 12;
  localparam int unsigned CounterWriteStalled = 13;
  localparam int unsigned CounterBytesRead = 14;
  localparam int unsigned CounterBytesWritten = 15;
  localparam int unsigned CounterConversion = 16;
  localparam int unsigned CounterConversionWaiting = 17;
  localparam int unsigned CounterCount = 18;

  // Cycles of core_check.
  localparam int unsigned CheckLatency = 2;

  // Beats of a burst, and the bytes that it does not cross.
  localparam int unsigned BurstBeats = 16;
  localparam int unsigned BurstBoundary = 4096;

  /* verilator lint_on UNUSEDPARAM */

endpackage
