// Words of a memory as a stream of digits, the lowest first.
//
// A read takes the first half of a beat of as many cycles as a word has digits. So writes have the other half, and digits
// come one a cycle, without a gap if the first is taken in a beat's first cycle.
//
// Ports: clk_i, rst_ni; cycle_i, the cycle of the beat; start_i with address_i: what is read or left is forgotten;
// valid_o, ready_i, digit_o; full_o: two words are here; read_o, address_o, data_i.

`include "assertions.svh"

module digit_reader
  import comba_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [1:0]              cycle_i,
    input  logic                    start_i,
    input  logic [AddressWidth-1:0] address_i,
    output logic                    valid_o,
    input  logic                    ready_i,
    output logic [DigitWidth-1:0]   digit_o,
    output logic                    full_o,
    output logic                    read_o,
    output logic [AddressWidth-1:0] address_o,
    input  logic [WordWidth-1:0]    data_i
);

  logic running_q;
  logic reading_q;
  logic next_valid_q;
  logic [2:0] left_q;
  logic [WordWidth-1:0] word_q, next_q;
  logic moves;
  logic read;

  assign valid_o = left_q != '0;
  assign digit_o = word_q[DigitWidth-1:0];
  assign full_o = valid_o && next_valid_q;
  assign moves = next_valid_q && (left_q == '0 || (left_q == 1 && ready_i));
  // A read that has begun goes on.
  assign read = running_q && cycle_i == '0 && !next_valid_q;
  assign read_o = read || reading_q;

  always_ff @(posedge clk_i) begin
    reading_q <= read;
    if (valid_o && ready_i) begin
      word_q <= word_q >> DigitWidth;
      left_q <= left_q - 1'b1;
    end
    if (moves) begin
      word_q <= next_q;
      left_q <= 3'(WordDigits);
      next_valid_q <= 1'b0;
    end
    if (reading_q) begin
      next_q <= data_i;
      next_valid_q <= 1'b1;
      address_o <= address_o + 1'b1;
    end
    if (start_i) begin
      running_q <= 1'b1;
      left_q <= '0;
      next_valid_q <= 1'b0;
      address_o <= address_i;
    end
    if (!rst_ni) begin
      running_q <= 1'b0;
      reading_q <= 1'b0;
      next_valid_q <= 1'b0;
      left_q <= '0;
    end
  end

  `RINGMILL_ASSERT(StartsBetweenReads, start_i |-> !reading_q && !read, clk_i, !rst_ni)

endmodule
