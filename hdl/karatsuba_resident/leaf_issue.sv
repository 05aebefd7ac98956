// Gives the multipliers their leaves: round after round, Multipliers leaves in as many cycles as a leaf has coefficients, for a
// polynomial, and a round without any before the next one.
//
// Ports: clk_i, rst_ni; loaded_i, a polynomial waits; start_o, it is taken; hold_i, the last round with leaves has to wait;
// last_o, it begins; place_o and digits_o, the coefficient and the digits of each multiplier's leaf; for them valid_o,
// for each multiplier; first_o, the first coefficient; restart_o, of the first leaves.
// Latency: 1 from loaded_i to start_o; place_o stands one cycle before digits_o, valid_o, first_o and restart_o.

module leaf_issue
  import ringmill_pkg::*;
#(
    parameter int unsigned Levels = 9,
    parameter int unsigned Coefficients = 5,
    parameter int unsigned Multipliers = 4,
    localparam int unsigned PlaceWidth = index_width(Coefficients)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    loaded_i,
    output logic                                    start_o,
    input  logic                                    hold_i,
    output logic                                    last_o,
    output logic [PlaceWidth-1:0]                   place_o,
    output logic [Multipliers-1:0][Levels-1:0][1:0] digits_o,
    output logic [Multipliers-1:0]                  valid_o,
    output logic                                    first_o,
    output logic                                    restart_o
);

  localparam int unsigned Leaves = 3 ** Levels;
  localparam int unsigned Rounds = ceil_div(Leaves, Multipliers);
  // How many leaves the last round has.
  localparam int unsigned Left = Leaves - (Rounds - 1) * Multipliers;
  localparam int unsigned RoundWidth = index_width(Rounds + 1);

  logic running_q;
  logic [RoundWidth-1:0] round_q;
  logic [PlaceWidth-1:0] place_q;
  logic last_place, last_round, pause, issue, ends;

  assign last_place = place_q == PlaceWidth'(Coefficients - 1);
  assign last_round = round_q == RoundWidth'(Rounds - 1);
  assign pause = round_q == RoundWidth'(Rounds);
  assign issue = running_q && !pause && !(last_round && place_q == '0 && hold_i);
  assign ends = running_q && pause && last_place;
  assign start_o = loaded_i && (!running_q || ends);
  assign last_o = issue && last_round && place_q == '0;
  assign place_o = place_q;

  always_ff @(posedge clk_i) begin
    if (issue || (running_q && pause)) begin
      place_q <= last_place ? '0 : place_q + 1'b1;
      if (last_place) round_q <= pause ? '0 : round_q + 1'b1;
    end
    if (start_o) running_q <= 1'b1;
    else if (ends) running_q <= 1'b0;
    valid_o <= !issue ? '0 : last_round ? Multipliers'((1 << Left) - 1) : '1;
    first_o <= issue && place_q == '0;
    restart_o <= issue && place_q == '0 && round_q == '0;
    if (!rst_ni) begin
      running_q <= 1'b0;
      round_q <= '0;
      place_q <= '0;
      valid_o <= '0;
      first_o <= 1'b0;
      restart_o <= 1'b0;
    end
  end

  for (genvar multiplier = 0; multiplier < Multipliers; multiplier++) begin : gen_counter
    leaf_counter #(
        .Digits(Levels),
        .Start(multiplier),
        .Step(Multipliers)
    ) u_counter (
        .clk_i,
        .restart_i(issue && place_q == '0 && round_q == '0),
        .step_i(issue && place_q == '0),
        .digits_o(digits_o[multiplier])
    );
  end

endmodule
