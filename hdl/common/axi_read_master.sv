// AXI4 master that reads: a request becomes bursts, and their data a stream.
//
// Up to Outstanding bursts of any number of requests are under way, all of one ID, so their data comes in order. A
// request always delivers all its beats, those that the bus could not read with data_error_o.
//
// Ports: clk_i, rst_ni; request_valid_i, request_ready_o, request_address_i (a multiple of a beat's bytes),
// request_beats_i (not 0), request_tag_i, which comes back with its data; data_valid_o, data_ready_i, data_o,
// data_tag_o, data_last_o with the request's last beat, data_error_o; the channels axi_ar* and axi_r* without their
// constant or unused signals (ARID 0, ARCACHE, ARPROT). Latency: 2 from the request to ARVALID, 1 from RVALID to the
// stream; a beat every cycle, a burst every 2 cycles.

module axi_read_master
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
    input  logic                    request_tag_i,

    output logic                    data_valid_o,
    input  logic                    data_ready_i,
    output logic [DataWidth-1:0]    data_o,
    output logic                    data_tag_o,
    output logic                    data_last_o,
    output logic                    data_error_o,

    output logic                    axi_arvalid_o,
    input  logic                    axi_arready_i,
    output logic [AddressWidth-1:0] axi_araddr_o,
    output logic [7:0]              axi_arlen_o,
    output logic [2:0]              axi_arsize_o,
    output logic [1:0]              axi_arburst_o,
    input  logic                    axi_rvalid_i,
    output logic                    axi_rready_o,
    input  logic [DataWidth-1:0]    axi_rdata_i,
    input  logic [1:0]              axi_rresp_i,
    input  logic                    axi_rlast_i
);

  logic burst_begins;
  logic burst_last;
  logic burst_room;
  logic [7:0] burst_length;
  logic tag_q;

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
      .axi_valid_o(axi_arvalid_o),
      .axi_ready_i(axi_arready_i),
      .axi_address_o(axi_araddr_o),
      .axi_length_o(axi_arlen_o),
      .axi_size_o(axi_arsize_o),
      .axi_burst_o(axi_arburst_o)
  );

  always_ff @(posedge clk_i) if (request_valid_i && request_ready_o) tag_q <= request_tag_i;

  // Bursts under way: the tag, and whether it is the request's last.
  logic oldest_valid;
  logic oldest_last;
  logic beat_valid;
  logic beat_last;

  stream_fifo #(
      .Width(2),
      .Depth(Outstanding)
  ) u_outstanding (
      .clk_i,
      .rst_ni,
      .valid_i(burst_begins),
      .ready_o(burst_room),
      .data_i({tag_q, burst_last}),
      .valid_o(oldest_valid),
      .ready_i(data_valid_o && data_ready_i && beat_last),
      .data_o({data_tag_o, oldest_last})
  );

  stream_register #(
      .Width(DataWidth + 2)
  ) u_data (
      .clk_i,
      .rst_ni,
      .valid_i(axi_rvalid_i),
      .ready_o(axi_rready_o),
      .data_i({axi_rresp_i[1], axi_rlast_i, axi_rdata_i}),
      .valid_o(beat_valid),
      .ready_i(data_ready_i && oldest_valid),
      .data_o({data_error_o, beat_last, data_o})
  );

  assign data_valid_o = beat_valid && oldest_valid;
  assign data_last_o = beat_last && oldest_last;

  logic unused;
  assign unused = ^{burst_length, axi_rresp_i[0]};

endmodule
