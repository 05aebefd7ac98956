// The core's vector unit: operations on words of equal index, sums of products, and automorphisms, a word a lane and cycle.
//
// All instructions take the same way: banks, vector_lane, lane_network, banks. But for automorphisms the network moves
// nothing, and all banks have the slot's number as address.
//
// Automorphisms. The word of index i goes to i + shift, each field of the index modulo its size. In a slot the banks
// tell apart the upper bits of the largest field, whose number is s; the other bits are the slot's number. Among the
// words of a slot the other bits are equal, before and after: the carry out of the field is dropped, and the carry into s
// is the same for all. So s moves by a constant, and reads and writes have no conflict. Bank x has the word whose bit of
// s of class j is bit j of x XOR the parity of the slot's bits of this class (xor_banks_pkg). The network works on
// positions: the bits of the bank's number in the order of s, which is a rotation.
//
// Ports: clk_i, rst_ni; start_i, while idle, with instruction_i: a checked one of OpcodeVector, OpcodeMac or
// OpcodeAutomorphism; modulus_i, constant from then on; done_o, one cycle, with the last write. Reads: read_a_o,
// buffer_a_o, address_a_o (one a bank); read_b_o, buffer_b_o, address_b_o (one for all banks); data_a_i and data_b_i
// BankLatency cycles later. Writes: write_o (one bit a bank), buffer_o, address_o, data_o. A word is read
// vector_write_latency(...) cycles before it is written: sources of OpcodeVector may be the destination.
// Latency: vector_cycles(...) from a start to the next possible one.

