// The core with the port names that Vivado's packager and Vitis look for. Registers have 8 bits of address on the core,
// and 12 here, as kernels have them: they repeat every 256 bytes.

`default_nettype none

module core_kernel #(
    parameter N = 32768,
    parameter Units = 16,
    parameter Limbs = 8,
    parameter Slots = 2,
    parameter Width = 50,
    parameter Word = 17,
    parameter DataWidth = 256
) (
    input  wire                   ap_clk,
    input  wire                   ap_rst_n,
    // Vitis wants this name, which is a word of C++ libraries.
    // verilator lint_off SYMRSVDWORD
    output wire                   interrupt,
    // verilator lint_on SYMRSVDWORD

    input  wire                   s_axi_control_awvalid,
    output wire                   s_axi_control_awready,
    input  wire [11:0]            s_axi_control_awaddr,
    input  wire                   s_axi_control_wvalid,
    output wire                   s_axi_control_wready,
    input  wire [31:0]            s_axi_control_wdata,
    input  wire [3:0]             s_axi_control_wstrb,
    output wire                   s_axi_control_bvalid,
    input  wire                   s_axi_control_bready,
    output wire [1:0]             s_axi_control_bresp,
    input  wire                   s_axi_control_arvalid,
    output wire                   s_axi_control_arready,
    input  wire [11:0]            s_axi_control_araddr,
    output wire                   s_axi_control_rvalid,
    input  wire                   s_axi_control_rready,
    output wire [31:0]            s_axi_control_rdata,
    output wire [1:0]             s_axi_control_rresp,

    output wire                   m_axi_memory_arvalid,
    input  wire                   m_axi_memory_arready,
    output wire [63:0]            m_axi_memory_araddr,
    output wire [7:0]             m_axi_memory_arlen,
    output wire [2:0]             m_axi_memory_arsize,
    output wire [1:0]             m_axi_memory_arburst,
    output wire [3:0]             m_axi_memory_arcache,
    output wire [2:0]             m_axi_memory_arprot,
    input  wire                   m_axi_memory_rvalid,
    output wire                   m_axi_memory_rready,
    input  wire [DataWidth-1:0]   m_axi_memory_rdata,
    input  wire [1:0]             m_axi_memory_rresp,
    input  wire                   m_axi_memory_rlast,
    output wire                   m_axi_memory_awvalid,
    input  wire                   m_axi_memory_awready,
    output wire [63:0]            m_axi_memory_awaddr,
    output wire [7:0]             m_axi_memory_awlen,
    output wire [2:0]             m_axi_memory_awsize,
    output wire [1:0]             m_axi_memory_awburst,
    output wire [3:0]             m_axi_memory_awcache,
    output wire [2:0]             m_axi_memory_awprot,
    output wire                   m_axi_memory_wvalid,
    input  wire                   m_axi_memory_wready,
    output wire [DataWidth-1:0]   m_axi_memory_wdata,
    output wire [DataWidth/8-1:0] m_axi_memory_wstrb,
    output wire                   m_axi_memory_wlast,
    input  wire                   m_axi_memory_bvalid,
    output wire                   m_axi_memory_bready,
    input  wire [1:0]             m_axi_memory_bresp
);

  // Normal memory, modifiable and bufferable; unprivileged, not secure data.
  assign m_axi_memory_arcache = 4'b0011;
  assign m_axi_memory_awcache = 4'b0011;
  assign m_axi_memory_arprot = 3'b010;
  assign m_axi_memory_awprot = 3'b010;

  wire unused = &{1'b0, s_axi_control_awaddr[11:8], s_axi_control_araddr[11:8]};

  core #(
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Slots(Slots),
      .Width(Width),
      .Word(Word),
      .DataWidth(DataWidth)
  ) u_core (
      .clk_i(ap_clk),
      .rst_ni(ap_rst_n),
      .interrupt_o(interrupt),
      .control_awvalid_i(s_axi_control_awvalid),
      .control_awready_o(s_axi_control_awready),
      .control_awaddr_i(s_axi_control_awaddr[7:0]),
      .control_wvalid_i(s_axi_control_wvalid),
      .control_wready_o(s_axi_control_wready),
      .control_wdata_i(s_axi_control_wdata),
      .control_wstrb_i(s_axi_control_wstrb),
      .control_bvalid_o(s_axi_control_bvalid),
      .control_bready_i(s_axi_control_bready),
      .control_bresp_o(s_axi_control_bresp),
      .control_arvalid_i(s_axi_control_arvalid),
      .control_arready_o(s_axi_control_arready),
      .control_araddr_i(s_axi_control_araddr[7:0]),
      .control_rvalid_o(s_axi_control_rvalid),
      .control_rready_i(s_axi_control_rready),
      .control_rdata_o(s_axi_control_rdata),
      .control_rresp_o(s_axi_control_rresp),
      .axi_arvalid_o(m_axi_memory_arvalid),
      .axi_arready_i(m_axi_memory_arready),
      .axi_araddr_o(m_axi_memory_araddr),
      .axi_arlen_o(m_axi_memory_arlen),
      .axi_arsize_o(m_axi_memory_arsize),
      .axi_arburst_o(m_axi_memory_arburst),
      .axi_rvalid_i(m_axi_memory_rvalid),
      .axi_rready_o(m_axi_memory_rready),
      .axi_rdata_i(m_axi_memory_rdata),
      .axi_rresp_i(m_axi_memory_rresp),
      .axi_rlast_i(m_axi_memory_rlast),
      .axi_awvalid_o(m_axi_memory_awvalid),
      .axi_awready_i(m_axi_memory_awready),
      .axi_awaddr_o(m_axi_memory_awaddr),
      .axi_awlen_o(m_axi_memory_awlen),
      .axi_awsize_o(m_axi_memory_awsize),
      .axi_awburst_o(m_axi_memory_awburst),
      .axi_wvalid_o(m_axi_memory_wvalid),
      .axi_wready_i(m_axi_memory_wready),
      .axi_wdata_o(m_axi_memory_wdata),
      .axi_wstrb_o(m_axi_memory_wstrb),
      .axi_wlast_o(m_axi_memory_wlast),
      .axi_bvalid_i(m_axi_memory_bvalid),
      .axi_bready_o(m_axi_memory_bready),
      .axi_bresp_i(m_axi_memory_bresp)
  );

endmodule

`default_nettype wire
