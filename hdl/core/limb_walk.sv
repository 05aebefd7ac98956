// Where the words of a limb's beats are: a walk through its indices in natural order, Words of them a step. Or those of a
// strip of the limb, one of 2^log_rows_i, which are in a row of their buffer: in their banks, at other addresses.
//
// The words of a beat are at one address, and word k is in bank bank_o XOR k: only the low bits of their indices
// differ, each in a bit of its own of the bank's number. The places are those of the engine's package: with XOR banks
// they are xor_banks_pkg's; with dedicated reads those of coefficients in dedicated_read_pkg, and a bank's number is
// half W of the word, then the unit C reversed, which is the index's low bits.
//
// Ports: clk_i, rst_ni; log_rows_i, 0 for the whole limb, strip_i and row_i, constant during a walk; advance_i, to the next
// beat, from the last one to the first; bank_o, address_o, and last_o, whether this is the last beat.

module limb_walk
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
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
  localparam int unsigned IndexBits = $clog2(N);
  localparam int unsigned BeatBits = $clog2(Beats);

  logic [BeatBits-1:0] beat_q;
  logic [IndexBits-1:0] offset;
  logic [IndexBits-1:0] index;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (advance_i) beat_q <= last_o ? '0 : beat_q + 1'b1;
  end

  // The beat's index in the strip, below the strip's number.
  assign offset = IndexBits'(beat_q) << $clog2(Words);
  assign index = IndexBits'({strip_i, IndexBits'(0)} >> log_rows_i) | offset;
  assign last_o = beat_q == BeatBits'({BeatBits{1'b1}} >> log_rows_i);

  if (Engine == EngineXorBanks) begin : gen_xor_banks
    // The slot in the strip, below the row's number.
    assign address_o = SlotBits'({row_i, SlotBits'(0)} >> log_rows_i) | SlotBits'(offset >> BankBits);
    always_comb begin
      bank_o = '0;
      for (int unsigned m = 0; m < IndexBits; m++) bank_o[m%BankBits] = bank_o[m%BankBits] ^ index[m];
    end
  end else begin : gen_dedicated_read
    assign bank_o = {index[IndexBits-1], index[BankBits-2:0]};
    for (genvar i = 0; i < int'(SlotBits); i++) begin : gen_address
      assign address_o[i] = index[int'(IndexBits)-2-i];
    end

    // There are no rows with this engine.
    logic unused;
    assign unused = ^row_i;
  end

  if (1 << $clog2(N) != N || 1 << $clog2(Units) != Units || 4 * Units > N) begin : gen_check_sizes
    $error("limb_walk: N and Units must be powers of two, Units at most N / 4");
  end
  if (1 << $clog2(Words) != Words || Words > (Engine == EngineXorBanks ? 2 * Units : Units)) begin : gen_check_words
    $error("limb_walk: Words must be a power of two, at most the number of banks, or of units with dedicated reads");
  end

endmodule
