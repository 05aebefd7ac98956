// Cuts requests of many beats into bursts, and offers them on an AXI4 address channel.
//
// A burst ends where the address is a multiple of BurstBeats beats, or with its request. So only the first and the last
// of a request are short, and none crosses 4 KiB.
//
// Ports: clk_i, rst_ni; request_valid_i, request_ready_o, request_address_i (a multiple of a beat's bytes; the bits
// below are ignored), request_beats_i (not 0). A burst begins, begin_o, while room_i says that its master can take one;
// length_o is its beats less one, last_o whether it is the request's last. From the next cycle on it is offered:
// axi_valid_o, axi_ready_i, axi_address_o, axi_length_o, axi_size_o, axi_burst_o. Latency: 1 from the request
// to begin_o; a burst every 2 cycles.

`include "assertions.svh"

module axi_bursts #(
    parameter int unsigned AddressWidth = 64,
    parameter int unsigned DataWidth = 256,
    parameter int unsigned BurstBeats = 16
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    request_valid_i,
    output logic                    request_ready_o,
    input  logic [AddressWidth-1:0] request_address_i,
    input  logic [31:0]             request_beats_i,
    input  logic                    room_i,
    output logic                    begin_o,
    output logic [7:0]              length_o,
    output logic                    last_o,
    output logic                    axi_valid_o,
    input  logic                    axi_ready_i,
    output logic [AddressWidth-1:0] axi_address_o,
    output logic [7:0]              axi_length_o,
    output logic [2:0]              axi_size_o,
    output logic [1:0]              axi_burst_o
);

  localparam logic [1:0] Incrementing = 2'b01;

  localparam int unsigned ByteBits = $clog2(DataWidth / 8);
  localparam int unsigned BeatBits = $clog2(BurstBeats);
  localparam int unsigned LineWidth = AddressWidth - ByteBits - BeatBits;

  // A line is BurstBeats beats from a multiple of their bytes on: the next burst's, where in it the burst begins, and
  // how many beats behind the line's begin the request's last beat is.
  logic active_q;
  logic [LineWidth-1:0] line_q;
  logic [BeatBits-1:0] offset_q;
  logic [32:0] final_q;
  logic [BeatBits-1:0] length;

  assign axi_size_o = 3'(ByteBits);
  assign axi_burst_o = Incrementing;

  assign request_ready_o = !active_q;
  assign begin_o = active_q && !axi_valid_o && room_i;
  assign last_o = final_q[32:BeatBits] == '0;
  assign length = (last_o ? final_q[BeatBits-1:0] : '1) - offset_q;
  assign length_o = 8'(length);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      axi_valid_o <= 1'b0;
    end else begin
      active_q <= active_q ? !(begin_o && last_o) : request_valid_i;
      axi_valid_o <= begin_o || axi_valid_o && !axi_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!active_q) begin
      {line_q, offset_q} <= request_address_i[AddressWidth-1:ByteBits];
      final_q <= 33'(request_address_i[ByteBits+:BeatBits]) + 33'(request_beats_i) - 1'b1;
    end else if (begin_o) begin
      line_q <= line_q + 1'b1;
      offset_q <= '0;
      final_q[32:BeatBits] <= final_q[32:BeatBits] - 1'b1;
    end
    if (begin_o) begin
      axi_address_o <= {line_q, offset_q, ByteBits'(0)};
      axi_length_o <= length_o;
    end
  end

  logic unused;
  assign unused = ^request_address_i[ByteBits-1:0];

  `RINGMILL_ASSERT(SomeBeats, request_valid_i |-> request_beats_i != '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Aligned, request_valid_i |-> request_address_i[ByteBits-1:0] == '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Offered, axi_valid_o && !axi_ready_i |=> axi_valid_o && $stable({axi_address_o, axi_length_o}),
                   clk_i, !rst_ni)

  if (DataWidth < 16 || DataWidth > 1024 || 1 << $clog2(DataWidth) != DataWidth) begin : gen_check_data
    $error("axi_bursts: DataWidth must be a power of two from 16 to 1024");
  end
  if (BurstBeats < 2 || BurstBeats > 256 || 1 << $clog2(BurstBeats) != BurstBeats) begin : gen_check_beats
    $error("axi_bursts: BurstBeats must be a power of two from 2 to 256");
  end
  if (BurstBeats * DataWidth / 8 > 4096) begin : gen_check_boundary
    $error("axi_bursts: a burst must not be longer than 4096 bytes");
  end
  if (AddressWidth <= ByteBits + BeatBits || AddressWidth > 64) begin : gen_check_address
    $error("axi_bursts: AddressWidth must be at most 64, and address more than one burst");
  end

endmodule
