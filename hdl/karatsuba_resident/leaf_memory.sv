// The leaves of the key: memory for each multiplier, filled once for a key, and read leaf after leaf.
//
// A leaf comes in beats, its lowest bits first; leaf n is for multiplier n modulo Banks.
//
// Ports: clk_i, rst_ni; valid_i, data_i, beats of all leaves (and once more from leaf 0 on, for another key); loaded_o, all are
// there; first_i and next_i, to read the first leaf of each bank or the one after that read last; leaves_o, which stay until
// the next read. Latency: 1.

module leaf_memory
  import ringmill_pkg::*;
#(
    parameter int unsigned Leaves = 19683,
    parameter int unsigned Banks = 4,
    parameter int unsigned Width = 720,
    parameter int unsigned BeatWidth = 128
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        valid_i,
    input  logic [BeatWidth-1:0]        data_i,
    output logic                        loaded_o,
    input  logic                        first_i,
    input  logic                        next_i,
    output logic [Banks-1:0][Width-1:0] leaves_o
);

  localparam int unsigned Beats = ceil_div(Width, BeatWidth);
  localparam int unsigned Depth = ceil_div(Leaves, Banks);
  localparam int unsigned BeatIndexWidth = index_width(Beats);
  localparam int unsigned AddressWidth = index_width(Depth);
  localparam int unsigned BankWidth = index_width(Banks);
  localparam int unsigned LeafWidth = index_width(Leaves);

  logic [BeatIndexWidth-1:0] beat_q;
  logic [LeafWidth-1:0] leaf_q;
  logic [BankWidth-1:0] bank_q;
  logic [AddressWidth-1:0] write_q, read_q, read;
  logic last_beat, last_bank, last_leaf, write;
  logic [Beats-2:0][BeatWidth-1:0] before_q;
  logic [Beats*BeatWidth-1:0] word;

  assign last_beat = beat_q == BeatIndexWidth'(Beats - 1);
  assign last_bank = bank_q == BankWidth'(Banks - 1);
  assign last_leaf = leaf_q == LeafWidth'(Leaves - 1);
  assign write = valid_i && last_beat;
  assign word = {data_i, before_q};
  assign read = first_i ? '0 : read_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      before_q <= {data_i, before_q[Beats-2:1]};
      beat_q <= last_beat ? '0 : beat_q + 1'b1;
      loaded_o <= last_beat && last_leaf;
    end
    if (write) begin
      leaf_q <= last_leaf ? '0 : leaf_q + 1'b1;
      bank_q <= last_bank || last_leaf ? '0 : bank_q + 1'b1;
      if (last_leaf) write_q <= '0;
      else if (last_bank) write_q <= write_q + 1'b1;
    end
    if (first_i || next_i) read_q <= read + 1'b1;
    if (!rst_ni) begin
      beat_q <= '0;
      leaf_q <= '0;
      bank_q <= '0;
      write_q <= '0;
      loaded_o <= 1'b0;
    end
  end

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    ram_simple_dual #(
        .Width(Width),
        .Depth(Depth),
        .Style(RamBlock)
    ) u_leaves (
        .clk_i,
        .write_i(write && bank_q == BankWidth'(bank)),
        .write_address_i(write_q),
        .write_data_i(word[Width-1:0]),
        .read_i(first_i || next_i),
        .read_address_i(read),
        .read_data_o(leaves_o[bank])
    );
  end

  logic unused;
  assign unused = ^word;

  if (Leaves < Banks || Banks < 2 || Beats < 3) begin : gen_check_sizes
    $error("leaf_memory: leaves of three beats at least, for two banks at least");
  end

endmodule
