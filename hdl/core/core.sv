// The core (docs/machines/core.md): registers, descriptors, the scoreboard, five units around the limb memory, and two
// masters of the host's memory.
//
// Ports: clk_i, rst_ni; interrupt_o; control_*, the registers' AXI4-Lite; axi_*, AXI4 to the memory, of one ID, without
// the signals that would be constant (ID, LOCK, CACHE, PROT, QOS).

`include "assertions.svh"

module core
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Slots = 2,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter int unsigned Tables = 2,
    parameter int unsigned Doubts = 16,
    parameter int unsigned DataWidth = 256,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned RegisterBits = 8
) (
    input  logic clk_i,
    input  logic rst_ni,
    output logic interrupt_o,

    input  logic                    control_awvalid_i,
    output logic                    control_awready_o,
    input  logic [RegisterBits-1:0] control_awaddr_i,
    input  logic                    control_wvalid_i,
    output logic                    control_wready_o,
    input  logic [31:0]             control_wdata_i,
    input  logic [3:0]              control_wstrb_i,
    output logic                    control_bvalid_o,
    input  logic                    control_bready_i,
    output logic [1:0]              control_bresp_o,
    input  logic                    control_arvalid_i,
    output logic                    control_arready_o,
    input  logic [RegisterBits-1:0] control_araddr_i,
    output logic                    control_rvalid_o,
    input  logic                    control_rready_i,
    output logic [31:0]             control_rdata_o,
    output logic [1:0]              control_rresp_o,

    output logic                    axi_arvalid_o,
    input  logic                    axi_arready_i,
    output logic [63:0]             axi_araddr_o,
    output logic [7:0]              axi_arlen_o,
    output logic [2:0]              axi_arsize_o,
    output logic [1:0]              axi_arburst_o,
    input  logic                    axi_rvalid_i,
    output logic                    axi_rready_o,
    input  logic [DataWidth-1:0]    axi_rdata_i,
    input  logic [1:0]              axi_rresp_i,
    input  logic                    axi_rlast_i,
    output logic                    axi_awvalid_o,
    input  logic                    axi_awready_i,
    output logic [63:0]             axi_awaddr_o,
    output logic [7:0]              axi_awlen_o,
    output logic [2:0]              axi_awsize_o,
    output logic [1:0]              axi_awburst_o,
    output logic                    axi_wvalid_o,
    input  logic                    axi_wready_i,
    output logic [DataWidth-1:0]    axi_wdata_o,
    output logic [DataWidth/8-1:0]  axi_wstrb_o,
    output logic                    axi_wlast_o,
    input  logic                    axi_bvalid_i,
    output logic                    axi_bready_o,
    input  logic [1:0]              axi_bresp_i
);

  localparam int unsigned Banks = 2 * Units;
  localparam int unsigned SlotBits = slot_bits(N, Units);

  // Registers.
  logic [63:0] ring;
  logic [4:0] ring_log;
  logic [31:0] tail;
  logic [63:0] window;
  logic [63:0] window_size;
  logic clear;
  logic stop;
  logic idle;
  error_e error;
  logic [63:0] error_address;
  logic dispatched;
  logic interrupt;
  logic [CounterCount-1:0] counted;
  logic [7:0] doubts;
  logic [31:0] doubt_conversion;
  logic [SlotBits-1:0] doubt_slot;
  logic doubt_pop;

  core_registers #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Slots(Slots),
      .Width(Width),
      .Word(Word),
      .DataWidth(DataWidth),
      .Tables(Tables),
      .Doubts(Doubts)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .axi_awvalid_i(control_awvalid_i),
      .axi_awready_o(control_awready_o),
      .axi_awaddr_i(control_awaddr_i),
      .axi_wvalid_i(control_wvalid_i),
      .axi_wready_o(control_wready_o),
      .axi_wdata_i(control_wdata_i),
      .axi_wstrb_i(control_wstrb_i),
      .axi_bvalid_o(control_bvalid_o),
      .axi_bready_i(control_bready_i),
      .axi_bresp_o(control_bresp_o),
      .axi_arvalid_i(control_arvalid_i),
      .axi_arready_o(control_arready_o),
      .axi_araddr_i(control_araddr_i),
      .axi_rvalid_o(control_rvalid_o),
      .axi_rready_i(control_rready_i),
      .axi_rdata_o(control_rdata_o),
      .axi_rresp_o(control_rresp_o),
      .ring_o(ring),
      .ring_log_o(ring_log),
      .tail_o(tail),
      .window_o(window),
      .window_size_o(window_size),
      .clear_o(clear),
      .stop_o(stop),
      .interrupt_o,
      .idle_i(idle),
      .error_i(error),
      .error_address_i(error_address),
      .dispatched_i(dispatched),
      .interrupt_i(interrupt),
      .counted_i(counted),
      .read_beat_i(axi_rvalid_i && axi_rready_o),
      .write_beat_i(axi_wvalid_o && axi_wready_i),
      .doubts_i(doubts),
      .doubt_conversion_i(doubt_conversion),
      .doubt_slot_i(32'(doubt_slot)),
      .doubt_pop_o(doubt_pop)
  );

  // Descriptors.
  logic fetch_request;
  logic fetch_granted;
  logic [63:0] fetch_address;
  logic fetch_data;
  logic fetch_take;
  logic descriptor_valid;
  logic descriptor_ready;
  descriptor_t descriptor;
  logic [63:0] descriptor_address;
  logic descriptor_failed;
  logic tail_error;
  logic [63:0] next_address;
  logic starved;
  logic fetch_idle;
  logic [DataWidth-1:0] read_data;
  logic read_error;

  core_fetch #(
      .DataWidth(DataWidth)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .stop_i(stop),
      .ring_i(ring),
      .ring_log_i(ring_log),
      .tail_i(tail),
      .request_valid_o(fetch_request),
      .request_ready_i(fetch_granted),
      .request_address_o(fetch_address),
      .data_valid_i(fetch_data),
      .data_ready_o(fetch_take),
      .data_i(read_data),
      .data_error_i(read_error),
      .valid_o(descriptor_valid),
      .ready_i(descriptor_ready),
      .descriptor_o(descriptor),
      .address_o(descriptor_address),
      .failed_o(descriptor_failed),
      .tail_error_o(tail_error),
      .next_o(next_address),
      .starved_o(starved),
      .idle_o(fetch_idle)
  );

  // Checks, and the scoreboard.
  logic checked_valid;
  logic checked_ready;
  unit_e checked_unit;
  logic [Limbs-1:0] checked_uses;
  instruction_t checked;
  logic [63:0] checked_address;
  logic [MaxSlots-1:0] slots_in_use;
  logic [MaxSlots-1:0] tables_in_use;
  logic empty;
  logic [SlotWidth-1:0] loaded_slot;
  logic modulus_write;
  logic [Width-1:0] modulus;
  logic [Slots-1:0][Width-1:0] moduli;
  logic shape_write;
  shape_t loaded_shape;
  shape_t [Tables-1:0] shapes;
  shape_t shape;
  error_e checked_error;
  logic full;
  logic held;
  logic dispatch_idle;

  core_dispatch #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Slots(Slots),
      .Tables(Tables),
      .Width(Width)
  ) u_dispatch (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .stop_i(stop),
      .valid_i(descriptor_valid),
      .ready_o(descriptor_ready),
      .descriptor_i(descriptor),
      .address_i(descriptor_address),
      .failed_i(descriptor_failed),
      .window_i(window),
      .window_size_i(window_size),
      .valid_o(checked_valid),
      .ready_i(checked_ready),
      .unit_o(checked_unit),
      .uses_o(checked_uses),
      .instruction_o(checked),
      .address_o(checked_address),
      .slots_i(slots_in_use),
      .tables_i(tables_in_use),
      .empty_i(empty),
      .modulus_write_i(modulus_write),
      .modulus_slot_i(loaded_slot),
      .modulus_i(modulus),
      .shape_write_i(shape_write),
      .shape_i(loaded_shape),
      .moduli_o(moduli),
      .shapes_o(shapes),
      .error_o(checked_error),
      .dispatched_o(dispatched),
      .interrupt_o(interrupt),
      .full_o(full),
      .held_o(held),
      .idle_o(dispatch_idle)
  );

  logic [UnitCount-1:0] start;
  instruction_t [UnitCount-1:0] instruction;
  logic [UnitCount-1:0] done;
  logic [UnitCount-1:0][63:0] unit_address;
  logic [UnitCount-1:0] working;
  logic [UnitCount-1:0] waiting;
  logic [UnitCount-1:0][Width-1:0] unit_modulus;

  core_scoreboard #(
      .Limbs(Limbs)
  ) u_scoreboard (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .valid_i(checked_valid),
      .ready_o(checked_ready),
      .unit_i(checked_unit),
      .uses_i(checked_uses),
      .instruction_i(checked),
      .address_i(checked_address),
      .start_o(start),
      .instruction_o(instruction),
      .done_i(done),
      .address_o(unit_address),
      .working_o(working),
      .waiting_o(waiting),
      .slots_o(slots_in_use),
      .tables_o(tables_in_use),
      .idle_o(empty)
  );

  always_comb begin
    shape = '0;
    for (int unsigned t = 0; t < Tables; t++) begin
      if (instruction[UnitConversion].slot == SlotWidth'(t)) shape = shapes[t];
    end
  end

  for (genvar u = 0; u < int'(UnitCount); u++) begin : gen_modulus
    always_comb begin
      unit_modulus[u] = '0;
      for (int unsigned s = 0; s < Slots; s++) begin
        if (instruction[u].slot == SlotWidth'(s)) unit_modulus[u] = moduli[s];
      end
    end
  end

  // The limb memory's ports.
  logic transform_read;
  logic [BufferWidth-1:0] transform_read_buffer;
  logic [Banks-1:0][SlotBits-1:0] transform_read_address;
  logic [Banks-1:0][Width-1:0] transform_read_data;
  logic [Banks-1:0] transform_write;
  logic [BufferWidth-1:0] transform_write_buffer;
  logic [Banks-1:0][SlotBits-1:0] transform_write_address;
  logic [Banks-1:0][Width-1:0] transform_write_data;
  logic vector_read_a;
  logic [BufferWidth-1:0] vector_read_a_buffer;
  logic [Banks-1:0][SlotBits-1:0] vector_read_a_address;
  logic [Banks-1:0][Width-1:0] vector_read_a_data;
  logic vector_read_b;
  logic [BufferWidth-1:0] vector_read_b_buffer;
  logic [SlotBits-1:0] vector_read_b_address;
  logic [Banks-1:0][Width-1:0] vector_read_b_data;
  logic [Banks-1:0] vector_write;
  logic [BufferWidth-1:0] vector_write_buffer;
  logic [Banks-1:0][SlotBits-1:0] vector_write_address;
  logic [Banks-1:0][Width-1:0] vector_write_data;
  logic [Banks-1:0] load_write;
  logic [BufferWidth-1:0] load_write_buffer;
  logic [SlotBits-1:0] load_write_address;
  logic [Banks-1:0][Width-1:0] load_write_data;
  logic conversion_read;
  logic [BufferWidth-1:0] conversion_read_buffer;
  logic [SlotBits-1:0] conversion_read_address;
  logic [Banks-1:0][Width-1:0] conversion_read_data;
  logic conversion_write;
  logic [BufferWidth-1:0] conversion_write_buffer;
  logic [SlotBits-1:0] conversion_write_address;
  logic [Banks-1:0][Width-1:0] conversion_write_data;
  logic store_read;
  logic [BufferWidth-1:0] store_read_buffer;
  logic [SlotBits-1:0] store_read_address;
  logic [Banks-1:0][Width-1:0] store_read_data;

  limb_memory #(
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Width(Width)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .transform_read_i(transform_read),
      .transform_read_buffer_i(transform_read_buffer),
      .transform_read_address_i(transform_read_address),
      .transform_read_data_o(transform_read_data),
      .transform_write_i(transform_write),
      .transform_write_buffer_i(transform_write_buffer),
      .transform_write_address_i(transform_write_address),
      .transform_write_data_i(transform_write_data),
      .vector_read_a_i(vector_read_a),
      .vector_read_a_buffer_i(vector_read_a_buffer),
      .vector_read_a_address_i(vector_read_a_address),
      .vector_read_a_data_o(vector_read_a_data),
      .vector_read_b_i(vector_read_b),
      .vector_read_b_buffer_i(vector_read_b_buffer),
      .vector_read_b_address_i(vector_read_b_address),
      .vector_read_b_data_o(vector_read_b_data),
      .vector_write_i(|vector_write),
      .vector_write_buffer_i(vector_write_buffer),
      .vector_write_address_i(vector_write_address),
      .vector_write_data_i(vector_write_data),
      .load_write_i(load_write),
      .load_write_buffer_i(load_write_buffer),
      .load_write_address_i(load_write_address),
      .load_write_data_i(load_write_data),
      .conversion_read_i(conversion_read),
      .conversion_read_buffer_i(conversion_read_buffer),
      .conversion_read_address_i(conversion_read_address),
      .conversion_read_data_o(conversion_read_data),
      .conversion_write_i(conversion_write),
      .conversion_write_buffer_i(conversion_write_buffer),
      .conversion_write_address_i(conversion_write_address),
      .conversion_write_data_i(conversion_write_data),
      .store_read_i(store_read),
      .store_read_buffer_i(store_read_buffer),
      .store_read_address_i(store_read_address),
      .store_read_data_o(store_read_data)
  );

  // The units.
  logic constant_write;
  logic [FactorAddressWidth-1:0] constant_address;
  logic [Width-1:0] constant;

  core_transform #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Slots(Slots),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_transform (
      .clk_i,
      .rst_ni,
      .start_i(start[UnitTransform]),
      .instruction_i(instruction[UnitTransform]),
      .modulus_i(unit_modulus[UnitTransform]),
      .done_o(done[UnitTransform]),
      .constant_write_i(constant_write),
      .constant_slot_i(loaded_slot),
      .constant_address_i(32'(constant_address)),
      .constant_data_i(constant),
      .read_o(transform_read),
      .read_buffer_o(transform_read_buffer),
      .read_address_o(transform_read_address),
      .read_data_i(transform_read_data),
      .write_o(transform_write),
      .write_buffer_o(transform_write_buffer),
      .write_address_o(transform_write_address),
      .write_data_o(transform_write_data)
  );

  core_vector #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_vector (
      .clk_i,
      .rst_ni,
      .start_i(start[UnitVector]),
      .instruction_i(instruction[UnitVector]),
      .modulus_i(unit_modulus[UnitVector]),
      .done_o(done[UnitVector]),
      .read_a_o(vector_read_a),
      .buffer_a_o(vector_read_a_buffer),
      .address_a_o(vector_read_a_address),
      .data_a_i(vector_read_a_data),
      .read_b_o(vector_read_b),
      .buffer_b_o(vector_read_b_buffer),
      .address_b_o(vector_read_b_address),
      .data_b_i(vector_read_b_data),
      .write_o(vector_write),
      .buffer_o(vector_write_buffer),
      .address_o(vector_write_address),
      .data_o(vector_write_data)
  );

  logic table_write;
  logic [TableWordWidth-1:0] table_word;
  error_e conversion_error;

  if (Engine == EngineXorBanks) begin : gen_conversion
    core_conversion #(
        .N(N),
        .Units(Units),
        .Width(Width),
        .Word(Word),
        .Tables(Tables),
        .Doubts(Doubts),
        .Pipeline(Pipeline)
    ) u_conversion (
        .clk_i,
        .rst_ni,
        .clear_i(clear),
        .start_i(start[UnitConversion]),
        .instruction_i(instruction[UnitConversion]),
        .shape_i(shape),
        .done_o(done[UnitConversion]),
        .error_o(conversion_error),
        .table_write_i(table_write),
        .table_i(loaded_slot),
        .table_word_i(table_word),
        .table_data_i(constant),
        .read_o(conversion_read),
        .read_buffer_o(conversion_read_buffer),
        .read_address_o(conversion_read_address),
        .read_data_i(conversion_read_data),
        .write_o(conversion_write),
        .write_buffer_o(conversion_write_buffer),
        .write_address_o(conversion_write_address),
        .write_data_o(conversion_write_data),
        .doubts_o(doubts),
        .doubt_conversion_o(doubt_conversion),
        .doubt_slot_o(doubt_slot),
        .doubt_pop_i(doubt_pop)
    );
  end else begin : gen_no_conversion
    assign done[UnitConversion] = 1'b0;
    assign conversion_error = ErrorNone;
    assign conversion_read = 1'b0;
    assign conversion_read_buffer = '0;
    assign conversion_read_address = '0;
    assign conversion_write = 1'b0;
    assign conversion_write_buffer = '0;
    assign conversion_write_address = '0;
    assign conversion_write_data = '0;
    assign {doubts, doubt_conversion, doubt_slot} = '0;

    logic unused_conversion;
    assign unused_conversion = ^{shape, table_write, table_word, doubt_pop, conversion_read_data,
                                 start[UnitConversion], instruction[UnitConversion]};
  end

  logic load_request;
  logic load_granted;
  logic [63:0] load_address;
  logic [31:0] load_beats;
  logic load_data;
  logic load_take;
  error_e load_error;

  core_load #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .DataWidth(DataWidth)
  ) u_load (
      .clk_i,
      .rst_ni,
      .start_i(start[UnitLoad]),
      .instruction_i(instruction[UnitLoad]),
      .modulus_i(unit_modulus[UnitLoad]),
      .done_o(done[UnitLoad]),
      .error_o(load_error),
      .request_valid_o(load_request),
      .request_ready_i(load_granted),
      .request_address_o(load_address),
      .request_beats_o(load_beats),
      .data_valid_i(load_data),
      .data_ready_o(load_take),
      .data_i(read_data),
      .data_error_i(read_error),
      .load_write_o(load_write),
      .load_write_buffer_o(load_write_buffer),
      .load_write_address_o(load_write_address),
      .load_write_data_o(load_write_data),
      .slot_o(loaded_slot),
      .constant_write_o(constant_write),
      .constant_address_o(constant_address),
      .constant_o(constant),
      .modulus_write_o(modulus_write),
      .modulus_o(modulus),
      .table_write_o(table_write),
      .table_word_o(table_word),
      .shape_write_o(shape_write),
      .shape_o(loaded_shape)
  );

  logic store_request;
  logic store_granted;
  logic [63:0] store_address;
  logic [31:0] store_beats;
  logic store_data;
  logic store_take;
  logic [DataWidth-1:0] write_data;
  logic write_done;
  logic write_error;
  error_e store_error;

  core_store #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Width(Width),
      .DataWidth(DataWidth)
  ) u_store (
      .clk_i,
      .rst_ni,
      .start_i(start[UnitStore]),
      .instruction_i(instruction[UnitStore]),
      .done_o(done[UnitStore]),
      .error_o(store_error),
      .store_read_o(store_read),
      .store_read_buffer_o(store_read_buffer),
      .store_read_address_o(store_read_address),
      .store_read_data_i(store_read_data),
      .request_valid_o(store_request),
      .request_ready_i(store_granted),
      .request_address_o(store_address),
      .request_beats_o(store_beats),
      .data_valid_o(store_data),
      .data_ready_i(store_take),
      .data_o(write_data),
      .write_done_i(write_done),
      .write_error_i(write_error)
  );

  // Memory. Descriptors go first: they are few, and units starve without them.
  logic read_granted;
  logic data_valid;
  logic data_tag;
  logic data_last;

  assign fetch_granted = read_granted;
  assign load_granted = read_granted && !fetch_request;
  assign fetch_data = data_valid && data_tag;
  assign load_data = data_valid && !data_tag;

  axi_read_master #(
      .AddressWidth(64),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .request_valid_i(fetch_request || load_request),
      .request_ready_o(read_granted),
      .request_address_i(fetch_request ? fetch_address : load_address),
      .request_beats_i(fetch_request ? 32'(8 * DescriptorBytes / DataWidth) : load_beats),
      .request_tag_i(fetch_request),
      .data_valid_o(data_valid),
      .data_ready_i(data_tag ? fetch_take : load_take),
      .data_o(read_data),
      .data_tag_o(data_tag),
      .data_last_o(data_last),
      .data_error_o(read_error),
      .axi_arvalid_o,
      .axi_arready_i,
      .axi_araddr_o,
      .axi_arlen_o,
      .axi_arsize_o,
      .axi_arburst_o,
      .axi_rvalid_i,
      .axi_rready_o,
      .axi_rdata_i,
      .axi_rresp_i,
      .axi_rlast_i
  );

  axi_write_master #(
      .AddressWidth(64),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_writer (
      .clk_i,
      .rst_ni,
      .request_valid_i(store_request),
      .request_ready_o(store_granted),
      .request_address_i(store_address),
      .request_beats_i(store_beats),
      .data_valid_i(store_data),
      .data_ready_o(store_take),
      .data_i(write_data),
      .done_o(write_done),
      .error_o(write_error),
      .axi_awvalid_o,
      .axi_awready_i,
      .axi_awaddr_o,
      .axi_awlen_o,
      .axi_awsize_o,
      .axi_awburst_o,
      .axi_wvalid_o,
      .axi_wready_i,
      .axi_wdata_o,
      .axi_wstrb_o,
      .axi_wlast_o,
      .axi_bvalid_i,
      .axi_bready_o,
      .axi_bresp_i
  );

  // The first error; of several in one cycle that of the oldest instruction's place: units, then checks, then the ring.
  always_comb begin
    error = ErrorNone;
    error_address = next_address;
    if (tail_error) error = ErrorTail;
    if (checked_error != ErrorNone) begin
      error = checked_error;
      error_address = checked_address;
    end
    if (done[UnitConversion] && conversion_error != ErrorNone) begin
      error = conversion_error;
      error_address = unit_address[UnitConversion];
    end
    if (done[UnitStore] && store_error != ErrorNone) begin
      error = store_error;
      error_address = unit_address[UnitStore];
    end
    if (done[UnitLoad] && load_error != ErrorNone) begin
      error = load_error;
      error_address = unit_address[UnitLoad];
    end
  end

  assign idle = fetch_idle && dispatch_idle && empty && (stop || !(descriptor_valid || starved));

  always_comb begin
    counted = '0;
    counted[CounterCycles] = !idle;
    counted[CounterWorking+:4] = working[3:0];
    counted[CounterWaiting+:4] = waiting[3:0];
    counted[CounterConversion] = working[UnitConversion];
    counted[CounterConversionWaiting] = waiting[UnitConversion];
    counted[CounterStarved] = starved && !stop;
    counted[CounterFull] = full;
    counted[CounterHeld] = held;
    counted[CounterReadStalled] = working[UnitLoad] && !load_data;
    counted[CounterWriteStalled] = store_data && !store_take;
  end

  logic unused;
  assign unused = ^{data_last, unit_address, unit_modulus};

  `RINGMILL_ASSERT(ConstantsNotInUse,
                   constant_write |-> !(working[UnitTransform] && instruction[UnitTransform].slot == loaded_slot),
                   clk_i, !rst_ni)

endmodule
