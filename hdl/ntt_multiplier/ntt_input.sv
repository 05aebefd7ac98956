// Input stage: the packets of the link.
//
// Run: a packet is a polynomial in natural order; word j is multiplied by word j of the input scale (psi^j R, algorithm
// 7) and written to one of two input buffers. Other modes: a packet is a table (see mode_e), written as it is.
//
// A packet that ends early or late counts for nothing: error_o pulses, what comes after its proper end is skipped
// up to its last beat. A table keeps what was written of it.
//
// Ports: clk_i, rst_ni; mode_i (constant while busy_o), double_i (two products; taken with the first beat), modulus_i;
// stream valid_i, ready_o, data_i, last_i; buffers full_o, double_o, free_i (one bit each); write_o (one bit a bank),
// write_region_o, write_base_o, write_data_o: input memory; load_o, load_beat_o, load_data_o: beat of a table for
// the output stage (output_scale_o) or the factors (factor_o, factor_address_o, factor_group_o); error_o; busy_o.
// Latency: 1 + scale_latency(N, Pipeline) from a beat to its write; a beat every cycle.

`include "assertions.svh"

module ntt_input
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned LinkWords = 4,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned Beats = N / LinkWords,
    localparam int unsigned BeatWidth = $clog2(Beats),
    localparam int unsigned GroupWidth = index_width(Units / LinkWords)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  mode_e                               mode_i,
    input  logic                                double_i,
    input  logic [WordWidth-1:0]                modulus_i,
    input  logic                                valid_i,
    output logic                                ready_o,
    input  logic [LinkWords-1:0][WordWidth-1:0] data_i,
    input  logic                                last_i,
    output logic [1:0]                          full_o,
    output logic [1:0]                          double_o,
    input  logic [1:0]                          free_i,
    output logic [Banks-1:0]                    write_o,
    output logic                                write_region_o,
    output logic [AddressWidth-1:0]             write_base_o,
    output logic [Banks-1:0][WordWidth-1:0]     write_data_o,
    output logic                                output_scale_o,
    output logic [BeatWidth-1:0]                load_beat_o,
    output logic [LinkWords-1:0][WordWidth-1:0] load_data_o,
    output logic                                factor_o,
    output logic [FactorAddressWidth-1:0]       factor_address_o,
    output logic [GroupWidth-1:0]               factor_group_o,
    output logic                                error_o,
    output logic                                busy_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned LinkBits = $clog2(LinkWords);
  localparam int unsigned Latency = scale_latency(N, Pipeline);
  localparam int unsigned Groups = Units / LinkWords;
  localparam int unsigned LoadBeats = factor_count(N, Units) * Groups;
  localparam int unsigned CountWidth = $clog2(LoadBeats);

  // Framing.
  logic [CountWidth-1:0] beat_q;
  logic [CountWidth-1:0] last_beat;
  logic skip_q;
  logic region_q;
  // Buffers whose packets have come; they are full when the last words have been multiplied.
  logic [1:0] taken_q;
  logic accept;
  logic full_length;
  logic complete;

  always_comb begin
    case (mode_i)
      ModeFactors: last_beat = CountWidth'(LoadBeats - 1);
      ModeOperands: last_beat = CountWidth'(2 * Beats - 1);
      default: last_beat = CountWidth'(Beats - 1);
    endcase
  end

  assign ready_o = skip_q || mode_i != ModeRun || !taken_q[region_q];
  assign accept = valid_i && ready_o && !skip_q;
  assign full_length = beat_q == last_beat;
  assign complete = accept && full_length && last_i;
  assign error_o = accept && full_length != last_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q <= '0;
      skip_q <= 1'b0;
      region_q <= 1'b0;
      taken_q <= '0;
    end else begin
      if (accept) beat_q <= full_length || last_i ? '0 : beat_q + 1'b1;
      if (accept && full_length && !last_i) skip_q <= 1'b1;
      else if (valid_i && last_i) skip_q <= 1'b0;
      taken_q <= taken_q & ~free_i;
      if (complete && mode_i == ModeRun) begin
        region_q <= !region_q;
        taken_q[region_q] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept && beat_q == '0) double_o[region_q] <= double_i;
  end

  // Tables. The factors' address goes on after each group of units; operand 1 lies behind the inverse transform.
  logic [FactorAddressWidth-1:0] address;
  logic [FactorAddressWidth-1:0] address_q;
  logic [GroupWidth-1:0] group_q;
  logic last_group;

  always_comb begin
    address = address_q;
    if (beat_q == '0) address = mode_i == ModeOperands ? FactorAddressWidth'(operand0_base(N, Units)) : '0;
  end

  assign output_scale_o = accept && mode_i == ModeOutputScale;
  assign factor_o = accept && (mode_i == ModeFactors || mode_i == ModeOperands);
  assign factor_address_o = address;
  assign factor_group_o = group_q;
  assign load_beat_o = beat_q[BeatWidth-1:0];
  assign load_data_o = data_i;
  assign last_group = group_q == GroupWidth'(Groups - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      group_q <= '0;
    end else if (factor_o) begin
      group_q <= last_group || full_length || last_i ? '0 : group_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (factor_o) begin
      if (!last_group) address_q <= address;
      else if (mode_i == ModeOperands && address == FactorAddressWidth'(inverse_base(N, Units) - 1)) begin
        address_q <= FactorAddressWidth'(operand1_base(N, Units));
      end else begin
        address_q <= address + 1'b1;
      end
    end
  end

  // Words on their way through the multipliers.
  typedef struct packed {
    logic valid;
    logic complete;
    logic region;
    logic [BeatWidth-1:0] beat;
  } place_t;

  logic [LinkWords-1:0][WordWidth-1:0] word_q;
  logic [LinkWords-1:0][WordWidth-1:0] scale;
  logic [LinkWords-1:0][WordWidth-1:0] scaled;
  place_t [Latency:0] place_q;
  place_t done;

  always_ff @(posedge clk_i) begin
    word_q <= data_i;
    place_q[0] <= '{
        valid: accept && mode_i == ModeRun,
        complete: complete && mode_i == ModeRun,
        region: region_q,
        beat: beat_q[BeatWidth-1:0]
    };
    for (int unsigned i = 1; i <= Latency; i++) place_q[i] <= place_q[i-1];
    if (!rst_ni) begin
      for (int unsigned i = 0; i <= Latency; i++) begin
        place_q[i].valid <= 1'b0;
        place_q[i].complete <= 1'b0;
      end
    end
  end

  assign done = place_q[Latency];

  ram_simple_dual #(
      .Width(LinkWords * WordWidth),
      .Depth(Beats),
      .Style(RamBlock)
  ) u_scale (
      .clk_i,
      .write_i(accept && mode_i == ModeInputScale),
      .write_address_i(beat_q[BeatWidth-1:0]),
      .write_data_i(data_i),
      .read_i(1'b1),
      .read_address_i(beat_q[BeatWidth-1:0]),
      .read_data_o(scale)
  );

  for (genvar i = 0; i < int'(LinkWords); i++) begin : gen_word
    modular_multiplier #(
        .Width(WordWidth),
        .Reduction(ReductionMontgomery),
        .Word(montgomery_word(N)),
        .Pipeline(Pipeline)
    ) u_scaled (
        .clk_i,
        .enable_i(1'b1),
        .lhs_i(word_q[i]),
        .rhs_i(scale[i]),
        .modulus_i,
        .length_i('0),
        .constant_i('0),
        .result_o(scaled[i])
    );
  end

  // Bank of each word: parities of the index's classes, inverted by the word's number in its beat.
  logic [BeatWidth+LinkBits-1:0] index;
  logic [BankBits-1:0] parity;

  assign index = (BeatWidth + LinkBits)'(done.beat) << LinkBits;

  always_comb begin
    parity = '0;
    for (int unsigned i = 0; i < BeatWidth + LinkBits; i++) parity[i%BankBits] = parity[i%BankBits] ^ index[i];
  end

  assign write_region_o = done.region;
  assign write_base_o = AddressWidth'(index >> BankBits);

  if (LinkBits == 0) begin : gen_single
    for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
      assign write_o[bank] = done.valid && parity == BankBits'(bank);
      assign write_data_o[bank] = scaled[0];
    end
  end else begin : gen_several
    logic [LinkWords-1:0][WordWidth-1:0] permuted;
    for (genvar i = 0; i < int'(LinkWords); i++) begin : gen_permuted
      assign permuted[i] = scaled[LinkBits'(i)^parity[LinkBits-1:0]];
    end
    for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
      assign write_o[bank] = done.valid
          && parity[BankBits-1:LinkBits] == (BankBits - LinkBits)'(bank >> LinkBits);
      assign write_data_o[bank] = permuted[bank%int'(LinkWords)];
    end
  end

  // Buffers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_o <= '0;
    end else begin
      full_o <= full_o & ~free_i | {done.complete && done.region, done.complete && !done.region};
    end
  end

  logic moving;
  always_comb begin
    moving = 1'b0;
    for (int unsigned i = 0; i <= Latency; i++) moving = moving || place_q[i].valid;
  end

  assign busy_o = valid_i || beat_q != '0 || skip_q || moving || full_o != '0;

  for (genvar i = 0; i < int'(LinkWords); i++) begin : gen_assert
    `RINGMILL_ASSERT(Residue, accept |-> data_i[i] < modulus_i, clk_i, !rst_ni)
  end
  `RINGMILL_ASSERT(FreeBuffer, done.complete |-> !full_o[done.region], clk_i, !rst_ni)
  `RINGMILL_ASSERT(DistinctBanks, done.valid |-> $countones(write_o) == int'(LinkWords), clk_i, !rst_ni)
  `RINGMILL_ASSERT(ConstantMode, $changed(mode_i) |-> !$past(busy_o), clk_i, !rst_ni)

  if (LinkWords != 1 && LinkWords != 2 && LinkWords != 4 || LinkWords > Units) begin : gen_check_link
    $error("ntt_input: LinkWords must be 1, 2 or 4, and at most Units");
  end

endmodule
