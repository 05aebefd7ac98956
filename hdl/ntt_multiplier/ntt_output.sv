// Output stage: the last pass of the inverse transform and the scaling, while the words leave.
//
// The inverse pass on p = k-1 has factor 1: words j and j + n/2 of the result memory are added, for the first half
// of the packet, or subtracted, for the second, and multiplied by word j of the output scale (psi^-j n^-1 R, algorithm
// 7). So a buffer is read twice. j and j + n/2 lie in banks that differ in bit (k-1) mod beta.
//
// Ports: clk_i, rst_ni, modulus_i; scale_write_i, scale_beat_i, scale_data_i; done_i, done_region_i, done_last_i:
// a product is complete (last of its job); result memory read_o, read_region_o, read_base_o, read_mask_o,
// read_data_i; free_o, a pulse when a buffer has been read; stream valid_o, ready_i, data_o, last_o; busy_o.
// Products may be complete in any order; they leave in the order of their buffers.
// Latency: from the read to the beat 3 + scale_latency(N, Pipeline), deep 4 more; then a beat every cycle that
// ready_i is 1.

`include "assertions.svh"

module ntt_output
  import ringmill_pkg::*;
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned N = 1024,
    parameter int unsigned Units = 64,
    parameter int unsigned LinkWords = 4,
    parameter int unsigned ResultBuffers = 4,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned Beats = N / LinkWords,
    localparam int unsigned BeatWidth = $clog2(Beats),
    localparam int unsigned RegionWidth = $clog2(ResultBuffers)
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic [WordWidth-1:0]                modulus_i,
    input  logic                                scale_write_i,
    input  logic [BeatWidth-1:0]                scale_beat_i,
    input  logic [LinkWords-1:0][WordWidth-1:0] scale_data_i,
    input  logic                                done_i,
    input  logic [RegionWidth-1:0]              done_region_i,
    input  logic                                done_last_i,
    output logic                                read_o,
    output logic [RegionWidth-1:0]              read_region_o,
    output logic [AddressWidth-1:0]             read_base_o,
    output logic [AddressWidth-1:0]             read_mask_o,
    input  logic [Banks-1:0][WordWidth-1:0]     read_data_i,
    output logic                                free_o,
    output logic                                valid_o,
    input  logic                                ready_i,
    output logic [LinkWords-1:0][WordWidth-1:0] data_o,
    output logic                                last_o,
    output logic                                busy_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned SlotBits = slot_bits(N, Units);
  localparam int unsigned LinkBits = $clog2(LinkWords);
  localparam int unsigned Latency = scale_latency(N, Pipeline);
  localparam bit Deep = Pipeline != PipelineShallow;
  localparam int unsigned IndexWidth = $clog2(N);
  // The bit of a bank's number that tells j and j + n/2 apart, and how many sets of banks serve a beat in turn.
  localparam int unsigned HalfBit = (IndexWidth - 1) % BankBits;
  localparam int unsigned Sets = Units / LinkWords;
  localparam int unsigned SetWidth = index_width(Sets);

  // The bits of a bank's number that are neither HalfBit nor those of the words of a beat, and back.
  function automatic int unsigned set_of(int unsigned bank);
    return (bank >> (HalfBit + 1) << HalfBit | bank % (1 << HalfBit)) >> LinkBits;
  endfunction

  function automatic int unsigned bank_of(int unsigned set, int unsigned half, int unsigned word);
    int unsigned place;
    place = set << LinkBits | word;
    return place >> HalfBit << (HalfBit + 1) | half << HalfBit | place % (1 << HalfBit);
  endfunction

  // Results that wait or are being read.
  logic [ResultBuffers-1:0] pending_q;
  logic [ResultBuffers-1:0] last_q;
  logic [RegionWidth-1:0] region_q;
  logic [BeatWidth-1:0] beat_q;
  logic advance;
  logic read;

  assign read = advance && pending_q[region_q];
  assign free_o = read && &beat_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= '0;
      region_q <= '0;
      beat_q <= '0;
    end else begin
      if (free_o) pending_q[region_q] <= 1'b0;
      if (done_i) pending_q[done_region_i] <= 1'b1;
      if (read) beat_q <= beat_q + 1'b1;
      if (free_o) region_q <= region_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (done_i) last_q[done_region_i] <= done_last_i;
  end

  // Word j of the first half, in bank 0 of HalfBit; the half itself only chooses between sum and difference.
  logic [IndexWidth-1:0] index;
  logic [BankBits-1:0] parity;

  always_comb begin
    index = IndexWidth'(beat_q) << LinkBits;
    index[IndexWidth-1] = 1'b0;
    parity = '0;
    for (int unsigned i = 0; i < IndexWidth; i++) parity[i%BankBits] = parity[i%BankBits] ^ index[i];
    index[IndexWidth-1] = parity[HalfBit];
  end

  assign read_o = advance;
  assign read_region_o = region_q;
  assign read_base_o = AddressWidth'(index >> BankBits);
  assign read_mask_o = AddressWidth'(1 << (SlotBits - 1));

  // Stages before the multipliers: that in which the word is read, that of the banks of the beat, that of the words in
  // their order, that of their sum or difference. Deep: a register behind the memory, and one before the sum.
  localparam int unsigned BankStage = Deep ? 1 : 0;
  localparam int unsigned WordStage = BankStage + 1;
  localparam int unsigned SumStage = WordStage + (Deep ? 1 : 0) + add_sub_latency(Pipeline);

  typedef struct packed {
    logic valid;
    logic last;
    logic [BeatWidth-1:0] beat;
    logic [BankBits-1:0] parity;
  } place_t;

  // The words j and j + n/2.
  typedef struct packed {
    logic [WordWidth-1:0] lower;
    logic [WordWidth-1:0] upper;
  } pair_t;

  place_t [SumStage:0] place_q;
  logic [1:0][LinkWords-1:0][WordWidth-1:0] word_q;
  logic [LinkWords-1:0][WordWidth-1:0] operand_q;
  logic [LinkWords-1:0][WordWidth-1:0] scale;
  logic [Latency:0] valid_q;
  logic [Latency:0] last_of_job_q;

  assign advance = !valid_q[Latency] || ready_i;

  always_ff @(posedge clk_i) begin
    if (advance) begin
      place_q[0] <= '{valid: read, last: &beat_q && last_q[region_q], beat: beat_q, parity: parity};
      for (int unsigned i = 1; i <= SumStage; i++) place_q[i] <= place_q[i-1];
      valid_q <= {valid_q[Latency-1:0], place_q[SumStage].valid};
      last_of_job_q <= {last_of_job_q[Latency-1:0], place_q[SumStage].last};
    end
    if (!rst_ni) begin
      for (int unsigned i = 0; i <= SumStage; i++) place_q[i].valid <= 1'b0;
      valid_q <= '0;
    end
  end

  logic [SetWidth-1:0] set;
  assign set = SetWidth'(set_of(32'(place_q[BankStage].parity)));

  logic [Banks-1:0][WordWidth-1:0] read_data;

  if (Deep) begin : gen_read_register
    logic [Banks-1:0][WordWidth-1:0] read_data_q;
    always_ff @(posedge clk_i) if (advance) read_data_q <= read_data_i;
    assign read_data = read_data_q;
  end else begin : gen_no_read_register
    assign read_data = read_data_i;
  end

  for (genvar i = 0; i < int'(LinkWords); i++) begin : gen_word
    for (genvar half = 0; half < 2; half++) begin : gen_half
      logic [Sets-1:0][WordWidth-1:0] candidates;
      for (genvar s = 0; s < int'(Sets); s++) begin : gen_set
        assign candidates[s] = read_data[bank_of(s, half, i)];
      end
      always_ff @(posedge clk_i) begin
        if (advance) word_q[half][i] <= candidates[set];
      end
    end

    // Place of word i of the beat among the banks.
    logic [index_width(LinkWords)-1:0] source;
    logic exchanged;
    pair_t chosen;
    pair_t pair;
    logic [WordWidth-1:0] sum;
    logic [WordWidth-1:0] difference;

    if (LinkBits == 0) begin : gen_single
      assign source = '0;
    end else begin : gen_several
      assign source = LinkBits'(i) ^ place_q[WordStage].parity[LinkBits-1:0];
    end
    assign exchanged = place_q[WordStage].parity[HalfBit];
    assign chosen.lower = word_q[exchanged][source];
    assign chosen.upper = word_q[!exchanged][source];

    if (Deep) begin : gen_pair_register
      pair_t pair_q;
      always_ff @(posedge clk_i) if (advance) pair_q <= chosen;
      assign pair = pair_q;
    end else begin : gen_no_pair_register
      assign pair = chosen;
    end

    modular_add_sub #(
        .Width(WordWidth),
        .Pipeline(Pipeline)
    ) u_sums (
        .clk_i,
        .enable_i(advance),
        .lhs_i(pair.lower),
        .rhs_i(pair.upper),
        .modulus_i,
        .sum_o(sum),
        .difference_o(difference)
    );

    always_ff @(posedge clk_i) begin
      if (advance) operand_q[i] <= place_q[SumStage].beat[BeatWidth-1] ? difference : sum;
    end

    modular_multiplier #(
        .Width(WordWidth),
        .Reduction(ReductionMontgomery),
        .Word(montgomery_word(N)),
        .Pipeline(Pipeline)
    ) u_scaled (
        .clk_i,
        .enable_i(advance),
        .lhs_i(operand_q[i]),
        .rhs_i(scale[i]),
        .modulus_i,
        .length_i('0),
        .constant_i('0),
        .result_o(data_o[i])
    );
  end

  ram_simple_dual #(
      .Width(LinkWords * WordWidth),
      .Depth(Beats),
      .Style(RamBlock)
  ) u_scale (
      .clk_i,
      .write_i(scale_write_i),
      .write_address_i(scale_beat_i),
      .write_data_i(scale_data_i),
      .read_i(advance),
      .read_address_i(place_q[SumStage].beat),
      .read_data_o(scale)
  );

  assign valid_o = valid_q[Latency];
  assign last_o = last_of_job_q[Latency];

  logic moving;
  always_comb begin
    moving = valid_q != '0;
    for (int unsigned i = 0; i <= SumStage; i++) moving = moving || place_q[i].valid;
  end

  assign busy_o = pending_q != '0 || moving;

  `RINGMILL_ASSERT(Pending, done_i |-> !pending_q[done_region_i], clk_i, !rst_ni)
  for (genvar i = 0; i < int'(LinkWords); i++) begin : gen_assert
    `RINGMILL_ASSERT(Residue, valid_o |-> data_o[i] < modulus_i, clk_i, !rst_ni)
  end

  if (HalfBit < LinkBits) begin : gen_check_banks
    $error("ntt_output: words j and j + N/2 of a beat share banks: choose a smaller LinkWords, or other Units");
  end

endmodule
