// Reads descriptors from the ring, in order, some ahead of what is needed.
//
// Each descriptor is a request of its own; up to Depth are read or wait to be taken. After stop_i it asks for no more, but
// takes what still comes.
//
// Ports: clk_i, rst_ni; clear_i, while idle_o: begins at the ring's first descriptor; stop_i; ring_i, ring_log_i (log2 of
// its descriptors), tail_i; request_valid_o, request_ready_i, request_address_o (of DescriptorBytes); data_valid_i,
// data_ready_o, data_i, data_error_i, for each request its beats; valid_o, ready_i, descriptor_o, address_o, failed_o (the
// read failed); tail_error_o, while the tail is more than a ring ahead, with next_o, the next descriptor's address;
// starved_o; idle_o: nothing is asked for.

`include "assertions.svh"

module core_fetch
  import ringmill_pkg::*;
  import core_pkg::*;
#(
    parameter int unsigned DataWidth = 256,
    parameter int unsigned Depth = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 clear_i,
    input  logic                 stop_i,
    input  logic [63:0]          ring_i,
    input  logic [4:0]           ring_log_i,
    input  logic [31:0]          tail_i,
    output logic                 request_valid_o,
    input  logic                 request_ready_i,
    output logic [63:0]          request_address_o,
    input  logic                 data_valid_i,
    output logic                 data_ready_o,
    input  logic [DataWidth-1:0] data_i,
    input  logic                 data_error_i,
    output logic                 valid_o,
    input  logic                 ready_i,
    output descriptor_t          descriptor_o,
    output logic [63:0]          address_o,
    output logic                 failed_o,
    output logic                 tail_error_o,
    output logic [63:0]          next_o,
    output logic                 starved_o,
    output logic                 idle_o
);

  localparam int unsigned Beats = 8 * DescriptorBytes / DataWidth;
  localparam int unsigned BeatWidth = index_width(Beats);
  localparam int unsigned DepthWidth = index_width(Depth);

  // Descriptors since clear_i: asked for, come, taken.
  logic [31:0] asked_q;
  logic [31:0] come_q;
  logic [31:0] taken_q;
  logic [31:0] left;
  logic [31:0] size;
  logic [31:0] mask;

  assign left = tail_i - asked_q;
  assign size = 32'd1 << ring_log_i;
  assign mask = size - 1'b1;

  function automatic logic [63:0] place(logic [63:0] ring, logic [31:0] index);
    return ring + {27'd0, index, 5'd0};
  endfunction

  assign tail_error_o = tail_i - taken_q > size;
  assign next_o = place(ring_i, asked_q & mask);
  assign request_valid_o = left != '0 && asked_q - taken_q < 32'(Depth) && !stop_i && !tail_error_o;
  assign request_address_o = next_o;
  assign idle_o = asked_q == come_q;

  // Beats of the descriptor that comes.
  logic [BeatWidth-1:0] beat_q;
  logic [8*DescriptorBytes-1:0] beats_q;
  logic [8*DescriptorBytes-1:0] beats;
  logic error_q;
  logic come;

  if (Beats == 1) begin : gen_one
    assign beats = data_i;
    logic unused;
    assign unused = ^beats_q;
  end else begin : gen_more
    assign beats = {data_i, beats_q[8*DescriptorBytes-1:DataWidth]};
    logic unused;
    assign unused = ^beats_q[DataWidth-1:0];
  end

  assign data_ready_o = 1'b1;
  assign come = data_valid_i && beat_q == BeatWidth'(Beats - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      asked_q <= '0;
      come_q <= '0;
      taken_q <= '0;
      beat_q <= '0;
      error_q <= 1'b0;
    end else begin
      if (request_valid_o && request_ready_i) asked_q <= asked_q + 1'b1;
      if (data_valid_i) begin
        beat_q <= come ? '0 : beat_q + 1'b1;
        error_q <= !come && (error_q || data_error_i);
      end
      if (come) come_q <= come_q + 1'b1;
      if (valid_o && ready_i) taken_q <= taken_q + 1'b1;
    end
    if (data_valid_i) beats_q <= beats;
  end

  // Those that have come.
  logic [Depth-1:0][8*DescriptorBytes:0] store_q;

  always_ff @(posedge clk_i) begin
    if (come) store_q[come_q[DepthWidth-1:0]] <= {error_q || data_error_i, beats};
  end

  assign valid_o = come_q != taken_q;
  assign {failed_o, descriptor_o} = store_q[taken_q[DepthWidth-1:0]];
  assign address_o = place(ring_i, taken_q & mask);
  assign starved_o = !valid_o && tail_i != taken_q;

  `RINGMILL_ASSERT(DataAskedFor, data_valid_i |-> asked_q != come_q, clk_i, !rst_ni)
  `RINGMILL_ASSERT(ClearWhileIdle, clear_i |-> idle_o, clk_i, !rst_ni)

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_check_width
    $error("core_fetch: DataWidth must be 64, 128 or 256");
  end
  if (1 << $clog2(Depth) != Depth) begin : gen_check_depth
    $error("core_fetch: Depth must be a power of two");
  end

endmodule
