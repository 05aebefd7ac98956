// The order of slots: passes, gaps, places and factors (see xor_banks_pkg). It depends on parameters only.
//
// Ports: clk_i, rst_ni; start_i with inverse_i, while idle; issue_o, the slot to read now.
// Latency: SequencerLatency from start_i to the first slot on issue_o.

`include "assertions.svh"

module xor_banks_sequencer
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter ring_e Ring = RingFermat,
    parameter int unsigned Latency = 25
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   start_i,
    input  logic   inverse_i,
    output issue_t issue_o
);

  localparam int unsigned IndexBits = $clog2(N);
  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SlotBits = slot_bits(N, Units);
  localparam int unsigned Steps = pass_count(N, Ring);
  localparam int unsigned StepWidth = index_width(Steps);
  localparam int unsigned GapWidth = 8;
  localparam int unsigned FactorBits = index_width(factor_count(N, Units, Ring));
  localparam int unsigned ClassIndex = index_width(BankBits);

  // Bits to choose from: those of the slot's number, the cycle within the slot, constants.
  localparam int unsigned ChooseSecond = SlotBits;
  localparam int unsigned ChooseZero = SlotBits + 1;
  localparam int unsigned ChooseOne = SlotBits + 2;
  localparam int unsigned ChooseWidth = $clog2(SlotBits + 3);
  typedef logic [ChooseWidth-1:0] choose_t;

  // What depends on the step alone.
  typedef struct packed {
    logic [IndexBits-1:0]    space;
    choose_t [IndexBits-1:0] index;  // zero for bits that the banks tell apart
    choose_t [FactorBits-1:0] factor;  // of a Fermat ring, without the direction
    logic [FactorBits-1:0][ClassWidth-1:0] factor_class;  // of its bits that the banks tell apart
    logic [ClassWidth-1:0]   pair_class;
    logic [GapWidth-1:0]     gap;
    logic                    twice;
    work_e                   work;
  } step_t;

  function automatic step_t step_entry(bit inverse, int unsigned step);
    step_t entry;
    pass_t pass;
    int unsigned base;
    int unsigned first;
    pass = pass_of(N, Ring, inverse, step);
    for (int unsigned m = 0; m < IndexBits; m++) begin
      entry.space[m] = is_space(N, Units, Ring, pass, m);
      entry.index[m] = choose_t'(entry.space[m] ? ChooseZero : time_bit(N, Units, Ring, pass, m));
    end
    base = pass.work == WorkTable ? table_base(pass.low, pass.length) : root_base(pass.low, pass.length);
    for (int unsigned b = 0; b < FactorBits; b++) begin
      entry.factor[b] = choose_t'((base >> b) % 2 == 1 ? ChooseOne : ChooseZero);
      entry.factor_class[b] = NoClass;
    end
    // The position in the dimension, or its bits below the pair's, scaled to an exponent of the root.
    first = pass.work == WorkTable ? 0 : pass.low + pass.length - 1 - pass.pair_bit;
    for (int unsigned m = pass.low; m < pass.low + pass.length; m++) begin
      if (Ring == RingFermat && (pass.work == WorkTable || m < pass.pair_bit)) begin
        entry.factor[m-pass.low+first] = m == pass.pair_bit ? choose_t'(ChooseSecond) : entry.index[m];
        if (entry.space[m] && m != pass.pair_bit) entry.factor_class[m-pass.low+first] = ClassWidth'(m % BankBits);
      end
    end
    entry.pair_class = ClassWidth'(pass.pair_bit % BankBits);
    entry.gap = GapWidth'(step_gap(N, Units, Ring, inverse, step, Latency));
    entry.twice = slot_cycles(pass.work) == 2;
    entry.work = pass.work;
    return entry;
  endfunction

  function automatic step_t [1:0][Steps-1:0] step_table();
    step_t [1:0][Steps-1:0] result;
    for (int unsigned step = 0; step < Steps; step++) begin
      result[0][step] = step_entry(1'b0, step);
      result[1][step] = step_entry(1'b1, step);
    end
    return result;
  endfunction

  localparam step_t [1:0][Steps-1:0] StepTable = step_table();

  // Where the transform is.
  logic active_q;
  logic inverse_q;
  logic [StepWidth-1:0] step_q;
  logic [SlotBits-1:0] slot_q;
  logic second_q;
  logic [GapWidth-1:0] gap_q;
  logic [FactorAddressWidth-1:0] count_q;

  step_t now;
  logic reading;
  logic last_of_pass;
  logic last_of_all;

  assign now = StepTable[inverse_q][step_q];
  assign reading = active_q && gap_q == '0;
  assign last_of_pass = &slot_q && second_q == now.twice;
  assign last_of_all = last_of_pass && step_q == StepWidth'(Steps - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (reading && last_of_all) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      inverse_q <= inverse_i;
      step_q <= '0;
      slot_q <= '0;
      second_q <= 1'b0;
      gap_q <= '0;
      count_q <= inverse_i ? FactorAddressWidth'(read_cycles(N, Units, Ring, 1'b0)) : '0;
    end else if (reading) begin
      second_q <= now.twice && !second_q;
      if (second_q == now.twice) slot_q <= slot_q + 1'b1;
      if (last_of_pass) begin
        step_q <= step_q + 1'b1;
        gap_q <= now.gap;
      end
      count_q <= count_q + 1'b1;
    end else begin
      gap_q <= gap_q - 1'b1;
    end
  end

  // The step's entry beside its slot.
  step_t entry_q;
  logic valid_q, first_q, last_q;
  logic [ChooseOne:0] choices_q;
  logic [FactorAddressWidth-1:0] counted_q;
  logic direction_q;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && reading;
    first_q <= step_q == '0;
    last_q <= last_of_all;
    entry_q <= now;
    choices_q <= {1'b1, 1'b0, second_q, slot_q};
    counted_q <= count_q;
    direction_q <= inverse_q;
  end

  // Bits of the index and of the factor's address; parities of the slot's bits of each class.
  logic [IndexBits-1:0] index;
  logic [FactorAddressWidth-1:0] factor;
  logic [BankBits-1:0] parity;
  issue_t issue;

  always_comb begin
    parity = '0;
    for (int unsigned m = 0; m < IndexBits; m++) begin
      index[m] = choices_q[entry_q.index[m]];
      parity[m%BankBits] = parity[m%BankBits] ^ index[m];
    end
    factor = '0;
    // Of a bit that the banks tell apart: the parity of the others of its class, which is what bank 0 has.
    for (int unsigned b = 0; b < FactorBits; b++) begin
      factor[b] = choices_q[entry_q.factor[b]]
          ^ (entry_q.factor_class[b] != NoClass && parity[entry_q.factor_class[b][ClassIndex-1:0]]);
    end
  end

  always_comb begin
    issue = '0;
    issue.valid = valid_q;
    issue.first = first_q;
    issue.last = valid_q && last_q;
    for (int unsigned a = 0; a < SlotBits; a++) begin
      for (int unsigned version = 0; version < 2; version++) begin
        issue.address[version][a] = entry_q.space[a+BankBits] ? parity[a%BankBits] ^ 1'(version) : index[a+BankBits];
      end
    end
    issue.factor = Ring == RingFermat ? {factor[FactorAddressWidth-2:0], direction_q} : counted_q;
    issue.factor_class = {TableAddressWidth{NoClass}};
    for (int unsigned b = 0; b < FactorBits && b + 1 < TableAddressWidth; b++) begin
      if (Ring == RingFermat) issue.factor_class[b+1] = entry_q.factor_class[b];
    end
    issue.pair_class = entry_q.pair_class;
    issue.parity = parity[entry_q.pair_class[ClassIndex-1:0]];
    case (entry_q.work)
      WorkDecimate: issue.operation = ButterflyDecimate;
      WorkCombine: issue.operation = ButterflyCombine;
      WorkTable: issue.operation = choices_q[ChooseSecond] ? ButterflyScaleDifference : ButterflyScaleSum;
      default: issue.operation = choices_q[ChooseSecond] ? ButterflyDecimate : ButterflyScaleSum;
    endcase
    // The first cycle of two gives the scaled sum: it is u, or waits for the other product.
    issue.product_upper = entry_q.work == WorkScale && !choices_q[ChooseSecond];
    issue.write_upper = valid_q && (!entry_q.twice || choices_q[ChooseSecond] ^ entry_q.work == WorkScale);
    issue.write_lower = valid_q && (!entry_q.twice || choices_q[ChooseSecond]);
  end

  always_ff @(posedge clk_i) issue_o <= issue;

  // The gap counts where the pass ends; there are fewer factors than their widest address counts.
  logic unused;
  assign unused = ^{entry_q, factor};

  `RINGMILL_ASSERT(StartWhileIdle, start_i |-> !active_q, clk_i, !rst_ni)

  if (SlotBits > AddressWidth || BankBits > 1 << ClassWidth || FactorBits > FactorAddressWidth) begin : gen_check_size
    $error("xor_banks_sequencer: N or Units is greater than the widths of xor_banks_pkg allow");
  end
  if (N < 4 * Units || 1 << $clog2(N) != N || 1 << $clog2(Units) != Units) begin : gen_check_powers
    $error("xor_banks_sequencer: N and Units must be powers of two, 4 * Units <= N");
  end
  if (Ring == RingFermat && FactorBits > TableAddressWidth) begin : gen_check_table
    $error("xor_banks_sequencer: N has more factors than TableAddressWidth of xor_banks_pkg allows");
  end
  if (Latency >= 1 << GapWidth) begin : gen_check_latency
    $error("xor_banks_sequencer: Latency is greater than its counter of idle cycles allows");
  end

endmodule
