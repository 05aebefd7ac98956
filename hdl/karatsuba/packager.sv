// Holds the pairs of a piece until all are there, and sends them without a gap (paper 4, section 3.3.6).
//
// Pieces begin whole leaves apart, and the first one of a group when there is room for its result.
//
// Ports: clk_i, rst_ni; a stream in, valid_i, ready_o, key_i, binary_i; room_i; group_o, with the first pair of a group;
// valid_o, first_o, key_o, binary_o.

`include "assertions.svh"

module packager
  import ringmill_pkg::*;
  import karatsuba_pkg::*;
#(
    parameter int unsigned KeyWidth = 27
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   valid_i,
    output logic                   ready_o,
    input  logic [KeyWidth-1:0]    key_i,
    input  logic [BinaryWidth-1:0] binary_i,
    input  logic                   room_i,
    output logic                   group_o,
    output logic                   valid_o,
    output logic                   first_o,
    output logic [KeyWidth-1:0]    key_o,
    output logic [BinaryWidth-1:0] binary_o
);

  // A piece that is sent, and one that comes; whole powers of two.
  localparam int unsigned Depth = 2 ** $clog2(2 * PieceLength);
  localparam int unsigned AddressWidth = index_width(Depth);
  localparam int unsigned SlotWidth = index_width(LeafLength);
  localparam int unsigned GroupWidth = index_width(GroupPieces);
  localparam int unsigned PieceWidth = index_width(PieceLength);

  logic [AddressWidth-1:0] write_q, read_q, held;
  logic [SlotWidth-1:0] slot_q;
  logic [PieceWidth-1:0] place_q;
  logic [GroupWidth-1:0] piece_q;
  logic sending_q, begins, takes, last;

  assign held = write_q - read_q;
  assign ready_o = held != '1;
  assign takes = valid_i && ready_o;
  assign last = place_q == PieceWidth'(PieceLength - 1);
  // Pairs that come as others are sent are there in time.
  assign begins = slot_q == SlotWidth'(LeafLength - 1) && (!sending_q || last)
      && held >= AddressWidth'(PieceLength) + AddressWidth'(sending_q) && (piece_q != '0 || room_i);
  assign group_o = begins && piece_q == '0;

  always_ff @(posedge clk_i) begin
    slot_q <= slot_q == SlotWidth'(LeafLength - 1) ? '0 : slot_q + 1'b1;
    if (takes) write_q <= write_q + 1'b1;
    if (sending_q) begin
      read_q <= read_q + 1'b1;
      place_q <= place_q + 1'b1;
      if (last) sending_q <= 1'b0;
    end
    if (begins) begin
      sending_q <= 1'b1;
      place_q <= '0;
      piece_q <= piece_q == GroupWidth'(GroupPieces - 1) ? '0 : piece_q + 1'b1;
    end
    valid_o <= sending_q;
    first_o <= sending_q && place_q == '0;
    if (!rst_ni) begin
      slot_q <= '0;
      write_q <= '0;
      read_q <= '0;
      piece_q <= '0;
      sending_q <= 1'b0;
      valid_o <= 1'b0;
      first_o <= 1'b0;
    end
  end

  ram_simple_dual #(
      .Width(KeyWidth + BinaryWidth),
      .Depth(Depth)
  ) u_memory (
      .clk_i,
      .write_i(takes),
      .write_address_i(write_q),
      .write_data_i({key_i, binary_i}),
      .read_i(sending_q),
      .read_address_i(read_q),
      .read_data_o({key_o, binary_o})
  );

  `RINGMILL_ASSERT(PairIsThere, sending_q |-> held != '0, clk_i, !rst_ni)

endmodule
