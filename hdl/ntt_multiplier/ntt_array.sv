// The butterflies and the wires between them and the banks.
//
// Unit u belongs to the bank of even parity own_bank(u); its partner in class j is that bank with bit j inverted. So a
// unit selects one of beta operands, and a bank of odd parity one of beta results. Which of a unit's results is whose
// depends on which bank holds V: one exchange at the unit's outputs. Only the first pass reads the input memory, so
// that is one more operand to select from. Deep: the selected operands and the results at their banks have registers.
//
// Ports: clk_i, rst_ni, modulus_i; issue_i, the slot whose words are on input_i or work_i (one a bank) and factor_i
// (one a unit); done_o, the slot whose results are on result_o (one a bank), with write_o (one bit a bank).
// Latency: array_latency(N, Pipeline) from issue_i to done_o; a slot every cycle.

`include "assertions.svh"

module ntt_array
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic [WordWidth-1:0]            modulus_i,
    input  issue_t                          issue_i,
    input  logic [Banks-1:0][WordWidth-1:0] input_i,
    input  logic [Banks-1:0][WordWidth-1:0] work_i,
    input  logic [Units-1:0][WordWidth-1:0] factor_i,
    output issue_t                          done_o,
    output logic [Banks-1:0]                write_o,
    output logic [Banks-1:0][WordWidth-1:0] result_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SelectWidth = index_width(BankBits + 1);
  localparam int unsigned ClassBits = index_width(BankBits);
  localparam int unsigned InputClass = step_class(N, Units, 0);
  localparam int unsigned Latency = array_latency(N, Pipeline);
  localparam bit Deep = Pipeline != PipelineShallow;

  // Slots in the units.
  issue_t [Latency-1:0] issue_q;

  always_ff @(posedge clk_i) begin
    issue_q <= {issue_q[Latency-2:0], issue_i};
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Latency; i++) issue_q[i].valid <= 1'b0;
    end
  end

  // The slot that enters the butterflies, the one that leaves them, and the one at the banks.
  issue_t entering;
  issue_t leaving;
  issue_t done;
  assign entering = Deep ? issue_q[0] : issue_i;
  assign leaving = Deep ? issue_q[Latency-2] : issue_q[Latency-1];
  assign done = issue_q[Latency-1];
  assign done_o = done;

  logic unused_fields;
  assign unused_fields = ^{entering, leaving};

  // Partners: those of each class, and that in the input memory.
  logic [SelectWidth-1:0] partner_select;
  logic [ClassBits-1:0] result_class;
  assign partner_select = issue_i.from_input ? SelectWidth'(BankBits) : issue_i.pair_class[SelectWidth-1:0];
  assign result_class = leaving.pair_class[ClassBits-1:0];

  // What a unit computes with.
  typedef struct packed {
    logic [WordWidth-1:0] own;
    logic [WordWidth-1:0] partner;
    logic [WordWidth-1:0] factor;
  } operands_t;

  // What each unit gives to its own bank and to its partner.
  logic [Units-1:0][WordWidth-1:0] own_result;
  logic [Units-1:0][WordWidth-1:0] partner_result;
  logic [Units-1:0] own_product;

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    localparam int unsigned Own = own_bank(unit);
    localparam logic [BankBits-1:0] OwnBits = BankBits'(Own);
    logic [BankBits:0][WordWidth-1:0] partners;
    operands_t selected;
    operands_t operands;
    logic [WordWidth-1:0] sum;
    logic [WordWidth-1:0] product;

    for (genvar j = 0; j < int'(BankBits); j++) begin : gen_partner
      assign partners[j] = work_i[Own^(1<<j)];
    end
    assign partners[BankBits] = input_i[Own^(1<<InputClass)];
    assign selected.own = issue_i.from_input ? input_i[Own] : work_i[Own];
    assign selected.partner = partners[partner_select];
    assign selected.factor = factor_i[unit];

    if (Deep) begin : gen_operands
      operands_t operands_q;
      always_ff @(posedge clk_i) operands_q <= selected;
      assign operands = operands_q;
    end else begin : gen_no_operands
      assign operands = selected;
    end

    // Figure 3 of section IV-A2. Where its own bank holds V the factor comes negated, and the difference's sign is
    // right again.
    butterfly #(
        .Width(WordWidth),
        .Word(montgomery_word(N)),
        .Pipeline(Pipeline),
        .Combines(1'b0)
    ) u_butterfly (
        .clk_i,
        .operation_i(entering.fused && !entering.second ? ButterflyScaleSum : ButterflyDecimate),
        .upper_i(operands.own),
        .lower_i(operands.partner),
        .factor_i(operands.factor),
        .modulus_i,
        .upper_o(sum),
        .lower_o(product)
    );

    // The product is V's, but for the first cycle of a fused slot, where it is U's.
    assign own_product[unit] = OwnBits[result_class] ^ leaving.parity ^ (leaving.fused && !leaving.second);
    assign own_result[unit] = own_product[unit] ? product : sum;
    assign partner_result[unit] = own_product[unit] ? sum : product;
  end

  // A fused slot writes the bank of the product alone.
  logic [Units-1:0] write_own;
  logic [Units-1:0] write_partner;
  assign write_own = leaving.valid ? (leaving.fused ? own_product : '1) : '0;
  assign write_partner = leaving.valid ? (leaving.fused ? ~own_product : '1) : '0;

  logic [Banks-1:0] write;
  logic [Banks-1:0][WordWidth-1:0] result;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    if ($countones(bank) % 2 == 0) begin : gen_even
      assign result[bank] = own_result[bank/2];
      assign write[bank] = write_own[bank/2];
    end else begin : gen_odd
      logic [BankBits-1:0][WordWidth-1:0] results;
      logic [BankBits-1:0] writes;
      for (genvar j = 0; j < int'(BankBits); j++) begin : gen_unit
        assign results[j] = partner_result[(bank^(1<<j))/2];
        assign writes[j] = write_partner[(bank^(1<<j))/2];
      end
      assign result[bank] = results[result_class];
      assign write[bank] = writes[result_class];
    end
  end

  if (Deep) begin : gen_results
    always_ff @(posedge clk_i) begin
      write_o <= rst_ni ? write : '0;
      result_o <= result;
    end
  end else begin : gen_no_results
    assign write_o = write;
    assign result_o = result;
  end

`ifdef RINGMILL_ASSERTIONS
  // Whether some bank would give `reader` a word of the working memory that `writer` has not written yet.
  function automatic logic meet(issue_t reader, issue_t writer);
    logic unused;
    logic [AddressWidth-1:0] differ;
    logic [AddressWidth-1:0] turned;
    logic [BankBits-1:0] zero;
    logic [BankBits-1:0] one;
    unused = ^{reader, writer};
    differ = reader.base ^ writer.base;
    turned = reader.mask ^ writer.mask;
    zero = '0;
    one = '0;
    for (int unsigned a = 0; a < AddressWidth; a++) begin
      if (turned[a] && differ[a]) one[a%BankBits] = 1'b1;
      if (turned[a] && !differ[a]) zero[a%BankBits] = 1'b1;
    end
    return reader.valid && writer.valid && !reader.from_input && !writer.to_result
        && reader.read_region == writer.write_region && (differ & ~turned) == '0 && (zero & one) == '0;
  endfunction

  // What the array holds, and what it gave while these reads were on their way through the memory.
  localparam int unsigned MemoryLatency = memory_latency(Pipeline);
  issue_t [MemoryLatency-1:0] written_q;

  always_ff @(posedge clk_i) begin
    written_q[0] <= rst_ni ? done : '0;
    for (int unsigned i = 1; i < MemoryLatency; i++) written_q[i] <= rst_ni ? written_q[i-1] : '0;
  end

  for (genvar i = 0; i < int'(Latency); i++) begin : gen_hazard
    `RINGMILL_ASSERT(ReadAfterIssue, !meet(issue_i, issue_q[i]), clk_i, !rst_ni)
  end
  for (genvar i = 0; i < int'(MemoryLatency); i++) begin : gen_late_hazard
    `RINGMILL_ASSERT(ReadAfterWrite, !meet(issue_i, written_q[i]), clk_i, !rst_ni)
  end
`endif

endmodule
