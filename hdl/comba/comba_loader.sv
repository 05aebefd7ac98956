// Reads factors and blocks of elements, and starts the unit of each block: for each term its factor, then a block for each
// active unit (paper 5, figure 4).
//
// Words are read one after the other. A block waits for its unit when that still multiplies, and reading with it. Units take
// copies, so that the next block is read meanwhile.
//
// Ports: clk_i, rst_ni; start_i, with active_i, units with a block, and terms_i, element_i and factor_i, the addresses of
// the first element's block and factor, and stride_i from an element to the next; busy_o, until the last unit has started;
// read_o, address_o, data_i, a read of AccessCycles; unit_start_o, unit_ready_i, lhs_o and rhs_o, for the units.
// Cycles: AccessCycles a word, unless units are not ready, and one until the last start.

`include "assertions.svh"

module comba_loader
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Digits = 64,
    parameter int unsigned Units = 1,
    localparam int unsigned ActiveWidth = index_width(Units + 1),
    localparam int unsigned FactorWidth = Digits * DigitWidth
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,
    input  logic [ActiveWidth-1:0]  active_i,
    input  logic [CountWidth-1:0]   terms_i,
    input  logic [AddressWidth-1:0] element_i,
    input  logic [AddressWidth-1:0] stride_i,
    input  logic [AddressWidth-1:0] factor_i,
    output logic                    busy_o,
    output logic                    read_o,
    output logic [AddressWidth-1:0] address_o,
    input  logic [WordWidth-1:0]    data_i,
    output logic [Units-1:0]        unit_start_o,
    input  logic [Units-1:0]        unit_ready_i,
    output logic [FactorWidth-1:0]   lhs_o,
    output logic [FactorWidth-1:0]   rhs_o
);

  localparam int unsigned Words = Digits / WordDigits;
  localparam int unsigned IndexWidth = index_width(Words);

  // The next word to read: of the factor in slot 0, of unit slot - 1 in others.
  logic reading_q;
  logic second_q;
  logic [ActiveWidth-1:0] slot_q;
  logic [IndexWidth-1:0] word_q;
  logic [CountWidth-1:0] terms_q;
  logic [AddressWidth-1:0] factor_q, element_q, row_q;

  // A block that waits for its unit.
  logic pending_q;
  logic [ActiveWidth-1:0] unit_q;
  logic launch;
  logic arrives;
  logic last_word;
  logic last_slot;

  assign launch = pending_q && unit_ready_i[unit_q[index_width(Units)-1:0]];
  assign read_o = reading_q && (!pending_q || launch);
  assign address_o = slot_q == '0 ? factor_q : element_q;
  assign arrives = read_o && second_q;
  assign last_word = word_q == IndexWidth'(Words - 1);
  assign last_slot = slot_q == active_i;
  assign busy_o = reading_q || pending_q;

  always_comb begin
    unit_start_o = '0;
    unit_start_o[unit_q[index_width(Units)-1:0]] = launch;
  end

  always_ff @(posedge clk_i) begin
    if (read_o) second_q <= !second_q;
    if (launch) pending_q <= 1'b0;
    if (arrives) begin
      word_q <= last_word ? '0 : word_q + 1'b1;
      if (slot_q == '0) begin
        rhs_o <= FactorWidth'({data_i, rhs_o} >> WordWidth);
        factor_q <= factor_q + 1'b1;
      end else begin
        lhs_o <= FactorWidth'({data_i, lhs_o} >> WordWidth);
        element_q <= element_q + 1'b1;
      end
      if (last_word) begin
        slot_q <= last_slot ? '0 : slot_q + 1'b1;
        pending_q <= slot_q != '0;
        unit_q <= slot_q - 1'b1;
        if (last_slot) begin
          row_q <= row_q + stride_i;
          element_q <= row_q + stride_i;
          terms_q <= terms_q - 1'b1;
          reading_q <= terms_q != 1;
        end
      end
    end
    if (start_i) begin
      reading_q <= 1'b1;
      second_q <= 1'b0;
      slot_q <= '0;
      word_q <= '0;
      terms_q <= terms_i;
      factor_q <= factor_i;
      element_q <= element_i;
      row_q <= element_i;
    end
    if (!rst_ni) begin
      reading_q <= 1'b0;
      pending_q <= 1'b0;
    end
  end

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(SomethingToDo, start_i |-> terms_i != '0 && active_i != '0 && active_i <= ActiveWidth'(Units), clk_i,
                   !rst_ni)

  if (Digits % WordDigits != 0 || Digits == 0 || Units == 0) begin : gen_check_sizes
    $error("comba_loader: blocks of whole words, and at least one unit");
  end

endmodule
