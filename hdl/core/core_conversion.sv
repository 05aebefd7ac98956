// The core's conversion unit: exact changes of primes, a column a lane (docs/machines/core-conversion.md).
//
// A column's source words become y_i, their fractions v, and both the results. The phases of three slots take turns: in
// step s the lanes make y_i of slot s, fractions of slot s - 1 and results of slot s - 2. Nothing waits: whatever a phase
// reads was made a step before. The phase of results takes as long as the way through a lane, if it is shorter; in the
// first two steps, which have no results, just as long.
//
// Ports: clk_i, rst_ni; clear_i, empties the queue of doubts; start_i, while idle, with instruction_i, a checked one of
// OpcodeConvert, and shape_i, that of its table; done_o, one cycle, with the last write, and error_o. Tables: table_write_i
// and what conversion_table has. Reads: read_o, buffer, address (one for all banks), a word a bank BankLatency later;
// writes: write_o, buffer_o, address_o, data_o. Doubts: the queue's count, the number of the conversion since clear and the
// slot of its first entry; doubt_pop_i.
// Latency: conversion_cycles(...) from a start to the next possible one.

`include "assertions.svh"

module core_conversion
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
  import core_conversion_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter int unsigned Tables = 2,
    parameter int unsigned Doubts = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        clear_i,
    input  logic                        start_i,
    input  instruction_t                instruction_i,
    input  shape_t                      shape_i,
    output logic                        done_o,
    output error_e                      error_o,

    input  logic                        table_write_i,
    input  logic [SlotWidth-1:0]        table_i,
    input  logic [TableWordWidth-1:0]   table_word_i,
    input  logic [Width-1:0]            table_data_i,

    output logic                        read_o,
    output logic [BufferWidth-1:0]      read_buffer_o,
    output logic [SlotBits-1:0]         read_address_o,
    input  logic [Banks-1:0][Width-1:0] read_data_i,
    output logic                        write_o,
    output logic [BufferWidth-1:0]      write_buffer_o,
    output logic [SlotBits-1:0]         write_address_o,
    output logic [Banks-1:0][Width-1:0] write_data_o,

    output logic [7:0]                  doubts_o,
    output logic [31:0]                 doubt_conversion_o,
    output logic [SlotBits-1:0]         doubt_slot_o,
    input  logic                        doubt_pop_i
);

  localparam int unsigned Product = lane_product_latency(Width, Pipeline);
  localparam int unsigned Residue = lane_residue_latency(Width, Word, Pipeline);
  localparam int unsigned Latency = lane_latency(Width, Word, Pipeline);
  localparam int unsigned Lead = montgomery_lead(Pipeline);
  localparam int unsigned StepBits = SlotBits + 2;
  localparam int unsigned PadBits = $clog2(Latency + 1);
  localparam int unsigned RowBits = LaneRowBits + 1;  // of a row behind the first one of an operand

  typedef enum logic [1:0] {
    PhaseY,
    PhaseFraction,
    PhaseResult,
    PhaseWait
  } phase_e;

  // A row of a buffer, as an instruction names it.
  typedef struct packed {
    logic [BufferWidth-1:0] buffer;
    logic [MaxLogRows-1:0] row;
  } row_t;

  // Where a row's slot is.
  typedef struct packed {
    logic [BufferWidth-1:0] buffer;
    logic [SlotBits-1:0] address;
  } place_t;

  // What goes down the lanes with a product.
  typedef struct packed {
    logic from_bank;
    fraction_t fraction;
    residue_t residue;
    logic last;  // of a sum
    place_t place;  // of the sum
    logic [SlotBits-1:0] slot;  // of v
  } control_t;

  // The instruction, and where it is.
  instruction_t instruction_q;
  shape_t shape_q;
  logic active_q;
  phase_e phase_q;
  logic [StepBits-1:0] step_q;
  logic [LaneRowBits-1:0] source_q;
  logic high_q;
  logic [LaneRowBits-1:0] target_q;
  logic [RowBits-1:0] term_q;
  logic [TableFactorBits-1:0] factor_q;
  logic [PadBits-1:0] pad_q;  // cycles of the phase of results so far, up to Latency

  logic [2:0] log_rows;
  logic [StepBits-1:0] slots;
  logic [RowBits-1:0] last_term;
  logic source_last;
  logic padded;
  logic has_y;
  logic has_fraction;
  logic has_result;
  logic phase_last;
  logic step_last;
  logic last;

  assign log_rows = instruction_q.count[2:0];
  assign slots = StepBits'(1 << SlotBits) >> log_rows;
  assign last_term = RowBits'(shape_q.sources) + RowBits'(shape_q.own);
  assign source_last = 32'(source_q) + 1 == 32'(shape_q.sources);
  assign padded = pad_q == PadBits'(Latency - 1) || pad_q == PadBits'(Latency);
  assign has_y = step_q < slots;
  assign has_fraction = step_q != '0 && step_q <= slots;
  assign has_result = step_q > StepBits'(1);

  always_comb begin
    case (phase_q)
      PhaseY: phase_last = source_last;
      PhaseFraction: phase_last = source_last && high_q;
      PhaseResult: phase_last = term_q == last_term && 32'(target_q) + 1 == 32'(shape_q.targets);
      default: phase_last = padded;
    endcase
  end

  assign step_last = (phase_q == PhaseResult && phase_last && padded) || (phase_q == PhaseWait && padded);
  assign last = step_last && step_q == slots + StepBits'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      instruction_q <= instruction_i;
      shape_q <= shape_i;
      step_q <= '0;
    end else if (step_last) begin
      step_q <= step_q + 1'b1;
    end
    if (start_i || step_last) begin
      phase_q <= PhaseY;
      source_q <= '0;
      high_q <= 1'b0;
      target_q <= '0;
      term_q <= '0;
      factor_q <= '0;
      pad_q <= '0;
    end else begin
      if (phase_q != PhaseWait) factor_q <= factor_q + 1'b1;
      case (phase_q)
        PhaseY: begin
          source_q <= source_last ? '0 : source_q + 1'b1;
          if (phase_last) phase_q <= PhaseFraction;
        end
        PhaseFraction: begin
          high_q <= !high_q;
          if (high_q) source_q <= source_q + 1'b1;
          if (phase_last) phase_q <= has_result ? PhaseResult : PhaseWait;
        end
        PhaseResult: begin
          term_q <= term_q == last_term ? '0 : term_q + 1'b1;
          if (term_q == last_term) target_q <= target_q + 1'b1;
          if (phase_last) phase_q <= PhaseWait;
          if (!padded) pad_q <= pad_q + 1'b1;
          else pad_q <= PadBits'(Latency);
        end
        default: if (!padded) pad_q <= pad_q + 1'b1;
      endcase
    end
  end

  // Rows and the slots of each phase.
  function automatic place_t place_of(row_t first, logic [RowBits-1:0] behind, logic [StepBits-1:0] slot,
                                      logic [2:0] log);
    logic [RowBits:0] row;
    logic [MaxLogRows-1:0] low_row;
    logic unused;
    row = (RowBits + 1)'(first.row) + (RowBits + 1)'(behind);
    low_row = row[MaxLogRows-1:0] & ~(MaxLogRows'('1) << log);
    unused = ^slot;
    return '{
        buffer: first.buffer + BufferWidth'(row >> log),
        address: SlotBits'({low_row, SlotBits'(0)} >> log) | slot[SlotBits-1:0]
    };
  endfunction

  row_t sources;
  row_t own;
  row_t destination;
  logic [StepBits-1:0] fraction_slot;
  logic [StepBits-1:0] result_slot;
  logic issue_y;
  logic issue_fraction;
  logic issue_result;
  logic issue_own;

  assign sources = '{buffer: instruction_q.a, row: instruction_q.immediate[MaxLogRows-1:0]};
  assign own = '{buffer: instruction_q.b, row: instruction_q.immediate[8+:MaxLogRows]};
  assign destination = '{buffer: instruction_q.destination, row: instruction_q.immediate[16+:MaxLogRows]};
  assign fraction_slot = step_q - StepBits'(1);
  assign result_slot = step_q - StepBits'(2);
  assign issue_y = active_q && phase_q == PhaseY && has_y;
  assign issue_fraction = active_q && phase_q == PhaseFraction && has_fraction;
  assign issue_result = active_q && phase_q == PhaseResult;
  assign issue_own = phase_q == PhaseResult && shape_q.own && term_q == '0;

  // The issue: what is read, and what goes with it.
  control_t control;
  control_t [Latency:0] control_q;
  logic [LaneColumnBits-1:0] column_q;
  logic [LaneRowBits-1:0] row_q;
  logic [LaneRowBits:0] prime_q;
  logic [TableFactorBits-1:0] factor_read_q;
  place_t read_place;

  always_comb begin
    control = '0;
    control.from_bank = phase_q == PhaseY || issue_own;
    control.fraction = '{
        fraction: issue_fraction,
        fraction_first: source_q == '0 && !high_q,
        fraction_low: !high_q
    };
    control.residue.y = issue_y;
    control.residue.v = issue_fraction && phase_last;
    control.residue.column = issue_y ? step_q[LaneColumnBits-1:0] : fraction_slot[LaneColumnBits-1:0];
    control.residue.row = issue_y ? source_q : shape_q.sources;
    control.residue.first = term_q == '0;
    control.last = issue_result && term_q == last_term;
    control.place = place_of(destination, RowBits'(target_q), result_slot, log_rows);
    control.slot = fraction_slot[SlotBits-1:0];
    read_place = phase_q == PhaseY ? place_of(sources, RowBits'(source_q), step_q, log_rows)
                                   : place_of(own, RowBits'(target_q), result_slot, log_rows);
  end

  always_ff @(posedge clk_i) begin
    control_q <= {control_q[Latency-1:0], control};
    read_o <= rst_ni && (issue_y || (active_q && issue_own));
    read_buffer_o <= read_place.buffer;
    read_address_o <= read_place.address;
    column_q <= phase_q == PhaseFraction ? fraction_slot[LaneColumnBits-1:0] : result_slot[LaneColumnBits-1:0];
    row_q <= phase_q == PhaseFraction ? source_q : LaneRowBits'(term_q - RowBits'(shape_q.own));
    prime_q <= phase_q == PhaseY ? {1'b0, source_q} : {1'b1, target_q};
    factor_read_q <= factor_q;
  end

  // Primes and factors.
  logic [Width-1:0] prime;
  logic [Width-1:0] factor;
  logic [Width-1:0] product_modulus;
  logic [Width-1:0] sum_modulus;
  logic [Width-1:0] last_modulus;

  conversion_table #(
      .Tables(Tables),
      .Width(Width)
  ) u_table (
      .clk_i,
      .write_i(table_write_i),
      .write_table_i(table_i),
      .write_word_i(table_word_i),
      .write_data_i(table_data_i),
      .read_table_i(instruction_q.slot),
      .prime_i(prime_q),
      .factor_i(factor_read_q),
      .prime_o(prime),
      .factor_o(factor)
  );

  delay_line #(
      .Width(Width),
      .Depth(Product - Lead - OperandLatency)
  ) u_product_modulus (
      .clk_i,
      .enable_i(1'b1),
      .data_i(prime),
      .data_o(product_modulus)
  );

  delay_line #(
      .Width(Width),
      .Depth(Residue - Product + Lead)
  ) u_sum_modulus (
      .clk_i,
      .enable_i(1'b1),
      .data_i(product_modulus),
      .data_o(sum_modulus)
  );

  delay_line #(
      .Width(Width),
      .Depth(2)
  ) u_last_modulus (
      .clk_i,
      .enable_i(1'b1),
      .data_i(sum_modulus),
      .data_o(last_modulus)
  );

  // Lanes.
  logic [Banks-1:0] doubts;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_lane
    conversion_lane #(
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline)
    ) u_lane (
        .clk_i,
        .column_i(column_q),
        .row_i(row_q),
        .word_i(read_data_i[bank]),
        .from_bank_i(control_q[OperandLatency].from_bank),
        .constant_i(factor),
        .fraction_i(control_q[Product].fraction),
        .half_i(shape_q.half),
        .low_i(shape_q.low),
        .modulus_i(product_modulus),
        .residue_i(control_q[Residue].residue),
        .sum_modulus_i(sum_modulus),
        .last_modulus_i(last_modulus),
        .doubt_o(doubts[bank]),
        .result_o(write_data_o[bank])
    );
  end

  // Valid bits that are reset: of sums, of the end, and of doubts.
  logic [Latency:0] write_q;
  logic [Latency:0] last_q;
  logic [Residue:0] quotient_q;

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni ? {write_q[Latency-1:0], control.last} : '0;
    last_q <= rst_ni ? {last_q[Latency-1:0], active_q && last} : '0;
    quotient_q <= rst_ni ? {quotient_q[Residue-1:0], control.residue.v} : '0;
  end

  assign write_o = write_q[Latency];
  assign write_buffer_o = control_q[Latency].place.buffer;
  assign write_address_o = control_q[Latency].place.address;
  assign done_o = last_q[Latency];

  // Doubts.
  logic doubt;
  logic queue_full;
  logic lost_q;
  logic [31:0] conversion_q;  // the number of the next conversion

  assign doubt = quotient_q[Residue] && (|doubts);

  doubt_queue #(
      .Places(Doubts),
      .Width(32 + SlotBits)
  ) u_doubts (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i(doubt),
      .entry_i({conversion_q - 32'd1, control_q[Residue].slot}),
      .full_o(queue_full),
      .pop_i(doubt_pop_i),
      .count_o(doubts_o[$clog2(Doubts+1)-1:0]),
      .first_o({doubt_conversion_o, doubt_slot_o})
  );

  if ($clog2(Doubts + 1) < 8) begin : gen_count
    assign doubts_o[7:$clog2(Doubts+1)] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) conversion_q <= '0;
    else if (start_i) conversion_q <= conversion_q + 32'd1;
    if (start_i) lost_q <= 1'b0;
    else if (doubt && queue_full) lost_q <= 1'b1;
  end

  assign error_o = lost_q ? ErrorDoubts : ErrorNone;

  logic unused;
  assign unused = ^{instruction_q, control_q, fraction_slot};

  `RINGMILL_ASSERT(StartWhileIdle, start_i |-> !active_q && last_q == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Opcode, start_i |-> instruction_i.opcode == OpcodeConvert, clk_i, !rst_ni)
  `RINGMILL_ASSERT(NoWriteAfterEnd, done_o |-> !active_q, clk_i, !rst_ni)

  if (Width < 24 || Width > 63) begin : gen_check_width
    $error("core_conversion: Width must be from 24 to 63");
  end

endmodule
