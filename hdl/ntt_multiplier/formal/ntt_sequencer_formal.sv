// ntt_sequencer never takes more result buffers than there are, fills them in turn, and reads full inputs only; each slot
// names one word in each bank, and the pairs of its class differ in one bit of the index.
//
// The harness is the world around: inputs stay full until they are freed, and no result leaves that is not complete.

module ntt_sequencer_formal
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 64,
    parameter int unsigned Units = 4,
    parameter int unsigned ResultBuffers = 4,
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

  logic [1:0] input_free;
  issue_t issue;
  logic active;

  ntt_sequencer #(
      .N(N),
      .Units(Units),
      .ResultBuffers(ResultBuffers)
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

  // Buffers in use and complete, products that the job still owes, the buffer whose turn it is.
  logic [3:0] used_q;
  logic [3:0] complete_q;
  logic [1:0] owed_q;
  logic [TurnBits-1:0] turn_q;
  logic [1:0] full_q;
  logic [1:0] double_q;
  logic [1:0] freed_q;
  logic begins;
  logic ends;
  logic [3:0] products;

  assign begins = issue.valid && issue.first;
  assign ends = issue.valid && issue.last;
  assign products = input_double_i[issue.read_region] ? 4'd2 : 4'd1;

  always_ff @(posedge clk_i) begin
    used_q <= rst_ni ? used_q + (begins ? products : 4'd0) - 4'(result_free_i) : '0;
    complete_q <= rst_ni ? complete_q + 4'(ends) - 4'(result_free_i) : '0;
    owed_q <= !rst_ni ? '0 : begins ? products[1:0] : owed_q - 2'(ends);
    turn_q <= rst_ni ? turn_q + TurnBits'(ends) : '0;
    full_q <= rst_ni ? input_full_i : '0;
    double_q <= input_double_i;
    freed_q <= rst_ni ? input_free : '0;
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
      assume (!result_free_i || complete_q != '0);

      FreeBuffersOnly: assert (!begins || used_q + products <= 4'(ResultBuffers));
      NoMoreThanThereAre: assert (used_q <= 4'(ResultBuffers) && complete_q <= used_q);
      InTurn: assert (!(issue.valid && issue.to_result) || issue.write_region[TurnBits-1:0] == turn_q);
      FreesFullInput: assert ((input_free & ~input_full_i) == '0 && input_free != 2'b11);
      ReadsFullInput: assert (!(issue.valid && issue.from_input)
                              || input_full_i[issue.read_region] || freed_q[issue.read_region]);
      OwedProducts: assert (!ends || issue.last_of_job == (owed_q == 2'd1) && owed_q != '0);
      PairInOneBit: assert (!issue.valid || $onehot(pair) && in_class);
      SecondOfPair: assert (!issue.valid
                            || ((index & pair) != '0) == (((bank_i & class_bit) != '0) ^ issue.parity));
      TwoInUse: cover (used_q == 4'd2);
    end
  end

  // Not promised to users; the induction stands on them. Products of the job that is on its way, in the sequencer and in
  // its output register.
  logic first;
  logic [3:0] of_job;
  logic [3:0] rest;
  logic [3:0] announced;
  assign first = active && u_sequencer.step_q == '0 && u_sequencer.slot_q == '0;
  assign of_job = u_sequencer.double_q ? 4'd2 : 4'd1;
  assign rest = !active ? 4'd0 : of_job - 4'(u_sequencer.product_q);
  assign announced = (first ? of_job : 4'd0) + (begins ? products : 4'd0);

  always_comb begin
    if (rst_ni) begin
      Steps: assert (!active || 32'(u_sequencer.step_q) < step_count(N));
      SecondProduct: assert (!active || !u_sequencer.product_q
                             || u_sequencer.double_q && 32'(u_sequencer.step_q) >= fused_step(N));
      SecondCycle: assert (!active || !u_sequencer.second_q || u_sequencer.fused);
      Gap: assert (u_sequencer.state_q <= 2'd1 || u_sequencer.state_q == 2'd2
                   && u_sequencer.step_q != '0 && u_sequencer.slot_q == '0 && !u_sequencer.second_q);
      FreeAndUsed: assert (4'(u_sequencer.free_q) + used_q + announced == 4'(ResultBuffers));
      UsedAndComplete: assert (used_q + announced == complete_q + rest + 4'(ends));
      Owed: assert (first || begins || 4'(owed_q) == rest + 4'(ends));
      Turn: assert (u_sequencer.result_region_q[TurnBits-1:0] == turn_q + TurnBits'(ends));
      InputStays: assert (!active || u_sequencer.step_q != '0 || input_full_i[u_sequencer.input_region_q]
                          && input_double_i[u_sequencer.input_region_q] == u_sequencer.double_q);
      Begins: assert (!begins || active && u_sequencer.step_q == '0 && 32'(u_sequencer.slot_q) == 1
                      && issue.read_region == u_sequencer.input_region_q && issue.from_input);
      Ends: assert (!ends || !active || 32'(u_sequencer.step_q) == fused_step(N) && u_sequencer.slot_q == '0);
    end
  end

endmodule
