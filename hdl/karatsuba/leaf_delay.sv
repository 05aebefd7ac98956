// Pairs of leaves, some leaves' time later. Flags are reset, and data is not.
//
// Ports: clk_i, rst_ni, flags_i, data_i, flags_o, data_o. Latency: Leaves times the length of a leaf.

module leaf_delay
  import karatsuba_pkg::*;
#(
    parameter int unsigned Width = 40,
    parameter int unsigned Leaves = 1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [1:0]       flags_i,
    input  logic [Width-1:0] data_i,
    output logic [1:0]       flags_o,
    output logic [Width-1:0] data_o
);

  localparam int unsigned Depth = Leaves * LeafLength;

  if (Leaves == 0) begin : gen_wire
    assign flags_o = flags_i;

    logic unused;
    assign unused = rst_ni;
  end else begin : gen_registers
    logic [Depth-1:0][1:0] flags_q;

    always_ff @(posedge clk_i) begin
      flags_q <= rst_ni ? {flags_q[Depth-2:0], flags_i} : '0;
    end

    assign flags_o = flags_q[Depth-1];
  end

  delay_line #(
      .Width(Width),
      .Depth(Depth)
  ) u_data (
      .clk_i,
      .enable_i(1'b1),
      .data_i,
      .data_o
  );

endmodule
