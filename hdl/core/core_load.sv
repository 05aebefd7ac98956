// The core's load unit: limbs and strips of limbs from memory into buffers, blocks of constants into slots, tables of
// conversions.
//
// LOAD takes a beat every cycle and writes its words to as many banks. CONSTANTS and TABLE take a word every cycle. Words
// are checked on the way; whatever is wrong, all beats of the request are taken. Where a read failed (ErrorRead), nothing
// is said of words (ErrorWord, ErrorBlock, ErrorTable). Words of a strip are below 2^Width: they have no modulus. A slot's
// modulus and a table's shape are written at the end, and only if their block is good.
//
// Ports: clk_i, rst_ni; start_i, instruction_i, modulus_i (that of the slot, for LOAD), done_o and error_o as core_pkg
// has them; the request and the data of axi_read_master; the load write port of limb_memory; slot_o (or the table) with
// constant_write_o, constant_address_o (from 0), constant_o, with modulus_write_o, modulus_o, with table_write_o, table_word_o
// (the number of a word), constant_o, and with shape_write_o, shape_o.
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
    output logic [Width-1:0]              modulus_o,
    output logic                          table_write_o,
    output logic [TableWordWidth-1:0]     table_word_o,
    output logic                          shape_write_o,
    output shape_t                        shape_o
);

  localparam int unsigned Words = DataWidth / 64;
  localparam int unsigned WordIndex = index_width(Words);
  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned BlockWords = block_words(N, Units, Engine);
  localparam int unsigned BlockEnd = BlockHead + constant_count(N, Units, Engine);
  localparam int unsigned BlockWidth = $clog2(maximum(BlockWords, TableWords));

  typedef enum logic [2:0] {
    KindLimb,
    KindStrip,
    KindModulus,
    KindZero,
    KindConstant,
    KindShape,
    KindPrime,
    KindFactor
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
  logic table_q;
  logic block;  // of words: constants or a table
  logic [2:0] log_rows_q;
  logic [MaxLogRows-1:0] strip_q;
  logic [MaxLogRows-1:0] row_q;
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
      .log_rows_i(log_rows_q),
      .strip_i(strip_q),
      .row_i(row_q),
      .advance_i(take && !block),
      .bank_o(bank),
      .address_o(address),
      .last_o(limb_last)
  );

  assign block = constants_q || table_q;
  assign beat = data_i;
  assign beat_last = 32'(block_q) % Words == Words - 1;
  assign block_word = beat[WordIndex'(32'(block_q) % Words)];
  assign take = taking_q && data_valid_i;
  assign take_last = take && (block ? 32'(block_q) == (table_q ? TableWords : BlockWords) - 1 : limb_last);
  assign data_ready_o = taking_q && (!block || beat_last);

  always_comb begin
    if (!block) kind = log_rows_q == '0 ? KindLimb : KindStrip;
    else if (block_q == '0) kind = table_q ? KindShape : KindModulus;
    else if (32'(block_q) < BlockHead) kind = KindZero;
    else if (table_q) kind = 32'(block_q) < TableHead + 2 * TablePrimes ? KindPrime : KindFactor;
    else kind = 32'(block_q) < BlockEnd ? KindConstant : KindZero;
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
      table_q <= instruction_i.opcode == OpcodeTable;
      log_rows_q <= instruction_i.count[2:0];
      strip_q <= instruction_i.operation;
      row_q <= instruction_i.b;
      load_write_buffer_o <= instruction_i.destination;
      slot_o <= instruction_i.slot;
      request_address_o <= instruction_i.immediate
          + 64'({instruction_i.operation, $clog2(8 * N)'(0)} >> instruction_i.count[2:0]);
    end
  end

  always_comb begin
    if (table_q) request_beats_o = TableWords / Words;
    else request_beats_o = constants_q ? BlockWords / Words : 32'(N / Words) >> log_rows_q;
  end

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
    table_word_o <= TableWordWidth'(block_q);
    for (int unsigned k = 0; k < Words; k++) begin
      words_q[k] <= to_word(block ? block_word : beat[WordIndex'(k ^ 32'(bank) % Words)]);
    end
  end

  always_comb begin
    for (int unsigned x = 0; x < Banks; x++) begin
      load_write_o[x] = valid_q && kind_q inside {KindLimb, KindStrip} && 32'(bank_q) / Words == x / Words;
      load_write_data_o[x] = words_q[x%Words].residue;
    end
  end

  assign constant_write_o = valid_q && kind_q == KindConstant;
  assign constant_o = words_q[0].residue;
  assign table_write_o = valid_q && table_q;

  // Checks.
  logic bad;
  logic bad_shape;
  logic used;  // a prime of a table
  logic long;
  logic [Words-1:0] below;
  logic [5:0] prime;
  shape_t shape;
  logic [31:0] factors;

  always_comb begin
    long = 1'b0;
    for (int unsigned k = 0; k < Words; k++) begin
      below[k] = !words_q[k].too_long && words_q[k].residue < modulus_q;
      long = long || words_q[k].too_long;
    end
    shape = '{
        low: words_q[0].residue[18],
        half: words_q[0].residue[17],
        own: words_q[0].residue[16],
        targets: words_q[0].residue[13:8],
        sources: words_q[0].residue[4:0]
    };
    factors = 3 * 32'(shape.sources) + 32'(shape.targets) * (32'(shape.sources) + 1 + 32'(shape.own));
    bad_shape = words_q[0].too_long || words_q[0].residue[Width-1:19] != '0 || words_q[0].residue[15:14] != '0
        || words_q[0].residue[7:5] != '0 || shape.sources == '0 || shape.targets == '0
        || 32'(shape.targets) > TablePrimes || factors > TableFactors;
    prime = 6'(table_word_o - TableWordWidth'(TableHead));
    used = prime[5] ? {1'b0, prime[4:0]} < shape_o.targets : prime[4:0] < shape_o.sources;
    case (kind_q)
      KindStrip, KindFactor: bad = long;
      KindShape: bad = bad_shape;
      KindPrime: bad = used ? long || words_q[0].residue[Word-1:0] != Word'(1) : words_q[0] != '0;
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
      if (kind_q == KindShape) shape_o <= shape;
      found_failed_q <= found_failed_q || failed_q;
      found_bad_q <= found_bad_q || bad;
    end
  end

  always_comb begin
    if (found_failed_q) error_o = ErrorRead;
    else if (found_bad_q) error_o = table_q ? ErrorTable : constants_q ? ErrorBlock : ErrorWord;
    else error_o = ErrorNone;
  end

  assign modulus_write_o = done_o && constants_q && error_o == ErrorNone;
  assign modulus_o = modulus_q;
  assign shape_write_o = done_o && table_q && error_o == ErrorNone;

  // What other units need of the instruction.
  logic unused;
  assign unused = ^{instruction_i.a, instruction_i.count[5:3]};

  `RINGMILL_ASSERT(StartsIdle, start_i |-> !taking_q && !request_valid_o && !valid_q, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Known, start_i |-> instruction_i.opcode inside {OpcodeLoad, OpcodeConstants, OpcodeTable}, clk_i, !rst_ni)
  `RINGMILL_ASSERT(AskedBefore, data_valid_i && data_ready_o |-> !request_valid_o, clk_i, !rst_ni)

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_check_data
    $error("core_load: DataWidth must be 64, 128 or 256");
  end
  if (Width < 2 || Width > 63 || Word < 1 || Word > Width) begin : gen_check_width
    $error("core_load: Width must be from 2 to 63, Word from 1 to Width");
  end

endmodule
