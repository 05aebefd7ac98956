// The order of slots: passes, gaps, products, jobs (see ntt_multiplier_pkg).
//
// A job starts when its input is complete and as many result buffers are free as it has products; a started job
// never waits, so its number of cycles is job_latency(N, Units, Pipeline, products) whatever the words, the link and
// the other job do. With two threads each has every second cycle: their states stand in a ring that turns by one each
// cycle. Buffers are given to jobs in the order of their start.
//
// Ports: clk_i, rst_ni; one bit an input buffer (filled in turn): input_full_i, input_double_i (two products),
// input_free_o (a pulse: the job has read it); result_free_i, a pulse when a result buffer has been sent; issue_o, the
// slot to read now; active_o, a job is being issued.
// Latency: 2 from input_full_i to the first slot on issue_o, and 1 until it is a thread's turn; 2 idle turns between
// the jobs of a thread.

`include "assertions.svh"

module ntt_sequencer
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned ResultBuffers = 4,
    parameter pipeline_e Pipeline = PipelineDeep
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
  localparam int unsigned Threads = thread_count(N, Units, Pipeline);
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
      result[step].gap = GapWidth'(step_gap(N, Units, Pipeline, step));
    end
    return result;
  endfunction

  localparam step_t [Steps-1:0] StepTable = step_table();

  typedef enum logic [1:0] {
    StateIdle,
    StateIssue,
    StateGap
  } state_e;

  // A job, or the place for one.
  typedef struct packed {
    state_e state;
    logic [StepWidth-1:0] step;
    logic [SlotBits-1:0] slot;
    logic second;
    logic two_products;
    logic product;
    logic [GapWidth-1:0] gap;
    logic input_region;
    logic [1:0] result_region;
    logic [FactorAddressWidth-1:0] factor;
  } job_t;

  // The last of the ring has its turn.
  job_t [Threads-1:0] job_q;
  job_t job;
  job_t next;
  logic thread;

  // What the next job to start gets.
  logic input_region_q;
  logic [1:0] result_region_q;
  logic [FreeWidth-1:0] free_q;
  logic [1:0] needed;

  step_t now;
  logic fused;
  logic last_slot;
  logic last_step;
  logic last_of_job;
  logic start;
  logic input_read;

  assign job = job_q[Threads-1];
  assign now = StepTable[job.step];
  assign fused = job.step == StepWidth'(FusedStep);
  assign last_slot = &job.slot && (!fused || job.second);
  assign last_step = job.step == StepWidth'(Steps - 1);
  assign last_of_job = job.product == job.two_products;
  assign needed = input_double_i[input_region_q] ? 2'd2 : 2'd1;
  assign start = job.state == StateIdle && input_full_i[input_region_q] && free_q >= FreeWidth'(needed);
  assign input_read = job.state == StateIssue && job.step == '0 && last_slot;
  assign input_free_o = {input_read && job.input_region, input_read && !job.input_region};

  always_comb begin
    active_o = 1'b0;
    for (int unsigned i = 0; i < Threads; i++) active_o = active_o || job_q[i].state != StateIdle;
  end

  // Where a job goes on.
  always_comb begin
    next = job;
    case (job.state)
      StateIdle: begin
        next = '0;
        next.state = start ? StateIssue : StateIdle;
        next.two_products = input_double_i[input_region_q];
        next.input_region = input_region_q;
        next.result_region = result_region_q;
      end
      StateIssue: begin
        next.second = fused && !job.second;
        if (!fused || job.second) next.slot = job.slot + 1'b1;
        next.factor = job.factor + 1'b1;
        next.gap = now.gap;
        if (last_slot) begin
          next.step = last_step ? StepWidth'(FusedStep) : job.step + 1'b1;
          if (last_step) begin
            next.state = last_of_job ? StateIdle : StateIssue;
            next.factor = FactorAddressWidth'(operand1_base(N, Units));
            next.product = 1'b1;
            next.result_region = job.result_region + 1'b1;
          end else begin
            if (now.gap != '0) next.state = StateGap;
            if (fused) next.factor = FactorAddressWidth'(inverse_base(N, Units));
          end
        end
      end
      default: begin
        next.gap = job.gap - 1'b1;
        if (job.gap == GapWidth'(1)) next.state = StateIssue;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    job_q[0] <= next;
    for (int unsigned i = 1; i < Threads; i++) job_q[i] <= job_q[i-1];
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Threads; i++) job_q[i].state <= StateIdle;
    end
  end

  if (Threads == 1) begin : gen_alone
    assign thread = 1'b0;
  end else begin : gen_turns
    logic thread_q;
    always_ff @(posedge clk_i) thread_q <= rst_ni && !thread_q;
    assign thread = thread_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      input_region_q <= 1'b0;
      result_region_q <= '0;
      free_q <= FreeWidth'(ResultBuffers);
    end else begin
      if (start) begin
        input_region_q <= !input_region_q;
        result_region_q <= result_region_q + needed;
      end
      free_q <= free_q + FreeWidth'(result_free_i) - (start ? FreeWidth'(needed) : '0);
    end
  end

  // Parities of the slot's bits of each class, and the address in bank 0.
  logic [BankBits-1:0] parity;
  logic [SlotBits-1:0] base;
  logic [SlotBits-1:0] mask;

  always_comb begin
    parity = '0;
    for (int unsigned i = 0; i < SlotBits; i++) parity[i%BankBits] = parity[i%BankBits] ^ job.slot[i];
    for (int unsigned a = 0; a < SlotBits; a++) begin
      mask[a] = ClassWidth'(a) < now.start && ClassWidth'(a + BankBits) >= now.start;
      if (ClassWidth'(a) >= now.start) base[a] = job.slot[a];
      else if (mask[a]) base[a] = parity[a%BankBits];
      else base[a] = job.slot[(a+BankBits)%SlotBits];
    end
  end

  issue_t issue;
  always_comb begin
    issue.valid = job.state == StateIssue;
    issue.thread = thread;
    issue.from_input = job.step == '0;
    issue.read_region = job.step == '0 ? {1'b0, job.input_region}
        : {thread, job.step > StepWidth'(FusedStep) ? RegionInverse : RegionForward};
    issue.base = AddressWidth'(base);
    issue.mask = AddressWidth'(mask);
    issue.factor = job.factor;
    issue.pair_class = now.pair_class;
    issue.parity = parity[now.pair_class[index_width(BankBits)-1:0]];
    issue.fused = fused;
    issue.second = job.second;
    issue.to_result = last_step;
    issue.write_region = last_step ? job.result_region
        : {thread, job.step >= StepWidth'(FusedStep) ? RegionInverse : RegionForward};
    issue.first = job.step == '0 && job.slot == '0;
    issue.last = last_step && last_slot;
    issue.last_of_job = last_of_job;
  end

  always_ff @(posedge clk_i) begin
    issue_o <= issue;
    if (!rst_ni) issue_o.valid <= 1'b0;
  end

  `RINGMILL_ASSERT(FreeBuffers, free_q <= FreeWidth'(ResultBuffers), clk_i, !rst_ni)
  `RINGMILL_ASSERT(GapCounts, job.state == StateGap |-> job.gap != '0, clk_i, !rst_ni)

  if (SlotBits > AddressWidth || BankBits > 1 << ClassWidth) begin : gen_check_size
    $error("ntt_sequencer: N or Units is greater than the widths of ntt_multiplier_pkg allow");
  end
  if (ResultBuffers != 2 && ResultBuffers != 4) begin : gen_check_buffers
    $error("ntt_sequencer: ResultBuffers must be 2 or 4");
  end

endmodule
