// Where the words of a limb's beats are: a walk through its indices in natural order, Words of them a step. Or those of a
// strip of the limb, one of 2^log_rows_i, which are in a row of their buffer: in their banks, at other addresses.
//
// The words of a beat are at one address, and word k is in bank bank_o XOR k: only the low bits of their indices
// differ, each in a bit of its own of the bank's number (places: xor_banks_pkg).
//
// Ports: clk_i, rst_ni; log_rows_i, 0 for the whole limb, strip_i and row_i, constant during a walk; advance_i, to the next
// beat, from the last one to the first; bank_o, address_o, and last_o, whether this is the last beat.

module limb_walk
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Words = 4,
    localparam int unsigned BankBits = bank_bits(Units),
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [2:0]          log_rows_i,
    input  logic [MaxLogRows-1:0] strip_i,
    input  logic [MaxLogRows-1:0] row_i,
    input  logic                advance_i,
    output logic [BankBits-1:0] bank_o,
    output logic [SlotBits-1:0] address_o,
    output logic                last_o
);

  localparam int unsigned Beats = N / Words;
  localparam int unsigned BeatBits = $clog2(Beats);

  logic [BeatBits-1:0] beat_q;
  logic [$clog2(N)-1:0] index;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (advance_i) beat_q <= last_o ? '0 : beat_q + 1'b1;
  end

  // The beat's index in the strip, below the strip's number; its slot, below the row's.
  logic [$clog2(N)-1:0] offset;

  assign offset = $clog2(N)'(beat_q) << $clog2(Words);
  assign index = $clog2(N)'({strip_i, $clog2(N)'(0)} >> log_rows_i) | offset;
  assign address_o = SlotBits'({row_i, SlotBits'(0)} >> log_rows_i) | SlotBits'(offset >> BankBits);
  assign last_o = beat_q == BeatBits'({BeatBits{1'b1}} >> log_rows_i);

  always_comb begin
    bank_o = '0;
    for (int unsigned m = 0; m < $clog2(N); m++) bank_o[m%BankBits] = bank_o[m%BankBits] ^ index[m];
  end

  if (1 << $clog2(N) != N || 1 << $clog2(Units) != Units || 4 * Units > N) begin : gen_check_sizes
    $error("limb_walk: N and Units must be powers of two, Units at most N / 4");
  end
  if (1 << $clog2(Words) != Words || Words > 2 * Units) begin : gen_check_words
    $error("limb_walk: Words must be a power of two, at most the number of banks");
  end

endmodule
