// stream_register is a queue of two words: beside a queue of four places that is written down as one.

module stream_register_formal #(
    parameter int unsigned Width = 32
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             valid_i,
    input logic [Width-1:0] data_i,
    input logic             ready_i
);

  logic ready;
  logic valid;
  logic [Width-1:0] data;

  stream_register #(
      .Width(Width)
  ) u_register (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o(ready),
      .data_i,
      .valid_o(valid),
      .ready_i,
      .data_o(data)
  );

  logic [3:0][Width-1:0] word_q;
  logic [2:0] count_q;
  logic stalled_q;
  logic [Width-1:0] data_q;
  logic push;
  logic pop;

  assign push = valid_i && ready;
  assign pop = valid && ready_i;

  always_ff @(posedge clk_i) begin
    if (pop) word_q <= word_q >> Width;
    if (push) word_q[2'(count_q - 3'(pop))] <= data_i;
    count_q <= rst_ni ? count_q + 3'(push) - 3'(pop) : '0;
    stalled_q <= rst_ni && valid && !ready_i;
    data_q <= data;
  end

  always_comb begin
    if (rst_ni) begin
      NothingBetween: assert (valid == (count_q != '0));
      InOrder: assert (!valid || data == word_q[0]);
      RoomForTwo: assert (ready == (count_q < 3'd2) && count_q <= 3'd2);
      StaysUntilTaken: assert (!stalled_q || valid && data == data_q);
      // Not promised to users; the induction stands on them.
      SpillBehindOutput: assert (!u_register.spilled_q || u_register.valid_q);
      SpilledIsSecond: assert (!u_register.spilled_q || u_register.spill_q == word_q[1]);
      Full: cover (valid && !ready);
    end
  end

endmodule
