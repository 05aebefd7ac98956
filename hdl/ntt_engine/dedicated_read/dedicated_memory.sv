// The banks of a machine around the engine: one a unit, of pairs of residues; a host reads and writes single residues.
//
// Ports: clk_i, rst_ni. The engine's: read_i, read_address_i, 1 cycle later read_data_o; write_i, write_address_i,
// write_data_i. The host's, while the engine is idle: host_write_i or host_read_i with host_place_i (from the upper
// end: buffer, half W, unit C, address A) and host_data_i; 2 cycles later host_valid_o with host_data_o.

`include "assertions.svh"

module dedicated_memory
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30,
    parameter int unsigned Buffers = 1,
    localparam int unsigned PlaceWidth = log2(Buffers * N),
    localparam int unsigned AddressWidth = log2(Buffers * bank_words(N, Units))
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             read_i,
    input  logic [AddressWidth-1:0]          read_address_i,
    output logic [Units-1:0][1:0][Width-1:0] read_data_o,
    input  logic                             write_i,
    input  logic [AddressWidth-1:0]          write_address_i,
    input  logic [Units-1:0][1:0][Width-1:0] write_data_i,
    input  logic                             host_write_i,
    input  logic                             host_read_i,
    input  logic [PlaceWidth-1:0]            host_place_i,
    input  logic [Width-1:0]                 host_data_i,
    output logic                             host_valid_o,
    output logic [Width-1:0]                 host_data_o
);

  localparam int unsigned AddressBits = log2(bank_words(N, Units));
  localparam int unsigned UnitBits = log2(Units);

  // The host's place in parts.
  logic [AddressWidth-1:0] host_address;
  logic [UnitBits-1:0] host_unit;
  logic host_half;

  // The buffer moves down to the address.
  always_comb begin
    host_address = AddressWidth'(host_place_i >> (UnitBits + 1));
    host_address[AddressBits-1:0] = host_place_i[AddressBits-1:0];
  end
  assign host_unit = host_place_i[AddressBits+:UnitBits];
  assign host_half = host_place_i[AddressBits+UnitBits];

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    for (genvar half = 0; half < 2; half++) begin : gen_half
      ram_simple_dual #(
          .Width(Width),
          .Depth(1 << AddressWidth),
          .Style(RamAuto)
      ) u_bank (
          .clk_i,
          .write_i(host_write_i ? host_unit == UnitBits'(unit) && host_half == 1'(half) : write_i),
          .write_address_i(host_write_i ? host_address : write_address_i),
          .write_data_i(host_write_i ? host_data_i : write_data_i[unit][half]),
          .read_i(read_i || host_read_i),
          .read_address_i(host_read_i ? host_address : read_address_i),
          .read_data_o(read_data_o[unit][half])
      );
    end
  end

  logic [1:0] valid_q;
  logic [UnitBits-1:0] unit_q;
  logic half_q;

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[0], host_read_i} : '0;
    unit_q <= host_unit;
    half_q <= host_half;
    host_data_o <= read_data_o[unit_q][half_q];
  end

  assign host_valid_o = valid_q[1];

  `RINGMILL_ASSERT(OneWriter, !(write_i && host_write_i), clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneReader, !(read_i && host_read_i), clk_i, !rst_ni)

  if (Buffers == 0 || 1 << $clog2(Buffers) != Buffers) begin : gen_check_buffers
    $error("dedicated_memory: Buffers must be a power of two");
  end

endmodule
