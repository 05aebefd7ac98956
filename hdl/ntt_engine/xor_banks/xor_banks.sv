// The XOR-bank engine: transforms of polynomials in banks that are not its own (see xor_banks_pkg).
//
// The first pass reads the source buffer, all passes write the destination; they may be the same.
//
// Ports: clk_i, rst_ni; modulus_i, constant while busy; constant_write_i, constant_slot_i, constant_address_i,
// constant_data_i, not for the slot in use; start_i with inverse_i, slot_i, source_i, destination_i, while idle; busy_o,
// up to the last write.
// Banks: read_o with read_address_o, answered on read_data_i BankLatency cycles later; write_o (one bit a bank),
// write_address_o, write_data_o. An address is {buffer, word}.
// Latency: transform_cycles(...) from the first read to the last write.

`include "assertions.svh"

module xor_banks
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter ring_e Ring = RingFermat,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter int unsigned Buffers = 2,
    parameter int unsigned Slots = 1,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned BufferWidth = index_width(Buffers),
    localparam int unsigned SlotWidth = index_width(Slots),
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                                           clk_i,
    input  logic                                           rst_ni,
    input  logic [Width-1:0]                               modulus_i,
    input  logic                                           constant_write_i,
    input  logic [SlotWidth-1:0]                           constant_slot_i,
    input  logic [31:0]                                    constant_address_i,
    input  logic [Width-1:0]                               constant_data_i,
    input  logic                                           start_i,
    input  logic                                           inverse_i,
    input  logic [SlotWidth-1:0]                           slot_i,
    input  logic [BufferWidth-1:0]                         source_i,
    input  logic [BufferWidth-1:0]                         destination_i,
    output logic                                           busy_o,
    output logic                                           read_o,
    output logic [Banks-1:0][BufferWidth+SlotBits-1:0]     read_address_o,
    input  logic [Banks-1:0][Width-1:0]                    read_data_i,
    output logic [Banks-1:0]                               write_o,
    output logic [Banks-1:0][BufferWidth+SlotBits-1:0]     write_address_o,
    output logic [Banks-1:0][Width-1:0]                    write_data_o
);

  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned Memories = factor_memories(N, Units, Ring);

  issue_t issue;
  issue_t done;
  logic [Memories-1:0][Width-1:0] factor;
  logic [BufferWidth-1:0] source_q;
  logic [BufferWidth-1:0] destination_q;
  logic [SlotWidth-1:0] slot_q;

  xor_banks_sequencer #(
      .N(N),
      .Units(Units),
      .Ring(Ring),
      .Latency(slot_latency(Width, Word, Pipeline))
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i,
      .inverse_i,
      .issue_o(issue)
  );

  // A unit's address differs from the first one's by bits of its bank.
  logic [Memories-1:0][FactorAddressWidth-1:0] factor_address;

  for (genvar i = 0; i < int'(Memories); i++) begin : gen_factor_address
    localparam logic [(1<<ClassWidth)-1:0] OwnBits = (1 << ClassWidth)'(own_bank(i));
    always_comb begin
      factor_address[i] = issue.factor;
      for (int unsigned b = 0; b < TableAddressWidth; b++) begin
        factor_address[i][b] = issue.factor[b] ^ OwnBits[issue.factor_class[b]];
      end
    end
  end

  xor_banks_factors #(
      .Memories(Memories),
      .Same(Ring == RingFermat),
      .Slots(Slots),
      .Depth(factor_count(N, Units, Ring)),
      .Width(Width)
  ) u_factors (
      .clk_i,
      .read_i(issue.valid),
      .read_slot_i(slot_q),
      .read_address_i(factor_address),
      .read_data_o(factor),
      .write_i(constant_write_i),
      .write_slot_i(constant_slot_i),
      .write_address_i(constant_address_i),
      .write_data_i(constant_data_i)
  );

  // The slot waits for its words.
  issue_t [BankLatency-1:0] issue_q;

  always_ff @(posedge clk_i) begin
    issue_q <= {issue_q[BankLatency-2:0], issue};
    if (!rst_ni) begin
      for (int unsigned i = 0; i < BankLatency; i++) issue_q[i].valid <= 1'b0;
    end
  end

  xor_banks_array #(
      .Units(Units),
      .Memories(Memories),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_array (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .issue_i(issue_q[BankLatency-1]),
      .data_i(read_data_i),
      .factor_i(factor),
      .done_o(done),
      .write_o,
      .result_o(write_data_o)
  );

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      slot_q <= slot_i;
      source_q <= source_i;
      destination_q <= destination_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_o <= 1'b0;
    else if (start_i) busy_o <= 1'b1;
    else if (done.last) busy_o <= 1'b0;
  end

  assign read_o = issue.valid;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    for (genvar a = 0; a < int'(SlotBits); a++) begin : gen_address
      localparam bit Version = 1'(bank >> (a % int'(BankBits)));
      assign read_address_o[bank][a] = issue.address[Version][a];
      assign write_address_o[bank][a] = done.address[Version][a];
    end
    assign read_address_o[bank][SlotBits+:BufferWidth] = issue.first ? source_q : destination_q;
    assign write_address_o[bank][SlotBits+:BufferWidth] = destination_q;
  end

  logic unused;
  assign unused = ^{issue, done};

  `RINGMILL_ASSERT(StartWhileIdle, start_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(ConstantsNotInUse, constant_write_i |-> !busy_o || constant_slot_i != slot_q, clk_i, !rst_ni)

endmodule
