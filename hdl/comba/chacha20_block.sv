// ChaCha20's blocks, one a cycle (Bernstein, "ChaCha, a variant of Salsa20", 2008), under a 64-bit counter of which the upper
// half is zero, and a nonce of zero.
//
// A stage for each half of a quarter round, of which four are side by side: two additions after one another.
//
// Ports: clk_i; key_i, the same while blocks are on their way; counter_i; block_o, the lowest word in the lowest bits.
// Latency: 42.

module chacha20_block (
    input  logic         clk_i,
    input  logic [255:0] key_i,
    input  logic [ 31:0] counter_i,
    output logic [511:0] block_o
);

  localparam int unsigned Stages = 40;

  typedef logic [15:0][31:0] state_t;

  // "expand 32-byte k"
  localparam logic [127:0] Constants = 128'h6b206574_79622d32_3320646e_61707865;

  function automatic state_t initial_state(input logic [255:0] key, input logic [31:0] counter);
    initial_state = {96'd0, counter, key, Constants};
  endfunction

  function automatic logic [31:0] rotate(input logic [31:0] word, input int unsigned bits);
    rotate = (word << bits) | (word >> (32 - bits));
  endfunction

  // The place of a quarter round's word: columns in even rounds, diagonals in odd ones.
  function automatic int unsigned place(input int unsigned round, input int unsigned quarter, input int unsigned row);
    place = 4 * row + (quarter + (round % 2) * row) % 4;
  endfunction

  function automatic state_t half_round(input state_t state, input int unsigned stage);
    logic [31:0] a, b, c, d;
    half_round = state;
    for (int unsigned quarter = 0; quarter < 4; quarter++) begin
      a = state[4'(place(stage / 2, quarter, 0))];
      b = state[4'(place(stage / 2, quarter, 1))];
      c = state[4'(place(stage / 2, quarter, 2))];
      d = state[4'(place(stage / 2, quarter, 3))];
      a = a + b;
      d = rotate(d ^ a, stage % 2 == 0 ? 16 : 8);
      c = c + d;
      b = rotate(b ^ c, stage % 2 == 0 ? 12 : 7);
      half_round[4'(place(stage / 2, quarter, 0))] = a;
      half_round[4'(place(stage / 2, quarter, 1))] = b;
      half_round[4'(place(stage / 2, quarter, 2))] = c;
      half_round[4'(place(stage / 2, quarter, 3))] = d;
    end
  endfunction

  state_t [Stages:0] state_q;
  logic [31:0] counter;
  state_t start;

  always_ff @(posedge clk_i) begin
    state_q[0] <= initial_state(key_i, counter_i);
    for (int unsigned stage = 0; stage < Stages; stage++) state_q[stage+1] <= half_round(state_q[stage], stage);
  end

  delay_line #(
      .Width(32),
      .Depth(Stages + 1)
  ) u_counter (
      .clk_i,
      .enable_i(1'b1),
      .data_i(counter_i),
      .data_o(counter)
  );

  assign start = initial_state(key_i, counter);

  always_ff @(posedge clk_i) begin
    for (int unsigned word = 0; word < 16; word++) begin
      block_o[32*word+:32] <= state_q[Stages][word] + start[word];
    end
  end

endmodule
