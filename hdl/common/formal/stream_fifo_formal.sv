// stream_fifo is a queue of Depth words: one word that a free choice marks comes out at its turn, unchanged.
//
// The harness follows a word that is marked when it goes in: how many words are before it, and which word it is.

module stream_fifo_formal #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 8
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             valid_i,
    input logic [Width-1:0] data_i,
    input logic             ready_i,
    input logic             mark_i
);

  localparam int unsigned PlaceWidth = $clog2(Depth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic ready;
  logic valid;
  logic [Width-1:0] data;

  stream_fifo #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o(ready),
      .data_i,
      .valid_o(valid),
      .ready_i,
      .data_o(data)
  );

  logic [CountWidth-1:0] count_q;
  logic marked_q;
  logic [CountWidth-1:0] before_q;
  logic [Width-1:0] word_q;
  logic stalled_q;
  logic [Width-1:0] data_q;
  logic push;
  logic pop;

  assign push = valid_i && ready;
  assign pop = valid && ready_i;

  always_ff @(posedge clk_i) begin
    count_q <= rst_ni ? count_q + CountWidth'(push) - CountWidth'(pop) : '0;
    if (!rst_ni) begin
      marked_q <= 1'b0;
    end else if (!marked_q) begin
      marked_q <= push && mark_i;
      before_q <= count_q - CountWidth'(pop);
      word_q <= data_i;
    end else if (pop) begin
      marked_q <= before_q != '0;
      before_q <= before_q - 1'b1;
    end
    stalled_q <= rst_ni && valid && !ready_i;
    data_q <= data;
  end

  // The marked word's place.
  logic [PlaceWidth-1:0] place;
  assign place = PlaceWidth'((32'(u_fifo.first_q) + 32'(before_q)) % Depth);

  always_comb begin
    if (rst_ni) begin
      NothingBetween: assert (valid == (count_q != '0));
      RoomForDepth: assert (ready == (count_q < CountWidth'(Depth)) && count_q <= CountWidth'(Depth));
      AtItsTurn: assert (!marked_q || before_q < count_q && (before_q != '0 || data == word_q));
      StaysUntilTaken: assert (!stalled_q || valid && data == data_q);
      // Not promised to users; the induction stands on them.
      Counted: assert (u_fifo.count_q == count_q);
      Places: assert (32'(u_fifo.first_q) < Depth && 32'(u_fifo.free_q) < Depth);
      Between: assert ((32'(u_fifo.first_q) + 32'(count_q)) % Depth == 32'(u_fifo.free_q));
      Kept: assert (!marked_q || u_fifo.words[place] == word_q);
      Full: cover (valid && !ready && marked_q);
    end
  end

endmodule
