// The transform unit: NTT by either engine, between any two buffers or in place.
//
// The engine with dedicated reads has constants of one prime. Of the banks the first Units are the low halves of its
// words, in the order of the coefficients that lie there, the others the high halves (limb_walk). Its inverse is the
// scaled one, whose coefficient x is at the place of -x mod N.
//
// Ports: clk_i, rst_ni; start_i, instruction_i, done_o as core_pkg says; modulus_i, of the instruction's slot, constant
// while busy; constant_write_i, constant_slot_i, constant_address_i, constant_data_i, not for the slot in use. The limb
// memory's: read_o, read_buffer_o, read_address_o (one a bank), BankLatency cycles later read_data_i; write_o (one bit a
// bank), write_buffer_o, write_address_o, write_data_o.
// Latency from start_i to done_o: SequencerLatency and transform_cycles(...) of xor_banks_pkg, or StartLatency and
// operation_cycles(...) of dedicated_read_pkg, whose units are slower by BankLatency - 1.

`include "assertions.svh"

module core_transform
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
  import dedicated_read_pkg::bank_words;
  import dedicated_read_pkg::coefficient_place;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Slots = 2,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               start_i,
    input  instruction_t                       instruction_i,
    input  logic [Width-1:0]                   modulus_i,
    output logic                               done_o,
    input  logic                               constant_write_i,
    input  logic [SlotWidth-1:0]               constant_slot_i,
    input  logic [31:0]                        constant_address_i,
    input  logic [Width-1:0]                   constant_data_i,
    output logic                               read_o,
    output logic [BufferWidth-1:0]             read_buffer_o,
    output logic [Banks-1:0][SlotBits-1:0]     read_address_o,
    input  logic [Banks-1:0][Width-1:0]        read_data_i,
    output logic [Banks-1:0]                   write_o,
    output logic [BufferWidth-1:0]             write_buffer_o,
    output logic [Banks-1:0][SlotBits-1:0]     write_address_o,
    output logic [Banks-1:0][Width-1:0]        write_data_o
);

  localparam int unsigned EngineBuffer = index_width(Limbs);
  localparam int unsigned EngineSlot = index_width(Slots);

  logic busy;
  logic busy_q;

  always_ff @(posedge clk_i) busy_q <= rst_ni && busy;
  assign done_o = busy_q && !busy;

  if (Engine == EngineXorBanks) begin : gen_xor_banks
    logic [Banks-1:0][EngineBuffer+SlotBits-1:0] read_address;
    logic [Banks-1:0][EngineBuffer+SlotBits-1:0] write_address;

    xor_banks #(
        .N(N),
        .Units(Units),
        .Width(Width),
        .Word(Word),
        .Ring(RingFermat),
        .Pipeline(Pipeline),
        .Buffers(Limbs),
        .Slots(Slots)
    ) u_engine (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .constant_write_i,
        .constant_slot_i(constant_slot_i[EngineSlot-1:0]),
        .constant_address_i,
        .constant_data_i,
        .start_i,
        .inverse_i(instruction_i.operation[0]),
        .slot_i(instruction_i.slot[EngineSlot-1:0]),
        .source_i(instruction_i.a[EngineBuffer-1:0]),
        .destination_i(instruction_i.destination[EngineBuffer-1:0]),
        .busy_o(busy),
        .read_o,
        .read_address_o(read_address),
        .read_data_i,
        .write_o,
        .write_address_o(write_address),
        .write_data_o
    );

    // All banks have the same buffer.
    assign read_buffer_o = BufferWidth'(read_address[0][SlotBits+:EngineBuffer]);
    assign write_buffer_o = BufferWidth'(write_address[0][SlotBits+:EngineBuffer]);
    for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
      assign read_address_o[bank] = read_address[bank][SlotBits-1:0];
      assign write_address_o[bank] = write_address[bank][SlotBits-1:0];
    end

    logic unused;
    assign unused = ^{read_address, write_address};
  end else begin : gen_dedicated_read
    logic [EngineBuffer+SlotBits-1:0] read_address;
    logic [EngineBuffer+SlotBits-1:0] write_address;
    logic [Units-1:0][1:0][Width-1:0] read_data;
    logic [Units-1:0][1:0][Width-1:0] write_data;
    logic write;
    dedicated_read_pkg::operation_e operation;

    assign operation = instruction_i.operation[0] ? dedicated_read_pkg::OperationInverseScaled
                                                  : dedicated_read_pkg::OperationForward;

    dedicated_read #(
        .N(N),
        .Units(Units),
        .Width(Width),
        .Word(Word),
        .AddressWidth(EngineBuffer + SlotBits),
        .ReadLatency(BankLatency),
        .Pipeline(Pipeline)
    ) u_engine (
        .clk_i,
        .rst_ni,
        .modulus_i,
        .constant_write_i,
        .constant_address_i,
        .constant_data_i,
        .start_i,
        .operation_i(operation),
        .half_i(dedicated_read_pkg::HalfBoth),
        .reversed_i(1'b0),
        .source_i({instruction_i.a[EngineBuffer-1:0], SlotBits'(0)}),
        .operand_i('0),
        .destination_i({instruction_i.destination[EngineBuffer-1:0], SlotBits'(0)}),
        .busy_o(busy),
        .read_o,
        .read_address_o(read_address),
        .read_data_i(read_data),
        .write_o(write),
        .write_address_o(write_address),
        .write_data_o(write_data)
    );

    assign read_buffer_o = BufferWidth'(read_address[SlotBits+:EngineBuffer]);
    assign write_buffer_o = BufferWidth'(write_address[SlotBits+:EngineBuffer]);
    assign read_address_o = {Banks{read_address[SlotBits-1:0]}};
    assign write_address_o = {Banks{write_address[SlotBits-1:0]}};
    assign write_o = {Banks{write}};
    for (genvar bank = 0; bank < int'(Banks); bank++) begin : gen_bank
      localparam int unsigned Half = bank / Units;
      localparam int unsigned Unit = coefficient_place(N, bank % Units) / bank_words(N, Units);
      assign read_data[Unit][Half] = read_data_i[bank];
      assign write_data_o[bank] = write_data[Unit][Half];
    end

    if (Slots != 1) begin : gen_check_slots
      $error("core_transform: the engine with dedicated reads has constants of one prime, Slots must be 1");
    end
  end

  logic unused;
  assign unused = ^{instruction_i, constant_slot_i};

  `RINGMILL_ASSERT(StartWhileIdle, start_i |-> !busy, clk_i, !rst_ni)

endmodule
