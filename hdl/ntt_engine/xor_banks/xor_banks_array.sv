// The butterflies and the wires between them and the banks.
//
// Unit u belongs to the bank of even parity own_bank(u); its partner in class j is that bank with bit j inverted. So a
// unit selects one of beta operands, and a bank of odd parity one of beta results. The bank that holds v is known from
// its number and the slot's parity: two exchanges, one before and one after the butterfly.
//
// Ports: clk_i, rst_ni, modulus_i; issue_i, the slot whose words are on data_i (one a bank) and factor_i (one for all
// units, or one a unit); done_o, the slot whose results are on result_o, with write_o (one bit a bank).
// Latency: array_latency(Width, Word, Pipeline) from issue_i to done_o; a slot every cycle.

`include "assertions.svh"

module xor_banks_array
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned Units = 16,
    parameter int unsigned Memories = 1,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic [Width-1:0]               modulus_i,
    input  issue_t                         issue_i,
    input  logic [Banks-1:0][Width-1:0]    data_i,
    input  logic [Memories-1:0][Width-1:0] factor_i,
    output issue_t                         done_o,
    output logic [Banks-1:0]               write_o,
    output logic [Banks-1:0][Width-1:0]    result_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned ClassBits = index_width(BankBits);
  localparam int unsigned Latency = array_latency(Width, Word, Pipeline);

  // Slots in the array: entry 0 beside the operands, the last but one beside the butterflies' results.
  issue_t [Latency-1:0] issue_q;

  always_ff @(posedge clk_i) begin
    issue_q <= {issue_q[Latency-2:0], issue_i};
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Latency; i++) begin
        issue_q[i].valid <= 1'b0;
        issue_q[i].last <= 1'b0;
        issue_q[i].write_upper <= 1'b0;
        issue_q[i].write_lower <= 1'b0;
      end
    end
  end

  assign done_o = issue_q[Latency-1];

  issue_t computed;
  logic [ClassBits-1:0] operand_class;
  logic [ClassBits-1:0] result_class;
  assign computed = issue_q[Latency-2];
  assign operand_class = issue_i.pair_class[ClassBits-1:0];
  assign result_class = computed.pair_class[ClassBits-1:0];

  // What each unit gives to its own bank and to its partner.
  logic [Units-1:0][Width-1:0] own_result;
  logic [Units-1:0][Width-1:0] partner_result;
  logic [Units-1:0] own_write;
  logic [Units-1:0] partner_write;

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    localparam int unsigned Own = own_bank(unit);
    localparam logic [BankBits-1:0] OwnBits = BankBits'(Own);
    logic [BankBits-1:0][Width-1:0] partners;
    logic [Width-1:0] partner;
    logic own_is_lower;
    logic result_is_lower;
    logic [Width-1:0] upper_q, lower_q, factor_q;
    logic [Width-1:0] upper, lower;

    for (genvar j = 0; j < int'(BankBits); j++) begin : gen_partner
      assign partners[j] = data_i[Own^(1<<j)];
    end
    assign partner = partners[operand_class];
    assign own_is_lower = OwnBits[operand_class] ^ issue_i.parity;

    always_ff @(posedge clk_i) begin
      upper_q <= own_is_lower ? partner : data_i[Own];
      lower_q <= own_is_lower ? data_i[Own] : partner;
      factor_q <= factor_i[unit%int'(Memories)];
    end

    butterfly #(
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline)
    ) u_butterfly (
        .clk_i,
        .operation_i(issue_q[0].operation),
        .upper_i(upper_q),
        .lower_i(lower_q),
        .factor_i(factor_q),
        .modulus_i,
        .upper_o(upper),
        .lower_o(lower)
    );

    assign result_is_lower = OwnBits[result_class] ^ computed.parity;
    assign own_result[unit] = result_is_lower || computed.product_upper ? lower : upper;
    assign partner_result[unit] = result_is_lower && !computed.product_upper ? upper : lower;
    assign own_write[unit] = result_is_lower ? computed.write_lower : computed.write_upper;
    assign partner_write[unit] = result_is_lower ? computed.write_upper : computed.write_lower;

    `RINGMILL_ASSERT(Canonical, issue_q[0].valid |-> upper_q < modulus_i && lower_q < modulus_i, clk_i, !rst_ni)
  end

  logic unused;
  assign unused = ^computed;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    logic [Width-1:0] result;
    logic write;
    if ($countones(bank) % 2 == 0) begin : gen_even
      assign result = own_result[bank/2];
      assign write = own_write[bank/2];
    end else begin : gen_odd
      logic [BankBits-1:0][Width-1:0] results;
      logic [BankBits-1:0] writes;
      for (genvar j = 0; j < int'(BankBits); j++) begin : gen_unit
        assign results[j] = partner_result[(bank^(1<<j))/2];
        // Slots that are not valid may have a class that does not exist: they must not write.
        assign writes[j] = partner_write[(bank^(1<<j))/2] && result_class == ClassBits'(j);
      end
      assign result = results[result_class];
      assign write = |writes;
    end
    always_ff @(posedge clk_i) begin
      result_o[bank] <= result;
      write_o[bank] <= rst_ni && write;
    end
  end

endmodule
