// The core's limbs: Limbs buffers of 2 * Units banks, and the ways of five units to them.
//
// Where a limb's words lie is the engine's matter (limb_walk): the memory knows banks and addresses.
// In a cycle a buffer serves the reads of one unit and the writes of one unit; the vector unit may read its operands
// a and b from one buffer if all addresses agree. Different buffers do not notice each other.
//
// Ports: clk_i, rst_ni; for each reader a bit that it reads, its buffer, an address a bank (b and store: one for all),
// and BankLatency cycles later a word a bank; for each writer a bit a bank that it writes (vector: one for all), its
// buffer, an address a bank (load: one for all), a word a bank. A word can be read from the cycle after its write on.

`include "assertions.svh"

module limb_memory
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Width = 50,
    parameter ram_style_e Style = RamAuto,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,

    input  logic                               transform_read_i,
    input  logic [BufferWidth-1:0]             transform_read_buffer_i,
    input  logic [Banks-1:0][SlotBits-1:0]     transform_read_address_i,
    output logic [Banks-1:0][Width-1:0]        transform_read_data_o,
    input  logic [Banks-1:0]                   transform_write_i,
    input  logic [BufferWidth-1:0]             transform_write_buffer_i,
    input  logic [Banks-1:0][SlotBits-1:0]     transform_write_address_i,
    input  logic [Banks-1:0][Width-1:0]        transform_write_data_i,

    input  logic                               vector_read_a_i,
    input  logic [BufferWidth-1:0]             vector_read_a_buffer_i,
    input  logic [Banks-1:0][SlotBits-1:0]     vector_read_a_address_i,
    output logic [Banks-1:0][Width-1:0]        vector_read_a_data_o,
    input  logic                               vector_read_b_i,
    input  logic [BufferWidth-1:0]             vector_read_b_buffer_i,
    input  logic [SlotBits-1:0]                vector_read_b_address_i,
    output logic [Banks-1:0][Width-1:0]        vector_read_b_data_o,
    input  logic                               vector_write_i,
    input  logic [BufferWidth-1:0]             vector_write_buffer_i,
    input  logic [Banks-1:0][SlotBits-1:0]     vector_write_address_i,
    input  logic [Banks-1:0][Width-1:0]        vector_write_data_i,

    input  logic [Banks-1:0]                   load_write_i,
    input  logic [BufferWidth-1:0]             load_write_buffer_i,
    input  logic [SlotBits-1:0]                load_write_address_i,
    input  logic [Banks-1:0][Width-1:0]        load_write_data_i,

    input  logic                               conversion_read_i,
    input  logic [BufferWidth-1:0]             conversion_read_buffer_i,
    input  logic [SlotBits-1:0]                conversion_read_address_i,
    output logic [Banks-1:0][Width-1:0]        conversion_read_data_o,
    input  logic                               conversion_write_i,
    input  logic [BufferWidth-1:0]             conversion_write_buffer_i,
    input  logic [SlotBits-1:0]                conversion_write_address_i,
    input  logic [Banks-1:0][Width-1:0]        conversion_write_data_i,

    input  logic                               store_read_i,
    input  logic [BufferWidth-1:0]             store_read_buffer_i,
    input  logic [SlotBits-1:0]                store_read_address_i,
    output logic [Banks-1:0][Width-1:0]        store_read_data_o
);

  // Who reads and who writes each buffer.
  logic [Limbs-1:0] transform_reads, a_reads, b_reads, conversion_reads, store_reads;
  logic [Limbs-1:0] transform_writes, vector_writes, conversion_writes, load_writes;

  always_comb begin
    for (int unsigned buffer = 0; buffer < Limbs; buffer++) begin
      transform_reads[buffer] = transform_read_i && transform_read_buffer_i == BufferWidth'(buffer);
      a_reads[buffer] = vector_read_a_i && vector_read_a_buffer_i == BufferWidth'(buffer);
      b_reads[buffer] = vector_read_b_i && vector_read_b_buffer_i == BufferWidth'(buffer);
      conversion_reads[buffer] = conversion_read_i && conversion_read_buffer_i == BufferWidth'(buffer);
      conversion_writes[buffer] = conversion_write_i && conversion_write_buffer_i == BufferWidth'(buffer);
      store_reads[buffer] = store_read_i && store_read_buffer_i == BufferWidth'(buffer);
      transform_writes[buffer] = transform_write_buffer_i == BufferWidth'(buffer);
      vector_writes[buffer] = vector_write_i && vector_write_buffer_i == BufferWidth'(buffer);
      load_writes[buffer] = load_write_buffer_i == BufferWidth'(buffer);
    end
  end

  // Readers are transform, a, b, conversion, store; writers vector, conversion, load, transform.
  localparam int unsigned Readers = 5;
  localparam int unsigned Writers = 4;

  // The readers' buffers when their words come out of the memories.
  localparam int unsigned ChoiceWidth = index_width(Limbs);
  logic [Readers-1:0][ChoiceWidth-1:0] choice_q;

  always_ff @(posedge clk_i) begin
    choice_q <= {ChoiceWidth'(store_read_buffer_i), ChoiceWidth'(conversion_read_buffer_i),
                 ChoiceWidth'(vector_read_b_buffer_i), ChoiceWidth'(vector_read_a_buffer_i),
                 ChoiceWidth'(transform_read_buffer_i)};
  end

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    logic [Readers-1:0][Width-1:0] words;

    limb_bank #(
        .Limbs(Limbs),
        .Depth(1 << SlotBits),
        .Width(Width),
        .Readers(Readers),
        .Writers(Writers),
        .Style(Style)
    ) u_bank (
        .clk_i,
        .read_i({store_reads, conversion_reads, b_reads, a_reads, transform_reads}),
        .choice_i(choice_q),
        .read_address_i({store_read_address_i, conversion_read_address_i, vector_read_b_address_i,
                         vector_read_a_address_i[bank], transform_read_address_i[bank]}),
        .read_data_o(words),
        .write_i({transform_writes & {Limbs{transform_write_i[bank]}}, load_writes & {Limbs{load_write_i[bank]}},
                  conversion_writes, vector_writes}),
        .write_address_i({transform_write_address_i[bank], load_write_address_i, conversion_write_address_i,
                          vector_write_address_i[bank]}),
        .write_data_i({transform_write_data_i[bank], load_write_data_i[bank], conversion_write_data_i[bank],
                       vector_write_data_i[bank]})
    );
    assign {store_read_data_o[bank], conversion_read_data_o[bank], vector_read_b_data_o[bank],
            vector_read_a_data_o[bank], transform_read_data_o[bank]} = words;
  end

  function automatic logic exists(logic used, logic [BufferWidth-1:0] buffer);
    return !used || 32'(buffer) < Limbs;
  endfunction

  // The units that write each buffer, and those that read it.
  logic [Limbs-1:0] written_once, read_once;

  always_comb begin
    for (int unsigned buffer = 0; buffer < Limbs; buffer++) begin
      written_once[buffer] = $onehot0({|transform_write_i && transform_writes[buffer], vector_writes[buffer],
                                       conversion_writes[buffer], |load_write_i && load_writes[buffer]});
      read_once[buffer] = $onehot0({transform_reads[buffer], a_reads[buffer] || b_reads[buffer],
                                    conversion_reads[buffer], store_reads[buffer]});
    end
  end

  logic unused;
  assign unused = ^{rst_ni, written_once, read_once};

  `RINGMILL_ASSERT(OneWriter, &written_once, clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneReader, &read_once, clk_i, !rst_ni)
  `RINGMILL_ASSERT(BothOperandsThere,
                   vector_read_a_i && vector_read_b_i && vector_read_a_buffer_i == vector_read_b_buffer_i
                   |-> vector_read_a_address_i == {Banks{vector_read_b_address_i}}, clk_i, !rst_ni)
  `RINGMILL_ASSERT(BuffersExist,
                   exists(transform_read_i, transform_read_buffer_i) && exists(vector_read_a_i, vector_read_a_buffer_i)
                   && exists(vector_read_b_i, vector_read_b_buffer_i) && exists(store_read_i, store_read_buffer_i)
                   && exists(|transform_write_i, transform_write_buffer_i)
                   && exists(vector_write_i, vector_write_buffer_i)
                   && exists(conversion_read_i, conversion_read_buffer_i)
                   && exists(conversion_write_i, conversion_write_buffer_i)
                   && exists(|load_write_i, load_write_buffer_i), clk_i, !rst_ni)

  if (Limbs < 4 || Limbs > MaxLimbs) begin : gen_check_limbs
    $error("limb_memory: Limbs must be from 4 to 32");
  end
  if (1 << $clog2(N) != N || 1 << $clog2(Units) != Units || 4 * Units > N) begin : gen_check_sizes
    $error("limb_memory: N and Units must be powers of two, Units at most N / 4");
  end

endmodule
