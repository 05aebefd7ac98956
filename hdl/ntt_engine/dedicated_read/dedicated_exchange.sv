// Words for the banks from results of the units: each unit's own and those of one other (algorithm 2, memory-write).
//
// Two successive results of a unit, sum and difference each, are four residues; with those of the unit whose number
// differs in the bit `gap` they are eight, which make two words for each of the two banks. W, an address bit A and a
// unit's bit C change places, W <- A <- C <- W forward: unit 0 of the two takes the sums of both, unit 1 the
// differences. Inverse, W <- C <- A <- W: unit 0 takes all first results, unit 1 all second ones.
//
// Ports: clk_i; upper_i, lower_i and control_i of an operation; words_o, the low half first.
// Latency: ExchangeLatency. Of two operations, whose control_i.odd is 0 and 1, words_o has the first word when the
// first is due and the second word when the second is due.

module dedicated_exchange
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30
) (
    input  logic                             clk_i,
    input  logic [Units-1:0][Width-1:0]      upper_i,
    input  logic [Units-1:0][Width-1:0]      lower_i,
    input  control_t                         control_i,
    output logic [Units-1:0][1:0][Width-1:0] words_o
);

  localparam int unsigned UnitBits = log2(Units);
  localparam int unsigned BitWidth = index_width(UnitBits);

  control_t control_q;
  always_ff @(posedge clk_i) control_q <= control_i;

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    // By bit of the unit's number: results of the unit that differs in it.
    logic [UnitBits-1:0][1:0][Width-1:0] others;
    logic [UnitBits-1:0] number;
    for (genvar i = 0; i < int'(UnitBits); i++) begin : gen_other
      assign others[i] = {lower_i[unit^(1<<i)], upper_i[unit^(1<<i)]};
    end
    assign number = UnitBits'(unit);

    // Index 0: sums, index 1: differences; of the operation now and of the one before.
    logic [1:0][Width-1:0] own_q, own_before_q, other_q, other_before_q;
    logic side_q;

    always_ff @(posedge clk_i) begin
      own_q <= {lower_i[unit], upper_i[unit]};
      other_q <= others[control_i.gap[BitWidth-1:0]];
      side_q <= number[control_i.gap[BitWidth-1:0]];
      own_before_q <= own_q;
      other_before_q <= other_q;
    end

    logic [1:0][Width-1:0] first;
    logic [1:0][Width-1:0] second;
    logic [1:0][Width-1:0] second_q;

    always_comb begin
      case (control_q.exchange)
        ExchangeForward: begin
          first = side_q ? {other_q[1], other_before_q[1]} : {own_q[0], own_before_q[0]};
          second = side_q ? {own_q[1], own_before_q[1]} : {other_q[0], other_before_q[0]};
        end
        ExchangeInverse: begin
          first = side_q ? {own_q[0], other_q[0]} : {other_before_q[0], own_before_q[0]};
          second = side_q ? {own_q[1], other_q[1]} : {other_before_q[1], own_before_q[1]};
        end
        ExchangePair: begin
          first = own_before_q;
          second = {own_q[1], own_before_q[1]};
        end
        default: begin
          first = own_before_q;
          second = own_q;
        end
      endcase
    end

    always_ff @(posedge clk_i) begin
      second_q <= second;
      words_o[unit] <= control_q.odd ? first : second_q;
    end
  end

  logic unused;
  assign unused = ^{control_q.paired, control_q.by_word, control_q.butterfly, control_q.keep, control_q.swap_first,
                    control_q.gap, control_i.gap};

  if (1 << $clog2(Units) != Units || Units < 2) begin : gen_check_units
    $error("dedicated_exchange: Units must be a power of two, at least 2");
  end

endmodule
