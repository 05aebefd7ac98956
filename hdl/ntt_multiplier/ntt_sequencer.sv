// The order of slots: passes, gaps, products, jobs (see ntt_multiplier_pkg).
//
// A job starts when its input is complete and as many result buffers are free as it has products; a started job
// never waits, so its number of cycles is job_latency(N, Units, products) whatever the words and the link do.
//
// Ports: clk_i, rst_ni; one bit an input buffer (filled in turn): input_full_i, input_double_i (two products),
// input_free_o (a pulse: the job has read it); result_free_i, a pulse when a result buffer has been sent; issue_o, the
// slot to read now; active_o, a job is being issued.
// Latency: 2 from input_full_i to the first slot on issue_o; 2 idle cycles between jobs.

`include "assertions.svh"

module ntt_sequencer
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned ResultBuffers = 4
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [1:0]  input_full_i,
    input  logic [1:0]  input_double_i,
    output logic [1:0]  input_free_o,
    input  logic        result_free_i,
    output issue_t      issue_o,
    output logic        active_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SlotBits = slot_bits(N, Units);
  localparam int unsigned Steps = step_count(N);
  localparam int unsigned StepWidth = index_width(Steps);
  localparam int unsigned FusedStep = fused_step(N);
  localparam int unsigned GapWidth = 4;
  localparam int unsigned FreeWidth = index_width(ResultBuffers + 1);

  // What depends on the step alone.
  typedef struct packed {
    logic [ClassWidth-1:0] pair_class;
    logic [ClassWidth-1:0] start;
    logic [GapWidth-1:0]   gap;
  } step_t;

  function automatic step_t [Steps-1:0] step_table();
    step_t [Steps-1:0] result;
    for (int unsigned step = 0; step < Steps; step++) begin
      result[step].pair_class = ClassWidth'(step_class(N, Units, step));
      result[step].start = ClassWidth'(window_start(N, Units, step));
      result[step].gap = GapWidth'(step_gap(N, Units, step));
    end
    return result;
  endfunction

  localparam step_t [Steps-1:0] StepTable = step_table();

  typedef enum logic [1:0] {
    StateIdle,
    StateIssue,
    StateGap
  } state_e;

  state_e state_q;
  logic [StepWidth-1:0] step_q;
  logic [SlotBits-1:0] slot_q;
  logic second_q;
  logic double_q;
  logic product_q;
  logic [GapWidth-1:0] gap_q;
  logic input_region_q;
  logic [1:0] result_region_q;
  logic [FactorAddressWidth-1:0] factor_q;
  logic [FreeWidth-1:0] free_q;

  step_t now;
  logic fused;
  logic last_slot;
  logic last_step;
  logic last_of_job;
  logic start;
  logic input_read;

  assign now = StepTable[step_q];
  assign fused = step_q == StepWidth'(FusedStep);
  assign last_slot = &slot_q && (!fused || second_q);
  assign last_step = step_q == StepWidth'(Steps - 1);
  assign last_of_job = product_q == double_q;
  assign start = state_q == StateIdle && input_full_i[input_region_q]
      && free_q >= (input_double_i[input_region_q] ? FreeWidth'(2) : FreeWidth'(1));

  assign active_o = state_q != StateIdle;
  assign input_read = state_q == StateIssue && step_q == '0 && last_slot;
  assign input_free_o = {input_read && input_region_q, input_read && !input_region_q};

  // Where the job goes on after a pass.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (start) state_q <= StateIssue;
        StateIssue: begin
          if (last_slot) begin
            if (last_step) state_q <= last_of_job ? StateIdle : StateIssue;
            else if (now.gap != '0) state_q <= StateGap;
          end
        end
        default: if (gap_q == GapWidth'(1)) state_q <= StateIssue;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      step_q <= '0;
      slot_q <= '0;
      second_q <= 1'b0;
      product_q <= 1'b0;
      double_q <= input_double_i[input_region_q];
      factor_q <= '0;
    end else if (state_q == StateIssue) begin
      second_q <= fused && !second_q;
      if (!fused || second_q) slot_q <= slot_q + 1'b1;
      factor_q <= factor_q + 1'b1;
      if (last_slot) begin
        step_q <= last_step ? StepWidth'(FusedStep) : step_q + 1'b1;
        gap_q <= now.gap;
        if (last_step) begin
          factor_q <= FactorAddressWidth'(operand1_base(N, Units));
          product_q <= 1'b1;
        end else if (fused) begin
          factor_q <= FactorAddressWidth'(inverse_base(N, Units));
        end
      end
    end else begin
      gap_q <= gap_q - 1'b1;
    end
  end

  // Buffers are taken in turn.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      input_region_q <= 1'b0;
      result_region_q <= '0;
      free_q <= FreeWidth'(ResultBuffers);
    end else begin
      if (input_read) input_region_q <= !input_region_q;
      if (state_q == StateIssue && last_slot && last_step) result_region_q <= result_region_q + 1'b1;
      free_q <= free_q + FreeWidth'(result_free_i)
          - (!start ? '0 : input_double_i[input_region_q] ? FreeWidth'(2) : FreeWidth'(1));
    end
  end

  // Parities of the slot's bits of each class, and the address in bank 0.
  logic [BankBits-1:0] parity;
  logic [SlotBits-1:0] base;
  logic [SlotBits-1:0] mask;

  always_comb begin
    parity = '0;
    for (int unsigned i = 0; i < SlotBits; i++) parity[i%BankBits] = parity[i%BankBits] ^ slot_q[i];
    for (int unsigned a = 0; a < SlotBits; a++) begin
      mask[a] = ClassWidth'(a) < now.start && ClassWidth'(a + BankBits) >= now.start;
      if (ClassWidth'(a) >= now.start) base[a] = slot_q[a];
      else if (mask[a]) base[a] = parity[a%BankBits];
      else base[a] = slot_q[(a+BankBits)%SlotBits];
    end
  end

  issue_t issue;
  always_comb begin
    issue.valid = state_q == StateIssue;
    issue.from_input = step_q == '0;
    issue.read_region = step_q == '0 ? input_region_q
        : step_q > StepWidth'(FusedStep) ? RegionInverse : RegionForward;
    issue.base = AddressWidth'(base);
    issue.mask = AddressWidth'(mask);
    issue.factor = factor_q;
    issue.pair_class = now.pair_class;
    issue.parity = parity[now.pair_class[index_width(BankBits)-1:0]];
    issue.fused = fused;
    issue.second = second_q;
    issue.to_result = last_step;
    issue.write_region = last_step ? result_region_q
        : step_q >= StepWidth'(FusedStep) ? {1'b0, RegionInverse} : {1'b0, RegionForward};
    issue.first = step_q == '0 && slot_q == '0;
    issue.last = last_step && last_slot;
    issue.last_of_job = last_of_job;
  end

  always_ff @(posedge clk_i) begin
    issue_o <= issue;
    if (!rst_ni) issue_o.valid <= 1'b0;
  end

  `RINGMILL_ASSERT(FreeBuffers, free_q <= FreeWidth'(ResultBuffers), clk_i, !rst_ni)
  `RINGMILL_ASSERT(GapCounts, state_q == StateGap |-> gap_q != '0, clk_i, !rst_ni)

  if (SlotBits > AddressWidth || BankBits > 1 << ClassWidth) begin : gen_check_size
    $error("ntt_sequencer: N or Units is greater than the widths of ntt_multiplier_pkg allow");
  end
  if (ResultBuffers != 2 && ResultBuffers != 4) begin : gen_check_buffers
    $error("ntt_sequencer: ResultBuffers must be 2 or 4");
  end

endmodule
