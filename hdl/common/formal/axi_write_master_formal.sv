// axi_write_master keeps the rules of W beside AW: data comes behind its address, all of it, and WLAST with the last beat.
//
// The harness counts the beats of all bursts whose addresses were offered, and those of the data. It follows one burst
// that a free choice marks: which beats are its own. Responses come for bursts whose data was taken, as slaves do.

module axi_write_master_formal #(
    parameter int unsigned AddressWidth = 16,
    parameter int unsigned DataWidth = 16,
    parameter int unsigned BurstBeats = 4,
    parameter int unsigned Outstanding = 2
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic                    request_valid_i,
    input logic [AddressWidth-1:0] request_address_i,
    input logic [31:0]             request_beats_i,
    input logic                    data_valid_i,
    input logic [DataWidth-1:0]    data_i,
    input logic                    axi_awready_i,
    input logic                    axi_wready_i,
    input logic                    axi_bvalid_i,
    input logic [1:0]              axi_bresp_i,
    input logic                    mark_i
);

  logic request_ready;
  logic data_ready;
  logic done;
  logic error;
  logic aw_valid;
  logic [AddressWidth-1:0] aw_address;
  logic [7:0] aw_length;
  logic [2:0] aw_size;
  logic [1:0] aw_burst;
  logic w_valid;
  logic [DataWidth-1:0] w_data;
  logic [DataWidth/8-1:0] w_strobe;
  logic w_last;
  logic b_ready;

  axi_write_master #(
      .AddressWidth(AddressWidth),
      .DataWidth(DataWidth),
      .BurstBeats(BurstBeats),
      .Outstanding(Outstanding)
  ) u_master (
      .clk_i,
      .rst_ni,
      .request_valid_i,
      .request_ready_o(request_ready),
      .request_address_i,
      .request_beats_i,
      .data_valid_i,
      .data_ready_o(data_ready),
      .data_i,
      .done_o(done),
      .error_o(error),
      .axi_awvalid_o(aw_valid),
      .axi_awready_i,
      .axi_awaddr_o(aw_address),
      .axi_awlen_o(aw_length),
      .axi_awsize_o(aw_size),
      .axi_awburst_o(aw_burst),
      .axi_wvalid_o(w_valid),
      .axi_wready_i,
      .axi_wdata_o(w_data),
      .axi_wstrb_o(w_strobe),
      .axi_wlast_o(w_last),
      .axi_bvalid_i,
      .axi_bready_o(b_ready),
      .axi_bresp_i
  );

  // Beats of all bursts that were offered, the present one included, and beats of data that were taken.
  logic aw_stood_q;
  logic [15:0] announced_q;
  logic [15:0] announced;
  logic [15:0] written_q;
  logic [15:0] waiting_q;
  logic marked_q;
  logic [15:0] first_q;
  logic [15:0] final_q;
  logic w_stalled_q;
  logic [DataWidth:0] w_stalled_beat_q;
  logic offers;

  assign offers = aw_valid && !aw_stood_q;
  assign announced = announced_q + (offers ? 16'(aw_length) + 1'b1 : 16'd0);

  always_ff @(posedge clk_i) begin
    aw_stood_q <= rst_ni && aw_valid && !axi_awready_i;
    announced_q <= rst_ni ? announced : '0;
    written_q <= rst_ni ? written_q + 16'(w_valid && axi_wready_i) : '0;
    waiting_q <= rst_ni ? waiting_q + 16'(w_valid && axi_wready_i && w_last) - 16'(axi_bvalid_i && b_ready) : '0;
    marked_q <= rst_ni && (marked_q || offers && mark_i);
    if (!marked_q) begin
      first_q <= announced_q;
      final_q <= announced - 1'b1;
    end
    w_stalled_q <= rst_ni && w_valid && !axi_wready_i;
    w_stalled_beat_q <= {w_last, w_data};
  end

  always_comb begin
    if (rst_ni) begin
      SomeBeats: assume (request_beats_i != '0);
      ResponsesOfData: assume (!axi_bvalid_i || waiting_q != '0);
      DataBehindAddress: assert (!w_valid || written_q < announced);
      LastOfBurst: assert (!marked_q || !w_valid || written_q < first_q || written_q > final_q
                           || w_last == (written_q == final_q));
      StaysUntilTaken: assert (!w_stalled_q || w_valid && {w_last, w_data} == w_stalled_beat_q);
      ResponsesTaken: assert (!axi_bvalid_i || b_ready);
      AllBytes: assert (&w_strobe);
      Last: cover (marked_q && w_valid && w_last && written_q == final_q && final_q != first_q);
      Done: cover (done && error);
    end
  end

  logic unused;
  assign unused = ^{request_ready, data_ready, aw_address, aw_size, aw_burst};

endmodule
