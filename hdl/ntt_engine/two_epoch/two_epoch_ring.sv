// The ring network: clusters of tiles, a channel for each word that a cluster's tiles read at once (figure 2).
//
// load: each tile's pair enters its cluster's channels, tile i's word z channel 2 i + z, for the tiles 2 p + z of some
// cluster, p the packet. hop: all channels move to the next cluster. What has arrived goes to tile 2 p + z a pair at a
// time, from the tiles 2 s and 2 s + 1 of the source in step s (algorithm 4). Within a cluster all tiles take pairs at
// once: in iteration i, the tiles 2 p + z from the tiles 2 s and 2 s + 1, s = i XOR p (algorithm 3, O_ij = i XOR j).
//
// Ports: clk_i; transfer_i; pair_i, each tile's words with an even and an odd number; pair_o, for each tile the words
// from an even and an odd tile.
// Latency: 1 from load to pair_o, and 1 for each hop. No reset.

module two_epoch_ring
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter int unsigned Width = 32
) (
    input  logic                             clk_i,
    input  transfer_t                        transfer_i,
    input  logic [Tiles-1:0][1:0][Width-1:0] pair_i,
    output logic [Tiles-1:0][1:0][Width-1:0] pair_o
);

  localparam int unsigned Members = cluster_tiles(Tiles);
  localparam int unsigned Pairs = cluster_pairs(Tiles);
  localparam int unsigned Clusters = clusters(Tiles);
  localparam int unsigned GroupWidth = Pairs > 1 ? $clog2(Pairs) : 1;

  for (genvar cluster = 0; cluster < int'(Clusters); cluster++) begin : gen_cluster
    logic [Members-1:0][1:0][Width-1:0] channel_q;
    logic [Members-1:0][1:0][Width-1:0] previous;

    assign previous = gen_cluster[(cluster+int'(Clusters)-1)%int'(Clusters)].channel_q;

    always_ff @(posedge clk_i) begin
      if (transfer_i.load) channel_q <= pair_i[cluster*Members+:Members];
      else if (transfer_i.hop) channel_q <= previous;
    end

    for (genvar pair = 0; pair < int'(Pairs); pair++) begin : gen_pair
      logic [GroupWidth-1:0] group;
      assign group = transfer_i.intra ? transfer_i.packet[GroupWidth-1:0] ^ GroupWidth'(pair)
          : transfer_i.step[GroupWidth-1:0];
      for (genvar word = 0; word < 2; word++) begin : gen_word
        logic [Pairs-1:0][1:0][Width-1:0] choice;
        for (genvar from = 0; from < int'(Pairs); from++) begin : gen_choice
          assign choice[from] = {channel_q[2*from+1][word], channel_q[2*from][word]};
        end
        assign pair_o[cluster*int'(Members)+2*pair+word] = choice[group];
      end
    end
  end

  logic unused;
  assign unused = ^transfer_i;

  if (Tiles < 16 || 1 << $clog2(Tiles) != Tiles) begin : gen_check_tiles
    $error("two_epoch_ring: Tiles must be a power of two, at least 16");
  end

endmodule
