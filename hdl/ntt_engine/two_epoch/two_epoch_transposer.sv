// Network of log2(Tiles) exchanges: in step c, tile j's word goes to tile j XOR c.
//
// Every tile gives a pair of words at each even step c: one for step c, one for step c + 1. The first is the
// butterfly's upper result where the tile's number is even, the lower one where it is odd (see two_epoch_pkg). It gets
// the words of both steps as a pair. Two bits of c are a stage: a multiplexer of four words and a register.
//
// Ports: clk_i; step_i, counting; pair_i, each tile's pair, in its even step; pair_o, in the order of steps.
// Latency: transposer_latency(Tiles) from pair_i to pair_o; a pair every two cycles. No reset.

module two_epoch_transposer
  import ringmill_pkg::*;
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter int unsigned Width = 32,
    localparam int unsigned StepWidth = $clog2(Tiles)
) (
    input  logic                             clk_i,
    input  logic [StepWidth-1:0]             step_i,
    input  logic [Tiles-1:0][1:0][Width-1:0] pair_i,
    output logic [Tiles-1:0][1:0][Width-1:0] pair_o
);

  localparam int unsigned Stages = transposer_stages(Tiles);
  // A whole number of stages.
  localparam int unsigned Padded = 2 * Stages;

  logic [Stages-1:0][Padded-1:0] step;
  logic [Tiles-1:0][Width-1:0] second_q;
  logic [Tiles-1:0][Width-1:0] word;
  logic [Stages-1:0][Tiles-1:0][Width-1:0] word_q;

  for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_tile
    always_ff @(posedge clk_i) second_q[tile] <= pair_i[tile][(tile+1)%2];
    assign word[tile] = step_i[0] ? second_q[tile] : pair_i[tile][tile%2];
  end

  for (genvar stage = 0; stage < int'(Stages); stage++) begin : gen_stage
    if (stage == 0) begin : gen_first
      assign step[stage] = Padded'(step_i);
    end else begin : gen_later
      logic [Padded-1:0] step_q;
      always_ff @(posedge clk_i) step_q <= step[stage-1];
      assign step[stage] = step_q;
    end
    logic [1:0] turn;
    assign turn = step[stage][2*stage+:2];
    for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_tile
      logic [3:0][Width-1:0] choice;
      for (genvar from = 0; from < 4; from++) begin : gen_choice
        // Without a second bit of c the upper two are never chosen.
        localparam int unsigned Other = (tile ^ (from << (2 * stage))) % int'(Tiles);
        if (stage == 0) begin : gen_first
          assign choice[from] = word[Other];
        end else begin : gen_later
          assign choice[from] = word_q[stage-1][Other];
        end
      end
      always_ff @(posedge clk_i) word_q[stage][tile] <= choice[turn];
    end
  end

  for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_pair
    logic [Width-1:0] last_q;
    always_ff @(posedge clk_i) last_q <= word_q[Stages-1][tile];
    if (transposer_latency(Tiles) == Stages + 1) begin : gen_direct
      assign pair_o[tile] = {word_q[Stages-1][tile], last_q};
    end else begin : gen_delayed
      logic [Width-1:0] before_q;
      always_ff @(posedge clk_i) before_q <= last_q;
      assign pair_o[tile] = {last_q, before_q};
    end
  end

  if (Tiles < 4 || 1 << StepWidth != Tiles) begin : gen_check_tiles
    $error("two_epoch_transposer: Tiles must be a power of two, at least 4");
  end

endmodule
