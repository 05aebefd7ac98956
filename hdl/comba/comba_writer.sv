// Takes the sums out of the units, adds those that overlap, and writes the words of their sum.
//
// Unit u's sum lies u blocks up and has two blocks and a digit. So the digits of a block are the low ones of a unit, the high
// ones of the unit below, and the top digit of the one below that; all leave their units digit by digit. To the lowest block
// and a word is added what the memory has there, a signed number: noise, or what the units before left above their blocks.
//
// Ports: clk_i, rst_ni; start_i, with active_i, units with a sum, address_i of the lowest word, and addend_i if there is an
// addend; busy_o; unit_shift_o, unit_digit_i; read_o, write_o, address_o, data_o and data_i, accesses of AccessCycles;
// negative_o, when not busy: the number that was written is negative.
// Cycles: (active + 1) * Digits + 2 * WordDigits.

`include "assertions.svh"

module comba_writer
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Digits = 64,
    parameter int unsigned Units = 1,
    localparam int unsigned ActiveWidth = index_width(Units + 1)
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             start_i,
    input  logic [ActiveWidth-1:0]           active_i,
    input  logic [AddressWidth-1:0]          address_i,
    input  logic                             addend_i,
    output logic                             busy_o,
    output logic [Units-1:0]                 unit_shift_o,
    input  logic [Units-1:0][DigitWidth-1:0] unit_digit_i,
    output logic                             read_o,
    output logic                             write_o,
    output logic [AddressWidth-1:0]          address_o,
    output logic [WordWidth-1:0]             data_o,
    input  logic [WordWidth-1:0]             data_i,
    output logic                             negative_o
);

  localparam int unsigned Words = Digits / WordDigits;
  localparam int unsigned IndexWidth = index_width(Words);
  localparam int unsigned BlockBits = index_width(Units + 2);
  localparam int unsigned AddendWidth = index_width(Words + 2);

  // A word in as many cycles as it has digits: its digits leave the units in one such beat, and in the next it is read
  // what is added, and the sum is written.
  logic collecting_q, writing_q;
  logic [1:0] cycle_q;
  logic beat_ends;
  logic [BlockBits-1:0] block_q;
  logic [IndexWidth-1:0] word_q;
  logic first_digit;
  logic last_word;

  assign beat_ends = cycle_q == 2'(WordDigits - 1);
  assign first_digit = word_q == '0 && cycle_q == '0;
  assign last_word = block_q == BlockBits'(active_i) + 1'b1;
  assign busy_o = collecting_q || writing_q;

  // Digits: of the unit of this block, the one below, and the one below that.
  logic [DigitWidth-1:0] low, high, top;
  logic [1:0] digit_carry_q;
  logic [DigitWidth+1:0] digit_total;

  always_comb begin
    low = '0;
    high = '0;
    top = '0;
    for (int unsigned unit = 0; unit < Units; unit++) begin
      unit_shift_o[unit] = 1'b0;
      if (collecting_q && ActiveWidth'(unit) < active_i) begin
        if (block_q == BlockBits'(unit)) begin
          low = unit_digit_i[unit];
          unit_shift_o[unit] = 1'b1;
        end
        if (block_q == BlockBits'(unit + 1)) begin
          high = unit_digit_i[unit];
          unit_shift_o[unit] = 1'b1;
        end
        if (block_q == BlockBits'(unit + 2) && first_digit) begin
          top = unit_digit_i[unit];
          unit_shift_o[unit] = 1'b1;
        end
      end
    end
  end

  assign digit_total = (DigitWidth + 2)'(low) + (DigitWidth + 2)'(high) + (DigitWidth + 2)'(top)
      + (DigitWidth + 2)'(digit_carry_q);

  logic [WordWidth-1:0] collected, held_q;
  logic [WordWidth-DigitWidth-1:0] upper_q;

  assign collected = {digit_total[DigitWidth-1:0], upper_q};

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    upper_q <= collected[WordWidth-1:DigitWidth];
    digit_carry_q <= digit_total[DigitWidth+1:DigitWidth];
    if (beat_ends) begin
      held_q <= collected;
      writing_q <= collecting_q;
      if (last_word) collecting_q <= 1'b0;
      word_q <= word_q + 1'b1;
      if (word_q == IndexWidth'(Words - 1)) begin
        word_q <= '0;
        block_q <= block_q + 1'b1;
      end
    end
    if (start_i) begin
      collecting_q <= 1'b1;
      cycle_q <= '0;
      block_q <= '0;
      word_q <= '0;
      digit_carry_q <= '0;
    end
    if (!rst_ni) begin
      collecting_q <= 1'b0;
      writing_q <= 1'b0;
    end
  end

  // Words: the addend's last one is signed.
  logic [AddendWidth-1:0] addend_words_q;
  logic [WordWidth-1:0] addend_q;
  logic signed [1:0] carry_q;
  logic addend_sign;
  logic [WordWidth+1:0] total;

  assign addend_sign = addend_words_q == 1 && addend_q[WordWidth-1];
  assign total = (WordWidth + 2)'(held_q) + {{2{addend_sign}}, addend_q}
      + {{WordWidth{carry_q[1]}}, carry_q};
  assign read_o = writing_q && !cycle_q[1] && addend_words_q != '0;
  assign write_o = writing_q && cycle_q[1];
  assign data_o = total[WordWidth-1:0];

  always_ff @(posedge clk_i) begin
    if (cycle_q == 2'(AccessCycles - 1)) addend_q <= addend_words_q != '0 ? data_i : '0;
    if (writing_q && beat_ends) begin
      address_o <= address_o + 1'b1;
      carry_q <= total[WordWidth+1:WordWidth];
      negative_o <= total[WordWidth-1];
      if (addend_words_q != '0) addend_words_q <= addend_words_q - 1'b1;
    end
    if (start_i) begin
      address_o <= address_i;
      carry_q <= '0;
      addend_words_q <= addend_i ? AddendWidth'(Words + 1) : '0;
    end
    if (!rst_ni) negative_o <= 1'b0;
  end

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(SomethingToDo, start_i |-> active_i != '0 && active_i <= ActiveWidth'(Units), clk_i, !rst_ni)

  if (Digits % WordDigits != 0 || Digits == 0 || Units == 0) begin : gen_check_sizes
    $error("comba_writer: blocks of whole words, and at least one unit");
  end
  if (2 * AccessCycles != WordDigits) begin : gen_check_access
    $error("comba_writer: a read and a write take as long as a word's digits");
  end

endmodule
