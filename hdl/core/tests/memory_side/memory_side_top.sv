// The core's load and store units, its limbs and its AXI4 masters, joined as in the core; no other unit.

module memory_side_top
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned N = 2048,
    parameter int unsigned Units = 4,
    parameter int unsigned Limbs = 4,
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter int unsigned DataWidth = 256,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   load_start_i,
    input  instruction_t           load_instruction_i,
    input  logic [Width-1:0]       modulus_i,
    output logic                   load_done_o,
    output error_e                 load_error_o,
    input  logic                   store_start_i,
    input  instruction_t           store_instruction_i,
    output logic                   store_done_o,
    output error_e                 store_error_o,

    output logic                   axi_arvalid_o,
    input  logic                   axi_arready_i,
    output logic [63:0]            axi_araddr_o,
    output logic [7:0]             axi_arlen_o,
    output logic [2:0]             axi_arsize_o,
    output logic [1:0]             axi_arburst_o,
    input  logic                   axi_rvalid_i,
    output logic                   axi_rready_o,
    input  logic [DataWidth-1:0]   axi_rdata_i,
    input  logic [1:0]             axi_rresp_i,
    input  logic                   axi_rlast_i,
    output logic                   axi_awvalid_o,
    input  logic                   axi_awready_i,
    output logic [63:0]            axi_awaddr_o,
    output logic [7:0]             axi_awlen_o,
    output logic [2:0]             axi_awsize_o,
    output logic [1:0]             axi_awburst_o,
    output logic                   axi_wvalid_o,
    input  logic                   axi_wready_i,
    output logic [DataWidth-1:0]   axi_wdata_o,
    output logic [DataWidth/8-1:0] axi_wstrb_o,
    output logic                   axi_wlast_o,
    input  logic                   axi_bvalid_i,
    output logic                   axi_bready_o,
    input  logic [1:0]             axi_bresp_i
);

  logic read_request_valid, read_request_ready;
  logic [63:0] read_request_address;
  logic [31:0] read_request_beats;
  logic read_valid, read_ready, read_error;
  logic [DataWidth-1:0] read_data;
  logic [1:0] unused_read;

  axi_read_master #(
      .AddressWidth(64),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_read_master (
      .clk_i,
      .rst_ni,
      .request_valid_i(read_request_valid),
      .request_ready_o(read_request_ready),
      .request_address_i(read_request_address),
      .request_beats_i(read_request_beats),
      .request_tag_i(1'b0),
      .data_valid_o(read_valid),
      .data_ready_i(read_ready),
      .data_o(read_data),
      .data_tag_o(unused_read[0]),
      .data_last_o(unused_read[1]),
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

  logic write_request_valid, write_request_ready;
  logic [63:0] write_request_address;
  logic [31:0] write_request_beats;
  logic write_valid, write_ready, write_done, write_error;
  logic [DataWidth-1:0] write_data;

  axi_write_master #(
      .AddressWidth(64),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_write_master (
      .clk_i,
      .rst_ni,
      .request_valid_i(write_request_valid),
      .request_ready_o(write_request_ready),
      .request_address_i(write_request_address),
      .request_beats_i(write_request_beats),
      .data_valid_i(write_valid),
      .data_ready_o(write_ready),
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

  logic [Banks-1:0] load_write;
  logic [BufferWidth-1:0] load_buffer, store_buffer;
  logic [SlotBits-1:0] load_address, store_address;
  logic [Banks-1:0][Width-1:0] load_data, store_data;
  logic store_read;
  logic [SlotWidth-1:0] unused_slot;
  logic [1:0] unused_writes;
  logic [FactorAddressWidth-1:0] unused_constant_address;
  logic [1:0][Width-1:0] unused_constants;
  logic [1:0] unused_table_writes;
  logic [TableWordWidth-1:0] unused_table_word;
  shape_t unused_shape;

  core_load #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .DataWidth(DataWidth)
  ) u_load (
      .clk_i,
      .rst_ni,
      .start_i(load_start_i),
      .instruction_i(load_instruction_i),
      .modulus_i,
      .done_o(load_done_o),
      .error_o(load_error_o),
      .request_valid_o(read_request_valid),
      .request_ready_i(read_request_ready),
      .request_address_o(read_request_address),
      .request_beats_o(read_request_beats),
      .data_valid_i(read_valid),
      .data_ready_o(read_ready),
      .data_i(read_data),
      .data_error_i(read_error),
      .load_write_o(load_write),
      .load_write_buffer_o(load_buffer),
      .load_write_address_o(load_address),
      .load_write_data_o(load_data),
      .slot_o(unused_slot),
      .constant_write_o(unused_writes[0]),
      .constant_address_o(unused_constant_address),
      .constant_o(unused_constants[0]),
      .modulus_write_o(unused_writes[1]),
      .modulus_o(unused_constants[1]),
      .table_write_o(unused_table_writes[0]),
      .table_word_o(unused_table_word),
      .shape_write_o(unused_table_writes[1]),
      .shape_o(unused_shape)
  );

  core_store #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .DataWidth(DataWidth)
  ) u_store (
      .clk_i,
      .rst_ni,
      .start_i(store_start_i),
      .instruction_i(store_instruction_i),
      .done_o(store_done_o),
      .error_o(store_error_o),
      .store_read_o(store_read),
      .store_read_buffer_o(store_buffer),
      .store_read_address_o(store_address),
      .store_read_data_i(store_data),
      .request_valid_o(write_request_valid),
      .request_ready_i(write_request_ready),
      .request_address_o(write_request_address),
      .request_beats_o(write_request_beats),
      .data_valid_o(write_valid),
      .data_ready_i(write_ready),
      .data_o(write_data),
      .write_done_i(write_done),
      .write_error_i(write_error)
  );

  logic [3:0][Banks-1:0][Width-1:0] unused_data;

  limb_memory #(
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Width(Width)
  ) u_limbs (
      .clk_i,
      .rst_ni,
      .transform_read_i(1'b0),
      .transform_read_buffer_i('0),
      .transform_read_address_i('0),
      .transform_read_data_o(unused_data[0]),
      .transform_write_i('0),
      .transform_write_buffer_i('0),
      .transform_write_address_i('0),
      .transform_write_data_i('0),
      .vector_read_a_i(1'b0),
      .vector_read_a_buffer_i('0),
      .vector_read_a_address_i('0),
      .vector_read_a_data_o(unused_data[1]),
      .vector_read_b_i(1'b0),
      .vector_read_b_buffer_i('0),
      .vector_read_b_address_i('0),
      .vector_read_b_data_o(unused_data[2]),
      .vector_write_i(1'b0),
      .vector_write_buffer_i('0),
      .vector_write_address_i('0),
      .vector_write_data_i('0),
      .conversion_read_i(1'b0),
      .conversion_read_buffer_i('0),
      .conversion_read_address_i('0),
      .conversion_read_data_o(unused_data[3]),
      .conversion_write_i(1'b0),
      .conversion_write_buffer_i('0),
      .conversion_write_address_i('0),
      .conversion_write_data_i('0),
      .load_write_i(load_write),
      .load_write_buffer_i(load_buffer),
      .load_write_address_i(load_address),
      .load_write_data_i(load_data),
      .store_read_i(store_read),
      .store_read_buffer_i(store_buffer),
      .store_read_address_i(store_address),
      .store_read_data_o(store_data)
  );

  logic unused;
  assign unused = ^{unused_read, unused_slot, unused_writes, unused_constant_address, unused_constants, unused_data};

endmodule
