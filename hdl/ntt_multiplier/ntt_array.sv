// The butterflies and the wires between them and the banks.
//
// Unit u belongs to the bank of even parity own_bank(u); its partner in class j is that bank with bit j inverted. So a
// unit selects one of beta operands, and a bank of odd parity one of beta results. Which of a unit's results is whose
// depends on which bank holds V: one exchange at the unit's outputs. Only the first pass reads the input memory, so
// that is one more operand to select from.
//
// Ports: clk_i, rst_ni, modulus_i; issue_i, the slot whose words are on input_i or work_i (one a bank) and factor_i
// (one a unit); done_o, the slot whose results are on result_o (one a bank), with write_o (one bit a bank).
// Latency: unit_latency(N) from issue_i to done_o; a slot every cycle.

`include "assertions.svh"

module ntt_array
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
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
  localparam int unsigned Latency = unit_latency(N);

  // Slots in the units.
  issue_t [Latency-1:0] issue_q;

  always_ff @(posedge clk_i) begin
    issue_q <= {issue_q[Latency-2:0], issue_i};
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Latency; i++) issue_q[i].valid <= 1'b0;
    end
  end

  issue_t done;
  assign done = issue_q[Latency-1];
  assign done_o = done;

  // Partners: those of each class, and that in the input memory.
  logic [SelectWidth-1:0] partner_select;
  logic [ClassBits-1:0] result_class;
  assign partner_select = issue_i.from_input ? SelectWidth'(BankBits) : issue_i.pair_class[SelectWidth-1:0];
  assign result_class = done.pair_class[ClassBits-1:0];

  // What each unit gives to its own bank and to its partner.
  logic [Units-1:0][WordWidth-1:0] own_result;
  logic [Units-1:0][WordWidth-1:0] partner_result;
  logic [Units-1:0] own_product;

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    localparam int unsigned Own = own_bank(unit);
    localparam logic [BankBits-1:0] OwnBits = BankBits'(Own);
    logic [BankBits:0][WordWidth-1:0] partners;
    logic [WordWidth-1:0] partner;
    logic [WordWidth-1:0] sum;
    logic [WordWidth-1:0] product;

    for (genvar j = 0; j < int'(BankBits); j++) begin : gen_partner
      assign partners[j] = work_i[Own^(1<<j)];
    end
    assign partners[BankBits] = input_i[Own^(1<<InputClass)];
    assign partner = partners[partner_select];

    ntt_butterfly #(
        .N(N)
    ) u_butterfly (
        .clk_i,
        .own_i(issue_i.from_input ? input_i[Own] : work_i[Own]),
        .partner_i(partner),
        .factor_i(factor_i[unit]),
        .scale_sum_i(issue_i.fused && !issue_i.second),
        .modulus_i,
        .sum_o(sum),
        .product_o(product)
    );

    // The product is V's, but for the first cycle of a fused slot, where it is U's.
    assign own_product[unit] = OwnBits[result_class] ^ done.parity ^ (done.fused && !done.second);
    assign own_result[unit] = own_product[unit] ? product : sum;
    assign partner_result[unit] = own_product[unit] ? sum : product;
  end

  // A fused slot writes the bank of the product alone.
  logic [Units-1:0] write_own;
  logic [Units-1:0] write_partner;
  assign write_own = done.valid ? (done.fused ? own_product : '1) : '0;
  assign write_partner = done.valid ? (done.fused ? ~own_product : '1) : '0;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    if ($countones(bank) % 2 == 0) begin : gen_even
      assign result_o[bank] = own_result[bank/2];
      assign write_o[bank] = write_own[bank/2];
    end else begin : gen_odd
      logic [BankBits-1:0][WordWidth-1:0] results;
      logic [BankBits-1:0] writes;
      for (genvar j = 0; j < int'(BankBits); j++) begin : gen_unit
        assign results[j] = partner_result[(bank^(1<<j))/2];
        assign writes[j] = write_partner[(bank^(1<<j))/2];
      end
      assign result_o[bank] = results[result_class];
      assign write_o[bank] = writes[result_class];
    end
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
        && reader.read_region == writer.write_region[0] && (differ & ~turned) == '0 && (zero & one) == '0;
  endfunction

  issue_t [Latency:0] past;
  issue_t written_q;
  always_ff @(posedge clk_i) written_q <= rst_ni ? done : '0;
  assign past = {written_q, issue_q};

  for (genvar i = 0; i <= int'(Latency); i++) begin : gen_hazard
    `RINGMILL_ASSERT(ReadAfterWrite, !meet(issue_i, past[i]), clk_i, !rst_ni)
  end
`endif

endmodule
