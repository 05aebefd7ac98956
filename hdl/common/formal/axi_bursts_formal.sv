// axi_bursts offers exactly the beats of its requests, in order, in bursts that do not cross 4 KiB.
//
// The harness remembers which beat is next and how many are left. Requests, room and the channel's ready are free.

module axi_bursts_formal #(
    parameter int unsigned AddressWidth = 64,
    parameter int unsigned DataWidth = 256,
    parameter int unsigned BurstBeats = 16
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic                    request_valid_i,
    input logic [AddressWidth-1:0] request_address_i,
    input logic [31:0]             request_beats_i,
    input logic                    room_i,
    input logic                    axi_ready_i
);

  localparam int unsigned ByteBits = $clog2(DataWidth / 8);
  localparam int unsigned BoundaryBeats = 4096 >> ByteBits;

  logic request_ready;
  logic begins;
  logic [7:0] length;
  logic last;
  logic axi_valid;
  logic [AddressWidth-1:0] axi_address;
  logic [7:0] axi_length;
  logic [2:0] axi_size;
  logic [1:0] axi_burst;

  axi_bursts #(
      .AddressWidth(AddressWidth),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .request_valid_i,
      .request_ready_o(request_ready),
      .request_address_i,
      .request_beats_i,
      .room_i,
      .begin_o(begins),
      .length_o(length),
      .last_o(last),
      .axi_valid_o(axi_valid),
      .axi_ready_i,
      .axi_address_o(axi_address),
      .axi_length_o(axi_length),
      .axi_size_o(axi_size),
      .axi_burst_o(axi_burst)
  );

  // The next beat of the request, and how many are left; the burst that is offered.
  logic [AddressWidth-1:ByteBits] next_q;
  logic [31:0] left_q;
  logic offered_q;
  logic [AddressWidth-1:ByteBits] offered_beat_q;
  logic [7:0] offered_length_q;

  always_ff @(posedge clk_i) begin
    if (request_valid_i && request_ready) begin
      next_q <= request_address_i[AddressWidth-1:ByteBits];
      left_q <= rst_ni ? request_beats_i : '0;
    end else if (begins) begin
      next_q <= next_q + (AddressWidth - ByteBits)'(length) + 1'b1;
      left_q <= rst_ni ? left_q - 32'(length) - 1'b1 : '0;
    end else if (!rst_ni) begin
      left_q <= '0;
    end
    offered_q <= rst_ni && (begins || offered_q && !axi_ready_i);
    if (begins) begin
      offered_beat_q <= next_q;
      offered_length_q <= length;
    end
  end

  always_comb begin
    if (rst_ni) begin
      SomeBeats: assume (request_beats_i != '0);
      FreeAtTheEnd: assert (request_ready == (left_q == '0));
      WithinTheRequest: assert (!begins || 32'(length) < left_q && last == (32'(length) + 1'b1 == left_q));
      WithRoom: assert (!begins || room_i && !axi_valid);
      NotTooLong: assert (!begins || 32'(length) < BurstBeats);
      OfferedUntilTaken: assert (axi_valid == offered_q);
      AsItBegan: assert (!axi_valid || axi_address == {offered_beat_q, ByteBits'(0)} && axi_length == offered_length_q);
      NoBoundary: assert (!axi_valid || 32'(offered_beat_q) % BoundaryBeats + 32'(axi_length) < BoundaryBeats);
      Kind: assert (32'(1) << axi_size == DataWidth / 8 && axi_burst == 2'b01);
      // Not promised to users; the induction stands on them.
      Next: assert (left_q == '0 || {u_bursts.line_q, u_bursts.offset_q} == next_q);
      Final: assert (left_q == '0 || u_bursts.final_q + 1'b1 == 33'(left_q) + 33'(u_bursts.offset_q));
      Active: assert (u_bursts.active_q == (left_q != '0));
      Long: cover (begins && !last && u_bursts.offset_q != '0);
      End: cover (begins && last && axi_length != '0);
    end
  end

  logic unused;
  assign unused = ^request_address_i[ByteBits-1:0];

endmodule
