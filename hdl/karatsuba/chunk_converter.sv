// Chunks of From bits' weight, which are sums and longer, to chunks of To bits, the lowest first; modulo 2^(Chunks * To).
//
// Ports: clk_i, rst_ni; valid_i and data_i, the chunks of a coefficient without a gap; valid_o, data_o.
// Latency: 2 from a chunk to the one of the same number.

`include "assertions.svh"

module chunk_converter
  import ringmill_pkg::*;
#(
    parameter int unsigned Chunks = 5,
    parameter int unsigned From = 27,
    parameter int unsigned InputWidth = 40,
    parameter int unsigned To = 30
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  valid_i,
    input  logic [InputWidth-1:0] data_i,
    output logic                  valid_o,
    output logic [To-1:0]         data_o
);

  // What is left above the chunks that went out.
  localparam int unsigned RestWidth = From + InputWidth + 1;
  localparam int unsigned ChunkWidth = index_width(Chunks);

  logic [ChunkWidth-1:0] chunk_q;
  logic [RestWidth-1:0] rest_q, total;
  logic ends_q;

  // Chunk c is From * c bits up, and To * (c - 1) have gone.
  always_comb begin
    total = rest_q;
    for (int unsigned chunk = 1; chunk < Chunks; chunk++) begin
      if (valid_i && chunk_q == ChunkWidth'(chunk)) begin
        total = rest_q + (RestWidth'(data_i) << (From * chunk - To * (chunk - 1)));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      chunk_q <= chunk_q == ChunkWidth'(Chunks - 1) ? '0 : chunk_q + 1'b1;
      rest_q <= chunk_q == '0 ? RestWidth'(data_i) : total >> To;
    end
    ends_q <= valid_i && chunk_q == ChunkWidth'(Chunks - 1);
    valid_o <= ends_q || (valid_i && chunk_q != '0);
    data_o <= total[To-1:0];
    if (!rst_ni) begin
      chunk_q <= '0;
      ends_q <= 1'b0;
      valid_o <= 1'b0;
    end
  end

  `RINGMILL_ASSERT(NoGap, chunk_q != '0 |-> valid_i, clk_i, !rst_ni)

  if (Chunks < 2 || To < From || To * (Chunks - 1) > From * Chunks) begin : gen_check_chunks
    $error("chunk_converter: chunks that grow, and of which one is out before the next but one comes");
  end

endmodule
