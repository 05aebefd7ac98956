// two_epoch_ring with the fields of a transfer that it looks at as ports.

module two_epoch_ring_top
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter int unsigned Width = 32
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic                             load_i,
    input  logic                             hop_i,
    input  logic                             intra_i,
    input  address_t                         packet_i,
    input  address_t                         step_i,
    input  logic [Tiles-1:0][1:0][Width-1:0] pair_i,
    output logic [Tiles-1:0][1:0][Width-1:0] pair_o
);

  transfer_t transfer;

  always_comb begin
    transfer = '0;
    transfer.load = load_i;
    transfer.hop = hop_i;
    transfer.intra = intra_i;
    transfer.packet = packet_i;
    transfer.step = step_i;
  end

  two_epoch_ring #(
      .Tiles(Tiles),
      .Width(Width)
  ) u_ring (
      .clk_i,
      .transfer_i(transfer),
      .pair_i,
      .pair_o
  );

  logic unused;
  assign unused = rst_ni;

endmodule
