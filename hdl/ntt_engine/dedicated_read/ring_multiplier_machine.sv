// ring_multiplier with its four buffers and a port for a host.
//
// Words i, N + i: coefficient i < N / 2 of a and of b; 2N + i, 3N + i for i < N: what lies of the constants of m and f
// in the place of coefficient i. After a product word i reads as its coefficient i.
//
// Ports: those of dedicated_read_machine without inverse_i.

`include "assertions.svh"

module ring_multiplier_machine
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] modulus_i,
    input  logic             constant_write_i,
    input  logic [31:0]      constant_address_i,
    input  logic [Width-1:0] constant_data_i,
    input  logic             word_write_i,
    input  logic [31:0]      word_address_i,
    input  logic [Width-1:0] word_data_i,
    input  logic             word_read_i,
    output logic             word_valid_o,
    output logic [Width-1:0] word_data_o,
    input  logic             start_i,
    output logic             busy_o,
    output logic [31:0]      cycles_o
);

  localparam int unsigned IndexBits = log2(N);
  localparam int unsigned AddressWidth = log2(bank_words(N, Units)) + 2;

  // The place of the host's word: only products are read.
  logic [IndexBits-1:0] index;
  logic host_write_q, host_read_q;
  logic [IndexBits+1:0] host_place_q;
  logic [Width-1:0] host_data_q;

  assign index = word_write_i ? word_address_i[IndexBits-1:0] : -word_address_i[IndexBits-1:0];

  always_ff @(posedge clk_i) begin
    host_write_q <= rst_ni && word_write_i;
    host_read_q <= rst_ni && word_read_i;
    host_place_q <= {word_address_i[IndexBits+1:IndexBits], IndexBits'(coefficient_place(N, 32'(index)))};
    host_data_q <= word_data_i;
  end

  logic read;
  logic [AddressWidth-1:0] read_address;
  logic [Units-1:0][1:0][Width-1:0] read_data;
  logic write;
  logic [AddressWidth-1:0] write_address;
  logic [Units-1:0][1:0][Width-1:0] write_data;

  ring_multiplier #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_multiplier (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .constant_write_i,
      .constant_address_i,
      .constant_data_i,
      .start_i,
      .busy_o,
      .read_o(read),
      .read_address_o(read_address),
      .read_data_i(read_data),
      .write_o(write),
      .write_address_o(write_address),
      .write_data_o(write_data)
  );

  dedicated_memory #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Buffers(4)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .read_i(read),
      .read_address_i(read_address),
      .read_data_o(read_data),
      .write_i(write),
      .write_address_i(write_address),
      .write_data_i(write_data),
      .host_write_i(host_write_q),
      .host_read_i(host_read_q),
      .host_place_i(host_place_q),
      .host_data_i(host_data_q),
      .host_valid_o(word_valid_o),
      .host_data_o(word_data_o)
  );

  // From the first read on, while busy.
  always_ff @(posedge clk_i) begin
    if (start_i) cycles_o <= '0;
    else if (busy_o && (read || cycles_o != '0)) cycles_o <= cycles_o + 1'b1;
  end

  logic unused;
  assign unused = ^word_address_i;

  `RINGMILL_ASSERT(HostWhileIdle, word_write_i || word_read_i |-> !busy_o, clk_i, !rst_ni)

endmodule
