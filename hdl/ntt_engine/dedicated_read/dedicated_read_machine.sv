// The engine with one buffer and a port for a host: transforms of N points.
//
// Word i is coefficient i, or, after a forward transform and before an inverse one, the value at omega^j for
// j = value_index(place of coefficient i): the engine's order of values. A host writes all words or none between two
// transforms. After an inverse transform coefficient x lies in the place of -x mod N; reads take that into account
// until the host writes anew.
//
// Ports: clk_i, rst_ni; modulus_i, constant while busy. While idle: constant_write_i, constant_address_i,
// constant_data_i as dedicated_read says; word_write_i, word_address_i, word_data_i; word_read_i, 3 cycles later
// word_valid_o with word_data_o; start_i with inverse_i. busy_o; cycles_o of the last transform, from its first read to
// its last write.

`include "assertions.svh"

module dedicated_read_machine
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
    input  logic             inverse_i,
    output logic             busy_o,
    output logic [31:0]      cycles_o
);

  localparam int unsigned IndexBits = log2(N);
  localparam int unsigned AddressBits = log2(bank_words(N, Units));

  // The state of the buffer: values or coefficients, and whether index x is in the place of -x.
  logic values_q;
  logic reversed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      values_q <= 1'b0;
      reversed_q <= 1'b0;
    end else if (start_i) begin
      values_q <= !inverse_i;
      reversed_q <= reversed_q ^ inverse_i;
    end else if (word_write_i) begin
      reversed_q <= 1'b0;
    end
  end

  // The place of the host's word.
  logic [IndexBits-1:0] index;
  logic [IndexBits-1:0] value;
  logic [IndexBits-1:0] place;
  logic host_write_q, host_read_q;
  logic [IndexBits-1:0] host_place_q;
  logic [Width-1:0] host_data_q;

  assign index = word_address_i[IndexBits-1:0];
  assign value = IndexBits'(value_index(N, Units, coefficient_place(N, 32'(index))));
  always_comb begin
    if (word_write_i || !reversed_q) place = IndexBits'(coefficient_place(N, 32'(index)));
    else if (values_q) place = IndexBits'(value_place(N, Units, 32'(IndexBits'(-value))));
    else place = IndexBits'(coefficient_place(N, 32'(IndexBits'(-index))));
  end

  always_ff @(posedge clk_i) begin
    host_write_q <= rst_ni && word_write_i;
    host_read_q <= rst_ni && word_read_i;
    host_place_q <= place;
    host_data_q <= word_data_i;
  end

  logic read;
  logic [AddressBits-1:0] read_address;
  logic [Units-1:0][1:0][Width-1:0] read_data;
  logic write;
  logic [AddressBits-1:0] write_address;
  logic [Units-1:0][1:0][Width-1:0] write_data;

  dedicated_read #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .constant_write_i,
      .constant_address_i,
      .constant_data_i,
      .start_i,
      .operation_i(inverse_i ? OperationInverseScaled : OperationForward),
      .half_i(HalfBoth),
      .reversed_i(1'b0),
      .source_i('0),
      .operand_i('0),
      .destination_i('0),
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
      .Buffers(1)
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
