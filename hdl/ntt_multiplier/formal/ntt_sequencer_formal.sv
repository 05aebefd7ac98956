// ntt_sequencer never takes more result buffers than there are, gives them to jobs in the order of their start, never
// writes one that waits or is sent, and reads full inputs only; each slot names one word in each bank, and the pairs of
// its class differ in one bit of the index.
//
// The harness is the world around: inputs stay full until they are freed, and results leave complete and in turn.

module ntt_sequencer_formal
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 64,
    parameter int unsigned Units = 4,
    parameter int unsigned ResultBuffers = 4,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned BankBits = bank_bits(Units),
    localparam int unsigned IndexBits = $clog2(N)
) (
    input logic                clk_i,
    input logic                rst_ni,
    input logic [1:0]          input_full_i,
    input logic [1:0]          input_double_i,
    input logic                result_free_i,
    input logic [BankBits-1:0] bank_i
);

  localparam int unsigned TurnBits = $clog2(ResultBuffers);
  localparam int unsigned Threads = thread_count(N, Units, Pipeline);

  typedef logic [TurnBits-1:0] turn_t;
  typedef logic [ResultBuffers-1:0] buffers_t;

  logic [1:0] input_free;
  issue_t issue;
  logic active;

  ntt_sequencer #(
      .N(N),
      .Units(Units),
      .ResultBuffers(ResultBuffers),
      .Pipeline(Pipeline)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .input_full_i,
      .input_double_i,
      .input_free_o(input_free),
      .result_free_i,
      .issue_o(issue),
      .active_o(active)
  );

  // The set of `count` buffers, in turn, of which `from` is the first.
  function automatic buffers_t in_turn(turn_t from, logic [3:0] count);
    turn_t distance;
    for (int unsigned i = 0; i < ResultBuffers; i++) begin
      distance = turn_t'(i) - from;
      in_turn[i] = 4'(distance) < count;
    end
  endfunction

  // Buffers in use, the first of them, and those that are complete; of each thread's job, the products that it owes and
  // the buffer of the next one.
  logic [3:0] used_q;
  turn_t sent_q;
  buffers_t complete_q;
  logic [Threads-1:0][1:0] owed_q;
  turn_t [Threads-1:0] next_q;
  logic [1:0] full_q;
  logic [1:0] double_q;
  logic [1:0] freed_q;

  logic [index_width(Threads)-1:0] thread;
  logic begins;
  logic ends;
  logic [1:0] products;
  buffers_t used;
  buffers_t [Threads-1:0] owed;
  buffers_t all_owed;
  logic [3:0] count;

  assign thread = Threads == 1 ? 1'b0 : issue.thread;
  assign begins = issue.valid && issue.first;
  assign ends = issue.valid && issue.last;
  assign products = input_double_i[issue.read_region[0]] ? 2'd2 : 2'd1;
  assign used = in_turn(sent_q, used_q);

  always_comb begin
    all_owed = '0;
    count = 4'($countones(complete_q));
    for (int unsigned t = 0; t < Threads; t++) begin
      owed[t] = in_turn(next_q[t], 4'(owed_q[t]));
      all_owed = all_owed | owed[t];
      count = count + 4'(owed_q[t]);
    end
  end

  always_ff @(posedge clk_i) begin
    used_q <= used_q + (begins ? 4'(products) : 4'd0) - 4'(result_free_i);
    sent_q <= sent_q + turn_t'(result_free_i);
    if (result_free_i) complete_q[sent_q] <= 1'b0;
    if (ends) begin
      complete_q[next_q[thread]] <= 1'b1;
      owed_q[thread] <= owed_q[thread] - 1'b1;
      next_q[thread] <= next_q[thread] + 1'b1;
    end
    if (begins) begin
      owed_q[thread] <= products;
      next_q[thread] <= sent_q + turn_t'(used_q);
    end
    full_q <= input_full_i;
    double_q <= input_double_i;
    freed_q <= input_free;
    if (!rst_ni) begin
      used_q <= '0;
      sent_q <= '0;
      complete_q <= '0;
      owed_q <= '0;
      full_q <= '0;
      freed_q <= '0;
    end
  end

  // The index of the word that a bank gives in this slot.
  function automatic logic [IndexBits-1:0] index_of(logic [BankBits-1:0] bank, issue_t slot);
    logic [IndexBits-1:0] index;
    logic unused;
    unused = ^slot;
    index = IndexBits'(bank);
    for (int unsigned m = BankBits; m < IndexBits; m++) begin
      index[m] = slot.base[m-BankBits] ^ (slot.mask[m-BankBits] & bank[(m-BankBits)%BankBits]);
      index[m%BankBits] = index[m%BankBits] ^ index[m];
    end
    return index;
  endfunction

  logic [IndexBits-1:0] index;
  logic [IndexBits-1:0] partner;
  logic [IndexBits-1:0] pair;
  logic in_class;
  logic [BankBits-1:0] class_bit;
  assign class_bit = BankBits'(1 << issue.pair_class);
  assign index = index_of(bank_i, issue);
  assign partner = index_of(bank_i ^ class_bit, issue);
  assign pair = index ^ partner;

  always_comb begin
    in_class = 1'b0;
    for (int unsigned m = 0; m < IndexBits; m++) begin
      if (pair[m]) in_class = ClassWidth'(m % BankBits) == issue.pair_class;
    end
  end

  always_comb begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < 2; i++) begin
        assume (!full_q[i] || (freed_q[i] ? !input_full_i[i] : input_full_i[i] && input_double_i[i] == double_q[i]));
      end
      assume (!result_free_i || complete_q[sent_q]);

      FreeBuffersOnly: assert (!begins || used_q + 4'(products) <= 4'(ResultBuffers));
      NoMoreThanThereAre: assert (used_q <= 4'(ResultBuffers));
      InOrderOfStart: assert (!(issue.valid && issue.to_result) || issue.write_region[TurnBits-1:0] == next_q[thread]);
      WritesItsOwn: assert (!(issue.valid && issue.to_result) || owed_q[thread] != '0);
      UsedOnce: assert (count == used_q && (complete_q | all_owed) == used);
      FreesFullInput: assert ((input_free & ~input_full_i) == '0 && input_free != 2'b11);
      ReadsFullInput: assert (!(issue.valid && issue.from_input)
                              || input_full_i[issue.read_region[0]] || freed_q[issue.read_region[0]]);
      OwedProducts: assert (!ends || issue.last_of_job == (owed_q[thread] == 2'd1));
      PairInOneBit: assert (!issue.valid || $onehot(pair) && in_class);
      SecondOfPair: assert (!issue.valid
                            || ((index & pair) != '0) == (((bank_i & class_bit) != '0) ^ issue.parity));
      TwoInUse: cover (used_q == 4'd2);
    end
  end

  // Not promised to users; the induction stands on them. The job that issues next is the ring's last; the slot on
  // issue_o is that of the first.
  localparam int unsigned Last = Threads - 1;

  // Of each job in the ring: its thread, it has not issued yet, it reads its input, its products, and those it owes.
  logic [Threads-1:0] thread_of;
  logic [Threads-1:0] runs;
  logic [Threads-1:0] first;
  logic [Threads-1:0] reads;
  logic [Threads-1:0][1:0] of_job;
  logic [Threads-1:0][1:0] rest;
  logic [Threads-1:0] is_out;

  for (genvar i = 0; i < int'(Threads); i++) begin : gen_job
    assign thread_of[i] = Threads == 1 ? 1'b0 : u_sequencer.thread ^ (i != int'(Last));
    assign runs[i] = u_sequencer.job_q[i].state != 2'd0;
    assign reads[i] = runs[i] && u_sequencer.job_q[i].step == '0;
    assign first[i] = reads[i] && u_sequencer.job_q[i].slot == '0;
    assign of_job[i] = u_sequencer.job_q[i].two_products ? 2'd2 : 2'd1;
    assign rest[i] = runs[i] ? of_job[i] - 2'(u_sequencer.job_q[i].product) : 2'd0;
    assign is_out[i] = i == 0;

    always_comb begin
      if (rst_ni) begin
        Steps: assert (!runs[i] || 32'(u_sequencer.job_q[i].step) < step_count(N));
        SecondProduct: assert (!runs[i] || !u_sequencer.job_q[i].product
                               || u_sequencer.job_q[i].two_products
                               && 32'(u_sequencer.job_q[i].step) >= fused_step(N));
        SecondCycle: assert (!runs[i] || !u_sequencer.job_q[i].second
                             || 32'(u_sequencer.job_q[i].step) == fused_step(N));
        Gap: assert (u_sequencer.job_q[i].state <= 2'd1 || u_sequencer.job_q[i].state == 2'd2
                     && u_sequencer.job_q[i].step != '0 && u_sequencer.job_q[i].slot == '0
                     && !u_sequencer.job_q[i].second);
        Owed: assert (first[i] || is_out[i] && begins ? owed_q[thread_of[i]] == '0
                      : owed_q[thread_of[i]] == rest[i] + 2'(is_out[i] && ends));
        Next: assert (!runs[i] || first[i] || is_out[i] && begins
                      || turn_t'(u_sequencer.job_q[i].result_region)
                      == next_q[thread_of[i]] + turn_t'(is_out[i] && ends));
        InputStays: assert (!reads[i] || input_full_i[u_sequencer.job_q[i].input_region]
                            && input_double_i[u_sequencer.job_q[i].input_region]
                            == u_sequencer.job_q[i].two_products);
      end
    end
  end

  // Buffers are given when a job starts, and counted by the harness when its first slot is out.
  logic [3:0] announced;
  logic [3:0] before_first;
  assign before_first = begins ? 4'(products) : 4'd0;

  always_comb begin
    announced = before_first;
    for (int unsigned i = 0; i < Threads; i++) announced = announced + (first[i] ? 4'(of_job[i]) : 4'd0);
  end

  always_comb begin
    if (rst_ni) begin
      FreeAndUsed: assert (4'(u_sequencer.free_q) + used_q + announced == 4'(ResultBuffers));
      NextToStart: assert (turn_t'(u_sequencer.result_region_q) == sent_q + turn_t'(used_q + announced));
      FirstOut: assert (!begins || turn_t'(u_sequencer.job_q[0].result_region) == sent_q + turn_t'(used_q));
      FirstInTurn: assert (!first[Last] || turn_t'(u_sequencer.job_q[Last].result_region)
                           == sent_q + turn_t'(used_q + before_first));
      Begins: assert (!begins || reads[0] && 32'(u_sequencer.job_q[0].slot) == 1 && issue.from_input
                      && issue.read_region[0] == u_sequencer.job_q[0].input_region);
      Ends: assert (!ends || (runs[0] ? 32'(u_sequencer.job_q[0].step) == fused_step(N)
                                        && u_sequencer.job_q[0].slot == '0 && u_sequencer.job_q[0].product
                                      : issue.last_of_job));
      EndsResult: assert (!ends || issue.to_result);
    end
  end

  if (Threads == 1) begin : gen_alone
    always_comb begin
      if (rst_ni) OtherInput: assert (!reads[0] || u_sequencer.job_q[0].input_region != u_sequencer.input_region_q);
    end
  end else begin : gen_turns
    // Of two jobs that read their inputs, the one that started later is not ahead; it has the other input.
    logic [1:0] later;
    assign later[0] = u_sequencer.job_q[0].slot <= u_sequencer.job_q[1].slot;
    assign later[1] = u_sequencer.job_q[1].slot < u_sequencer.job_q[0].slot;

    always_comb begin
      if (rst_ni) begin
        Turns: assert (!issue.valid || issue.thread != u_sequencer.thread);
        SecondInTurn: assert (!first[0] || turn_t'(u_sequencer.job_q[0].result_region)
                              == sent_q + turn_t'(used_q + announced - 4'(of_job[0])));
        OwnInputs: assert (reads != 2'b11 || u_sequencer.job_q[0].input_region != u_sequencer.job_q[1].input_region);
        TwoJobs: cover (runs == 2'b11);
      end
    end
    for (genvar i = 0; i < 2; i++) begin : gen_input
      always_comb begin
        if (rst_ni) OtherInput: assert (!reads[i] || u_sequencer.job_q[i].input_region != u_sequencer.input_region_q
                                        || reads[1-i] && later[1-i]);
      end
    end
  end

  logic unused;
  assign unused = ^{active, issue, double_q};

endmodule
