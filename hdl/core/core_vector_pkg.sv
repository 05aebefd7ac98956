// Operations and latencies of the core's vector unit (see core_vector).

package core_vector_pkg;
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;

  // A module uses what it needs.
  /* verilator lint_off UNUSEDPARAM */

  // What a lane makes of its operands; the first six have the numbers of core_pkg's vector_e.
  typedef enum logic [2:0] {
    LaneAdd = 3'd0,
    LaneSubtract = 3'd1,
    LaneNegate = 3'd2,
    LaneMultiply = 3'd3,
    LaneScale = 3'd4,
    LaneFill = 3'd5,
    LaneMove = 3'd6
  } lane_e;

  function automatic lane_e lane_operation(instruction_t instruction);
    logic unused;
    unused = ^instruction;
    case (instruction.opcode)
      OpcodeMac: return LaneMultiply;
      OpcodeAutomorphism: return LaneMove;
      default: return lane_e'(instruction.operation[2:0]);
    endcase
  endfunction

  // Whether an operation has a second operand.
  function automatic bit takes_b(lane_e operation);
    return operation == LaneAdd || operation == LaneSubtract || operation == LaneMultiply;
  endfunction

  // Bits of the largest field of the index of a Fermat ring, which is the lowest (xor_banks_pkg).
  function automatic int unsigned largest_field(int unsigned n);
    return 1 << ($clog2($clog2(n) + 1) - 1);
  endfunction

  // Whether the banks tell apart index bit m in an automorphism: the upper bits of the largest field.
  function automatic bit is_told_apart(int unsigned n, int unsigned units, int unsigned m);
    return m < largest_field(n) && m + bank_bits(units) >= largest_field(n);
  endfunction

  // Cycles of vector_lane: product; reduced addend, sum, correction.
  function automatic int unsigned vector_lane_latency(int unsigned width, int unsigned word, pipeline_e pipeline);
    return modular_multiplier_latency(ReductionMontgomery, width, word, pipeline) + 3;
  endfunction

  // Stages of lane_network between two registers.
  function automatic int unsigned lane_network_period(pipeline_e pipeline);
    return pipeline == PipelineShallow ? 2 : 1;
  endfunction

  // Cycles of lane_network, and by how many its controls precede its words.
  function automatic int unsigned lane_network_latency(int unsigned lanes, pipeline_e pipeline);
    return ceil_div($clog2(lanes), lane_network_period(pipeline));
  endfunction

  localparam int unsigned NetworkLead = 1;

  // Cycles of core_vector from the start to the first read: the slot's number, its addresses.
  localparam int unsigned VectorReadLatency = 2;

  // Cycles of core_vector from the read of a word to the write of its result.
  function automatic int unsigned vector_write_latency(int unsigned units, int unsigned width, int unsigned word,
                                                       pipeline_e pipeline);
    return BankLatency + vector_lane_latency(width, word, pipeline) + lane_network_latency(2 * units, pipeline);
  endfunction

  // Cycles of an instruction, from its start to the next possible one. Each word is a sum of `terms` reads.
  function automatic int unsigned vector_cycles(int unsigned n, int unsigned units, int unsigned terms,
                                                int unsigned width, int unsigned word, pipeline_e pipeline);
    return (terms << slot_bits(n, units)) + VectorReadLatency + vector_write_latency(units, width, word, pipeline);
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