`include "assertions.svh"

module core_vector
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
  import core_vector_pkg::*;
#(
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           start_i,
    input  instruction_t                   instruction_i,
    input  logic [Width-1:0]               modulus_i,
    output logic                           done_o,
    output logic                           read_a_o,
    output logic [BufferWidth-1:0]         buffer_a_o,
    output logic [Banks-1:0][SlotBits-1:0] address_a_o,
    input  logic [Banks-1:0][Width-1:0]    data_a_i,
    output logic                           read_b_o,
    output logic [BufferWidth-1:0]         buffer_b_o,
    output logic [SlotBits-1:0]            address_b_o,
    input  logic [Banks-1:0][Width-1:0]    data_b_i,
    output logic [Banks-1:0]               write_o,
    output logic [BufferWidth-1:0]         buffer_o,
    output logic [Banks-1:0][SlotBits-1:0] address_o,
    output logic [Banks-1:0][Width-1:0]    data_o
);

  localparam int unsigned IndexBits = $clog2(N);
  localparam int unsigned BankBits = bank_bits(Units);
  localparam int unsigned Field = largest_field(N);

  // Cycles from the read to the route's input of the network, and to the write.
  localparam int unsigned Route = BankLatency + vector_lane_latency(Width, Word, Pipeline) - NetworkLead;
  localparam int unsigned Write = vector_write_latency(Units, Width, Word, Pipeline);

  typedef logic [1:0][SlotBits-1:0] addresses_t;  // of banks whose bit is 0, and 1

  // Parities of the bits of an index that are not told apart, by their classes.
  function automatic logic [BankBits-1:0] parities(logic [IndexBits-1:0] index);
    logic [BankBits-1:0] result;
    result = '0;
    for (int unsigned m = 0; m < IndexBits; m++) begin
      if (!is_told_apart(N, Units, m)) result[m%BankBits] = result[m%BankBits] ^ index[m];
    end
    return result;
  endfunction

  // Addresses of the words that have these bits.
  function automatic addresses_t addresses(logic [IndexBits-1:0] index);
    logic [BankBits-1:0] parity;
    addresses_t result;
    parity = parities(index);
    for (int unsigned a = 0; a < SlotBits; a++) begin
      for (int unsigned version = 0; version < 2; version++) begin
        result[version][a] = is_told_apart(N, Units, a + BankBits) ? parity[a%BankBits] ^ 1'(version)
                                                                   : index[a+BankBits];
      end
    end
    return result;
  endfunction

  // Bits of classes in the order of s.
  function automatic logic [BankBits-1:0] in_order(logic [BankBits-1:0] by_class);
    logic [BankBits-1:0] result;
    for (int unsigned i = 0; i < BankBits; i++) result[i] = by_class[(Field+i)%BankBits];
    return result;
  endfunction

  // Where the instruction is.
  instruction_t instruction_q;
  lane_e operation_q;
  logic automorphism_q;
  logic active_q;
  logic [SlotBits-1:0] slot_q;
  logic [BufferWidth-1:0] term_q;
  logic last_term;
  logic last;

  assign last_term = instruction_q.opcode != OpcodeMac || {1'b0, term_q} + 1'b1 == instruction_q.count;
  assign last = last_term && &slot_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      instruction_q <= instruction_i;
      operation_q <= lane_operation(instruction_i);
      automorphism_q <= instruction_i.opcode == OpcodeAutomorphism;
      slot_q <= '0;
      term_q <= '0;
    end else if (last_term) begin
      slot_q <= slot_q + 1'b1;
      term_q <= '0;
    end else begin
      term_q <= term_q + 1'b1;
    end
  end

  // The slot's index and where it goes. Bits told apart are 0, so those of the sum are what s moves by.
  logic [IndexBits-1:0] index;
  logic [IndexBits-1:0] shift;
  logic [IndexBits-1:0] moved;

  for (genvar m = 0; m < int'(IndexBits); m++) begin : gen_index
    if (is_told_apart(N, Units, m)) begin : gen_told_apart
      assign index[m] = 1'b0;
    end else begin : gen_slot
      assign index[m] = slot_q[m<int'(Field)?m : m-int'(BankBits)];
    end
  end

  assign shift = instruction_q.immediate[IndexBits-1:0];

  for (genvar e = 0; e < $clog2(IndexBits + 1); e++) begin : gen_field
    localparam int unsigned Length = 1 << e;
    localparam int unsigned Low = IndexBits & ~(2 * Length - 1);
    if ((IndexBits & Length) != 0) begin : gen_sum
      assign moved[Low+:Length] = index[Low+:Length] + shift[Low+:Length];
    end
  end

  // Reads; where the slot goes.
  addresses_t read_address_q;
  logic [BankLatency:0] first_q;
  logic [SlotBits-1:0] read_slot_q;
  logic [IndexBits-1:0] moved_q;
  logic [BankBits-1:0] read_flip_q;

  always_ff @(posedge clk_i) begin
    read_a_o <= rst_ni && active_q && operation_q != LaneFill;
    read_b_o <= rst_ni && active_q && takes_b(operation_q);
    buffer_a_o <= instruction_q.a + term_q;
    buffer_b_o <= instruction_q.b + term_q;
    read_address_q <= automorphism_q ? addresses(index) : {slot_q, slot_q};
    first_q <= {first_q[BankLatency-1:0], term_q == '0};
    read_slot_q <= slot_q;
    moved_q <= moved;
    read_flip_q <= in_order(parities(index));
  end

  assign address_b_o = read_slot_q;

  // Writes, from the cycle of the read on; their places from one cycle later on.
  typedef struct packed {
    addresses_t address;
    logic [BankBits-1:0] shift;
    logic [BankBits-1:0] read_flip;
    logic [BankBits-1:0] write_flip;
  } place_t;

  logic [Write:0] write_q;
  logic [Write:0] last_q;
  place_t place;
  place_t [Write:1] place_q;

  always_comb begin
    place = '{address: {read_slot_q, read_slot_q}, default: '0};
    if (automorphism_q) begin
      place.address = addresses(moved_q);
      place.shift = moved_q[Field-1-:BankBits];
      place.read_flip = read_flip_q;
      place.write_flip = in_order(parities(moved_q));
    end
  end

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni ? {write_q[Write-1:0], active_q && last_term} : '0;
    last_q <= rst_ni ? {last_q[Write-1:0], active_q && last} : '0;
    place_q <= {place_q[Write-1:1], place};
  end

  // Words: lanes by banks, the network by positions.
  logic [Banks-1:0][Width-1:0] results;
  logic [Banks-1:0][Width-1:0] routed;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
    localparam logic [BankBits-1:0] Position = in_order(BankBits'(bank));

    vector_lane #(
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline)
    ) u_lane (
        .clk_i,
        .operation_i(operation_q),
        .first_i(first_q[BankLatency]),
        .a_i(data_a_i[bank]),
        .b_i(data_b_i[bank]),
        .constant_i(instruction_q.immediate[Width-1:0]),
        .modulus_i,
        .result_o(results[Position])
    );

    for (genvar a = 0; a < int'(SlotBits); a++) begin : gen_address
      localparam bit Version = 1'(bank >> (a % int'(BankBits)));
      assign address_a_o[bank][a] = read_address_q[Version][a];
      assign address_o[bank][a] = place_q[Write].address[Version][a];
    end
    assign data_o[bank] = routed[Position];
  end

  lane_network #(
      .Width(Width),
      .Lanes(Banks),
      .Pipeline(Pipeline)
  ) u_network (
      .clk_i,
      .shift_i(place_q[Route].shift),
      .read_flip_i(place_q[Route].read_flip),
      .write_flip_i(place_q[Route].write_flip),
      .data_i(results),
      .data_o(routed)
  );

  assign write_o = {Banks{write_q[Write]}};
  assign buffer_o = instruction_q.destination;
  assign done_o = last_q[Write];

  logic unused;
  assign unused = ^{instruction_q, place_q[Write]};

  `RINGMILL_ASSERT(StartWhileIdle, start_i |-> !active_q && last_q == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Opcode, start_i |-> instruction_i.opcode inside {OpcodeVector, OpcodeMac, OpcodeAutomorphism},
                   clk_i, !rst_ni)

  if (N < 4 * Units || N > 65536 || 1 << IndexBits != N || 1 << $clog2(Units) != Units) begin : gen_check_powers
    $error("core_vector: N and Units must be powers of two, 4 * Units <= N <= 65536");
  end
  if (Field < BankBits) begin : gen_check_field
    $error("core_vector: the largest field of the index has too few bits for so many Units");
  end

endmodule
