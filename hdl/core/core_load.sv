// The core's load unit: limbs from memory into buffers, and blocks of constants into slots.
//
// LOAD takes a beat every cycle and writes its words to as many banks. CONSTANTS takes a word every cycle. Words are
// checked on the way; whatever is wrong, all beats of the request are taken. Where a read failed (ErrorRead), nothing
// is said of words (ErrorWord, ErrorBlock). A slot's modulus is written at the end, and only if its block is good.
//
// Ports: clk_i, rst_ni; start_i, instruction_i, modulus_i (that of the slot, for LOAD), done_o and error_o as core_pkg
// has them; the request and the data of axi_read_master; the load write port of limb_memory; slot_o with
// constant_write_o, constant_address_o (from 0), constant_o, and with modulus_write_o, modulus_o.
// Latency: 1 from start_i to the request, 2 from the last beat, or its last word, to done_o.

`include "assertions.svh"

module core_load
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter int unsigned DataWidth = 256,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,

    input  logic                          start_i,
    input  instruction_t                  instruction_i,
    input  logic [Width-1:0]              modulus_i,
    output logic                          done_o,
    output error_e                        error_o,

    output logic                          request_valid_o,
    input  logic                          request_ready_i,
    output logic [63:0]                   request_address_o,
    output logic [31:0]                   request_beats_o,
    input  logic                          data_valid_i,
    output logic                          data_ready_o,
    input  logic [DataWidth-1:0]          data_i,
    input  logic                          data_error_i,

    output logic [Banks-1:0]              load_write_o,
    output logic [BufferWidth-1:0]        load_write_buffer_o,
    output logic [SlotBits-1:0]           load_write_address_o,
    output logic [Banks-1:0][Width-1:0]   load_write_data_o,

    output logic [SlotWidth-1:0]          slot_o,
    output logic                          constant_write_o,
    output logic [FactorAddressWidth-1:0] constant_address_o,
    output logic [Width-1:0]              constant_o,
    output logic                          modulus_write_o,
    output logic [Width-1:0]              modulus_o
);

  localparam int unsigned Words = DataWidth / 64;
  localparam int unsigned WordIndex = index_width(Words);
  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned BlockWords = block_words(N, Units, Engine);
  localparam int unsigned BlockEnd = BlockHead + constant_count(N, Units, Engine);
  localparam int unsigned BlockWidth = $clog2(BlockWords);

  typedef enum logic [1:0] {
    KindLimb,
    KindModulus,
    KindZero,
    KindConstant
  } kind_e;

  // A word of memory: its residue, and whether it is too long for one.
  typedef struct packed {
    logic too_long;
    logic [Width-1:0] residue;
  } word_t;

  function automatic word_t to_word(logic [63:0] bits);
    return '{too_long: bits[63:Width] != '0, residue: bits[Width-1:0]};
  endfunction

  // What is in work, and whether its beats are not all there yet.
  logic taking_q;
  logic constants_q;
  logic [Width-1:0] modulus_q;
  logic take;
  logic take_last;

  // The beat's place in the limb, the word's in the block and in its beat.
  logic [BankBits-1:0] bank;
  logic [SlotBits-1:0] address;
  logic limb_last;
  logic [BlockWidth-1:0] block_q;
  logic [Words-1:0][63:0] beat;
  logic [63:0] block_word;
  logic beat_last;
  kind_e kind;

  limb_walk #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Words(Words)
  ) u_walk (
      .clk_i,
      .rst_ni,
      .advance_i(take && !constants_q),
      .bank_o(bank),
      .address_o(address),
      .last_o(limb_last)
  );

  assign beat = data_i;
  assign beat_last = 32'(block_q) % Words == Words - 1;
  assign block_word = beat[WordIndex'(32'(block_q) % Words)];
  assign take = taking_q && data_valid_i;
  assign take_last = take && (constants_q ? block_q == BlockWidth'(BlockWords - 1) : limb_last);
  assign data_ready_o = taking_q && (!constants_q || beat_last);

  always_comb begin
    if (!constants_q) kind = KindLimb;
    else if (block_q == '0) kind = KindModulus;
    else if (32'(block_q) >= BlockHead && 32'(block_q) < BlockEnd) kind = KindConstant;
    else kind = KindZero;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taking_q <= 1'b0;
      request_valid_o <= 1'b0;
    end else begin
      taking_q <= start_i || taking_q && !take_last;
      request_valid_o <= start_i || request_valid_o && !request_ready_i;
    end
    if (start_i) block_q <= '0;
    else if (take) block_q <= block_q + 1'b1;
    if (start_i) begin
      constants_q <= instruction_i.opcode == OpcodeConstants;
      load_write_buffer_o <= instruction_i.destination;
      slot_o <= instruction_i.slot;
      request_address_o <= instruction_i.immediate;
    end
  end

  assign request_beats_o = constants_q ? BlockWords / Words : N / Words;

  // The words, in the order of their banks: a beat's, or one of the block. Word k's bank is that of the first XOR k.
  logic valid_q;
  logic last_q;
  logic failed_q;
  kind_e kind_q;
  word_t [Words-1:0] words_q;
  logic [BankBits-1:0] bank_q;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni && take;
    last_q <= rst_ni && take_last;
    failed_q <= data_error_i;
    kind_q <= kind;
    bank_q <= bank;
    load_write_address_o <= address;
    constant_address_o <= FactorAddressWidth'(block_q) - FactorAddressWidth'(BlockHead);
    for (int unsigned k = 0; k < Words; k++) begin
      words_q[k] <= to_word(constants_q ? block_word : beat[WordIndex'(k ^ 32'(bank) % Words)]);
    end
  end

  always_comb begin
    for (int unsigned x = 0; x < Banks; x++) begin
      load_write_o[x] = valid_q && kind_q == KindLimb && 32'(bank_q) / Words == x / Words;
      load_write_data_o[x] = words_q[x%Words].residue;
    end
  end

  assign constant_write_o = valid_q && kind_q == KindConstant;
  assign constant_o = words_q[0].residue;

  // Checks.
  logic bad;
  logic [Words-1:0] below;

  always_comb begin
    for (int unsigned k = 0; k < Words; k++) below[k] = !words_q[k].too_long && words_q[k].residue < modulus_q;
    case (kind_q)
      KindModulus: bad = words_q[0].too_long || words_q[0].residue[Word-1:0] != Word'(1);
      KindZero: bad = words_q[0] != '0;
      default: bad = !(&below);
    endcase
  end

  logic found_failed_q;
  logic found_bad_q;

  always_ff @(posedge clk_i) begin
    done_o <= rst_ni && last_q;
    if (start_i) begin
      modulus_q <= modulus_i;
      found_failed_q <= 1'b0;
      found_bad_q <= 1'b0;
    end else if (valid_q) begin
      if (kind_q == KindModulus) modulus_q <= words_q[0].residue;
      found_failed_q <= found_failed_q || failed_q;
      found_bad_q <= found_bad_q || bad;
    end
  end

  always_comb begin
    if (found_failed_q) error_o = ErrorRead;
    else if (found_bad_q) error_o = constants_q ? ErrorBlock : ErrorWord;
    else error_o = ErrorNone;
  end

  assign modulus_write_o = done_o && constants_q && error_o == ErrorNone;
  assign modulus_o = modulus_q;

  // What other units need of the instruction.
  logic unused;
  assign unused = ^{instruction_i.operation, instruction_i.a, instruction_i.b, instruction_i.count};

  `RINGMILL_ASSERT(StartsIdle, start_i |-> !taking_q && !request_valid_o && !valid_q, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Known, start_i |-> instruction_i.opcode inside {OpcodeLoad, OpcodeConstants}, clk_i, !rst_ni)
  `RINGMILL_ASSERT(AskedBefore, data_valid_i && data_ready_o |-> !request_valid_o, clk_i, !rst_ni)

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_check_data
    $error("core_load: DataWidth must be 64, 128 or 256");
  end
  if (Width < 2 || Width > 63 || Word < 1 || Word > Width) begin : gen_check_width
    $error("core_load: Width must be from 2 to 63, Word from 1 to Width");
  end

endmodule
