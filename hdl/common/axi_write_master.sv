// AXI4 master that writes: a request and a stream of its data become bursts.
//
// Up to Outstanding bursts of any number of requests are under way, all of one ID. A burst's address is offered before
// its data, and its data does not wait until the address is taken.
//
// Ports: clk_i, rst_ni; request_valid_i, request_ready_o, request_address_i (a multiple of a beat's bytes),
// request_beats_i (not 0); data_valid_i, data_ready_o, data_i, all requests' beats in order; done_o for one cycle when
// the last response of a request has come, with error_o, whether any of them was an error; the channels axi_aw*,
// axi_w* and axi_b* without their constant or unused signals (AWID 0, AWCACHE, AWPROT). Latency: 2 from the request
// to AWVALID, 1 from data to WVALID, 1 from BVALID to done_o; a beat every cycle, a burst every 2 cycles.

module axi_write_master
  import ringmill_pkg::*;
#(
    parameter int unsigned AddressWidth = 64,
    parameter int unsigned DataWidth = 256,
    parameter int unsigned BurstBeats = 16,
    parameter int unsigned Outstanding = 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    request_valid_i,
    output logic                    request_ready_o,
    input  logic [AddressWidth-1:0] request_address_i,
    input  logic [31:0]             request_beats_i,

    input  logic                    data_valid_i,
    output logic                    data_ready_o,
    input  logic [DataWidth-1:0]    data_i,

    output logic                    done_o,
    output logic                    error_o,

    output logic                    axi_awvalid_o,
    input  logic                    axi_awready_i,
    output logic [AddressWidth-1:0] axi_awaddr_o,
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

  assign axi_wstrb_o = '1;

  logic burst_begins;
  logic burst_last;
  logic burst_room;
  logic [7:0] burst_length;

  axi_bursts #(
      .AddressWidth(AddressWidth),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .request_valid_i,
      .request_ready_o,
      .request_address_i,
      .request_beats_i,
      .room_i(burst_room),
      .begin_o(burst_begins),
      .length_o(burst_length),
      .last_o(burst_last),
      .axi_valid_o(axi_awvalid_o),
      .axi_ready_i(axi_awready_i),
      .axi_address_o(axi_awaddr_o),
      .axi_length_o(axi_awlen_o),
      .axi_size_o(axi_awsize_o),
      .axi_burst_o(axi_awburst_o)
  );

  // Bursts whose data is not all there yet. They are among those that wait for a response, so there is room for them.
  logic length_valid;
  logic length_room;
  logic [7:0] length;
  logic [7:0] beat_q;
  logic beat_moves;
  logic beat_last;
  logic beat_room;

  stream_fifo #(
      .Width(8),
      .Depth(Outstanding)
  ) u_lengths (
      .clk_i,
      .rst_ni,
      .valid_i(burst_begins),
      .ready_o(length_room),
      .data_i(burst_length),
      .valid_o(length_valid),
      .ready_i(beat_moves && beat_last),
      .data_o(length)
  );

  assign data_ready_o = length_valid && beat_room;
  assign beat_moves = data_valid_i && data_ready_o;
  assign beat_last = beat_q == length;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (beat_moves) beat_q <= beat_last ? '0 : beat_q + 1'b1;
  end

  stream_register #(
      .Width(DataWidth + 1)
  ) u_data (
      .clk_i,
      .rst_ni,
      .valid_i(data_valid_i && length_valid),
      .ready_o(beat_room),
      .data_i({beat_last, data_i}),
      .valid_o(axi_wvalid_o),
      .ready_i(axi_wready_i),
      .data_o({axi_wlast_o, axi_wdata_o})
  );

  // Bursts without a response: whether each is its request's last.
  logic response_due;
  logic response_last;
  logic response_taken;
  logic failed_q;
  logic failed;

  stream_fifo #(
      .Width(1),
      .Depth(Outstanding)
  ) u_outstanding (
      .clk_i,
      .rst_ni,
      .valid_i(burst_begins),
      .ready_o(burst_room),
      .data_i(burst_last),
      .valid_o(response_due),
      .ready_i(axi_bvalid_i),
      .data_o(response_last)
  );

  assign axi_bready_o = response_due;
  assign response_taken = axi_bvalid_i && axi_bready_o;
  assign failed = failed_q || axi_bresp_i[1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_o <= 1'b0;
      failed_q <= 1'b0;
    end else begin
      done_o <= response_taken && response_last;
      if (response_taken) failed_q <= failed && !response_last;
    end
    error_o <= failed;
  end

  logic unused;
  assign unused = ^{length_room, axi_bresp_i[0]};

endmodule
