// A word, Depth cycles later; Depth = 0 is a wire.
//
// Ports: clk_i, enable_i (0 holds all registers), data_i, data_o. Latency: Depth; a word every cycle. No reset, so it maps
// to shift registers.

module delay_line #(
    parameter int unsigned Width = 32,
    parameter int unsigned Depth = 1
) (
    input  logic             clk_i,
    input  logic             enable_i,
    input  logic [Width-1:0] data_i,
    output logic [Width-1:0] data_o
);

  if (Depth == 0) begin : gen_wire
    assign data_o = data_i;

    logic unused;
    assign unused = ^{clk_i, enable_i};
  end else begin : gen_registers
    logic [Depth-1:0][Width-1:0] data_q;

    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        data_q[0] <= data_i;
        for (int unsigned i = 1; i < Depth; i++) data_q[i] <= data_q[i-1];
      end
    end

    assign data_o = data_q[Depth-1];
  end

endmodule
