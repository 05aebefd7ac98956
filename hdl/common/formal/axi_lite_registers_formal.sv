// axi_lite_registers keeps to AXI4-Lite, and each transaction of a master is one access of the file.
//
// The harness remembers what each channel has taken and not yet answered. The file's answers are free.

module axi_lite_registers_formal #(
    parameter int unsigned AddressWidth = 8
) (
    input logic                    clk_i,
    input logic                    rst_ni,
    input logic                    axi_awvalid_i,
    input logic [AddressWidth-1:0] axi_awaddr_i,
    input logic                    axi_wvalid_i,
    input logic [31:0]             axi_wdata_i,
    input logic [3:0]              axi_wstrb_i,
    input logic                    axi_bready_i,
    input logic                    axi_arvalid_i,
    input logic [AddressWidth-1:0] axi_araddr_i,
    input logic                    axi_rready_i,
    input logic                    write_error_i,
    input logic [31:0]             read_data_i,
    input logic                    read_error_i
);

  logic aw_ready;
  logic w_ready;
  logic b_valid;
  logic [1:0] b_code;
  logic ar_ready;
  logic r_valid;
  logic [31:0] r_data;
  logic [1:0] r_code;
  logic write;
  logic [AddressWidth-1:0] write_address;
  logic [31:0] write_data;
  logic [3:0] write_strobe;
  logic read;
  logic [AddressWidth-1:0] read_address;

  axi_lite_registers #(
      .AddressWidth(AddressWidth)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .axi_awvalid_i,
      .axi_awready_o(aw_ready),
      .axi_awaddr_i,
      .axi_wvalid_i,
      .axi_wready_o(w_ready),
      .axi_wdata_i,
      .axi_wstrb_i,
      .axi_bvalid_o(b_valid),
      .axi_bready_i,
      .axi_bresp_o(b_code),
      .axi_arvalid_i,
      .axi_arready_o(ar_ready),
      .axi_araddr_i,
      .axi_rvalid_o(r_valid),
      .axi_rready_i,
      .axi_rdata_o(r_data),
      .axi_rresp_o(r_code),
      .write_o(write),
      .write_address_o(write_address),
      .write_data_o(write_data),
      .write_strobe_o(write_strobe),
      .write_error_i,
      .read_o(read),
      .read_address_o(read_address),
      .read_data_i,
      .read_error_i
  );

  // Taken and not yet accessed; accessed and not yet answered.
  logic aw_waits_q;
  logic w_waits_q;
  logic b_due_q;
  logic ar_waits_q;
  logic r_due_q;
  logic [AddressWidth-1:2] write_word_q;
  logic [31:0] write_data_q;
  logic [3:0] write_strobe_q;
  logic write_error_q;
  logic [AddressWidth-1:2] read_word_q;
  logic [31:0] read_data_q;
  logic read_error_q;

  logic takes_aw;
  logic takes_w;
  logic takes_ar;
  assign takes_aw = axi_awvalid_i && aw_ready;
  assign takes_w = axi_wvalid_i && w_ready;
  assign takes_ar = axi_arvalid_i && ar_ready;

  always_ff @(posedge clk_i) begin
    aw_waits_q <= rst_ni && (takes_aw || aw_waits_q && !write);
    w_waits_q <= rst_ni && (takes_w || w_waits_q && !write);
    b_due_q <= rst_ni && (write || b_due_q && !(b_valid && axi_bready_i));
    ar_waits_q <= rst_ni && (takes_ar || ar_waits_q && !read);
    r_due_q <= rst_ni && (read || r_due_q && !(r_valid && axi_rready_i));
    if (takes_aw) write_word_q <= axi_awaddr_i[AddressWidth-1:2];
    if (takes_w) write_data_q <= axi_wdata_i;
    if (takes_w) write_strobe_q <= axi_wstrb_i;
    if (write) write_error_q <= write_error_i;
    if (takes_ar) read_word_q <= axi_araddr_i[AddressWidth-1:2];
    if (read) read_data_q <= read_data_i;
    if (read) read_error_q <= read_error_i;
  end

  always_comb begin
    if (rst_ni) begin
      AddressWhenFree: assert (aw_ready == !aw_waits_q);
      DataWhenFree: assert (w_ready == !w_waits_q);
      ReadWhenFree: assert (ar_ready == !ar_waits_q);
      WritesOnce: assert (write == (aw_waits_q && w_waits_q && !b_due_q));
      AddressThatCame: assert (!aw_waits_q || write_address == {write_word_q, 2'b00});
      DataThatCame: assert (!w_waits_q || write_data == write_data_q && write_strobe == write_strobe_q);
      ReadsOnce: assert (read == (ar_waits_q && !r_due_q));
      ReadThatCame: assert (!ar_waits_q || read_address == {read_word_q, 2'b00});
      OneWriteResponse: assert (b_valid == b_due_q);
      OneReadResponse: assert (r_valid == r_due_q);
      WriteCode: assert (!b_valid || b_code == (write_error_q ? 2'b10 : 2'b00));
      ReadCode: assert (!r_valid || r_code == (read_error_q ? 2'b10 : 2'b00));
      ReadData: assert (!r_valid || r_data == read_data_q);
      Both: cover (b_valid && r_valid && aw_waits_q && w_waits_q && ar_waits_q);
    end
  end

  logic unused;
  assign unused = ^{axi_awaddr_i[1:0], axi_araddr_i[1:0]};

endmodule
