// From eight lines of leaves to four multipliers (paper 4, section 3.3.1). In the time of a piece, eight times that of a leaf,
// twenty-seven leaves come, eight of them in the last of these times; each line has its multiplier, and some lines wait:
//
//     multiplier 0: line 0, all times
//     multiplier 1: line 1 at 1, 3, 5, 7; line 2 at 2 and 6, and what it has at 3 and 7 a leaf later
//     multiplier 2: line 4 at 4, 5, 6, 7
//     multiplier 3: line 5 at 5 and 7; line 3 a leaf later, at 4 and 8; line 6 three leaves later, at 9 and 10; line 7 four, at 11
//
// Times from 8 on are those of the next piece, in which these multipliers have nothing else. A leaf's target says which of
// the units of the first recursion after the products gets it, and as which product: lines with an odd number have sums,
// the others lower and upper halves in turns.
//
// Ports: clk_i, rst_ni; for each line valid_i, first_i, key_i, binary_i; for each multiplier valid_o, first_o, key_o, binary_o,
// target_o. Pieces begin whole leaves apart. Latency: 1 where nothing waits.

`include "assertions.svh"

module leaf_crossbar
  import karatsuba_pkg::*;
#(
    parameter int unsigned KeyWidth = 27
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic    [7:0]                     valid_i,
    input  logic    [7:0]                     first_i,
    input  logic    [7:0][KeyWidth-1:0]       key_i,
    input  logic    [7:0][BinaryWidth-1:0]    binary_i,
    output logic    [Multipliers-1:0]                  valid_o,
    output logic    [Multipliers-1:0]                  first_o,
    output logic    [Multipliers-1:0][KeyWidth-1:0]    key_o,
    output logic    [Multipliers-1:0][BinaryWidth-1:0] binary_o,
    output target_t [Multipliers-1:0]                  target_o
);

  typedef struct packed {
    logic                   valid;
    logic                   first;
    logic [KeyWidth-1:0]    key;
    logic [BinaryWidth-1:0] binary;
    target_t                target;
  } pair_t;

  // The unit and the multiplier of each line, and how many leaves it waits.
  localparam int unsigned Unit[8] = '{0, 0, 1, 1, 2, 2, 2, 2};
  localparam int unsigned Multiplier[8] = '{0, 1, 1, 3, 2, 3, 3, 3};
  localparam int unsigned Wait[8] = '{0, 0, 0, 1, 0, 0, 3, 4};

  pair_t [7:0] line;
  // The upper leaves of line 2.
  pair_t upper, upper_later;

  for (genvar index = 0; index < 8; index++) begin : gen_line
    pair_t pair;
    logic upper_q, is_upper;

    // Lower and upper halves in turns.
    assign is_upper = first_i[index] ? !upper_q : upper_q;

    always_ff @(posedge clk_i) begin
      if (valid_i[index]) upper_q <= is_upper;
      if (!rst_ni) upper_q <= 1'b1;
    end

    always_comb begin
      pair.valid = valid_i[index];
      pair.first = first_i[index];
      pair.key = key_i[index];
      pair.binary = binary_i[index];
      pair.target.unit = 2'(Unit[index]);
      pair.target.product = index % 2 == 1 ? ProductSum : is_upper ? ProductUpper : ProductLower;
    end

    if (index == 2) begin : gen_turns
      always_comb begin
        line[index] = pair;
        upper = pair;
        if (is_upper) begin
          line[index].valid = 1'b0;
          line[index].first = 1'b0;
        end else begin
          upper.valid = 1'b0;
          upper.first = 1'b0;
        end
      end

      leaf_delay #(
          .Width($bits(pair_t) - 2),
          .Leaves(1)
      ) u_wait (
          .clk_i,
          .rst_ni,
          .flags_i({upper.valid, upper.first}),
          .data_i({upper.key, upper.binary, upper.target}),
          .flags_o({upper_later.valid, upper_later.first}),
          .data_o({upper_later.key, upper_later.binary, upper_later.target})
      );
    end else begin : gen_wait
      leaf_delay #(
          .Width($bits(pair_t) - 2),
          .Leaves(Wait[index])
      ) u_wait (
          .clk_i,
          .rst_ni,
          .flags_i({pair.valid, pair.first}),
          .data_i({pair.key, pair.binary, pair.target}),
          .flags_o({line[index].valid, line[index].first}),
          .data_o({line[index].key, line[index].binary, line[index].target})
      );
    end
  end

  // One of a multiplier's lines has a leaf at a time.
  pair_t [Multipliers-1:0] chosen;

  always_comb begin
    for (int unsigned multiplier = 0; multiplier < Multipliers; multiplier++) begin
      chosen[multiplier] = '0;
      for (int unsigned index = 0; index < 8; index++) begin
        if (Multiplier[index] == multiplier && line[index].valid) chosen[multiplier] = line[index];
      end
    end
    if (upper_later.valid) chosen[1] = upper_later;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned multiplier = 0; multiplier < Multipliers; multiplier++) begin
      valid_o[multiplier] <= chosen[multiplier].valid && rst_ni;
      first_o[multiplier] <= chosen[multiplier].first && rst_ni;
      key_o[multiplier] <= chosen[multiplier].key;
      binary_o[multiplier] <= chosen[multiplier].binary;
      target_o[multiplier] <= chosen[multiplier].target;
    end
  end

  `RINGMILL_ASSERT(OneLine1, $onehot0({line[1].valid, line[2].valid, upper_later.valid}), clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneLine3, $onehot0({line[3].valid, line[5].valid, line[6].valid, line[7].valid}), clk_i, !rst_ni)

endmodule
