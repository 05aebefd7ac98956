// Encryption's product on chip, with all recursions of Karatsuba's method (docs/machines/karatsuba.md, "All on chip"): the key, a
// polynomial modulo q and Phi_M, lies in memory as the leaves that the recursions before the products make of it; a job is
// a binary polynomial u and errors; its result is u * key + errors modulo Phi_M and q.
//
// M = 5 * Long, of degree 5 * 2^Levels: 3205 with nine levels.
//
// Ports: clk_i, rst_ni; modulus_i and reciprocal_i as product_fold has them; key_valid_i and key_data_i, beats as leaf_memory
// has them, while nothing else goes on; loaded_o, a whole key is there; a stream of jobs in, valid_i, ready_o, data_i, as
// job_memory has it; a stream of results out, valid_o, ready_i, last_o (of a job), data_o: residues of ModulusWidth bits without
// gaps.

`include "assertions.svh"

module karatsuba_resident
  import ringmill_pkg::*;
#(
    parameter int unsigned Levels = 9,
    parameter int unsigned Long = 641,
    parameter int unsigned ModulusWidth = 135
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [ModulusWidth-1:0] modulus_i,
    input  logic [18:0]             reciprocal_i,
    input  logic                    key_valid_i,
    input  logic [127:0]            key_data_i,
    output logic                    loaded_o,
    input  logic                    valid_i,
    output logic                    ready_o,
    input  logic [127:0]            data_i,
    output logic                    valid_o,
    input  logic                    ready_i,
    output logic                    last_o,
    output logic [127:0]            data_o
);

  localparam int unsigned Short = 5;
  localparam int unsigned Coefficients = 5;
  // For multipliers of 25 x 18 bits with signs.
  localparam int unsigned Chunks = 6;
  localparam int unsigned KeyWidth = 24;
  localparam int unsigned Multipliers = 4;
  localparam int unsigned BeatWidth = 128;
  localparam int unsigned ErrorWidth = 8;
  localparam int unsigned N = Coefficients << Levels;
  localparam int unsigned BinaryWidth = Levels + 1;
  // A product's coefficients are sums of N residues; and bits for the sums of the recursions.
  localparam int unsigned Width = ModulusWidth + Levels + 6;
  localparam int unsigned IndexWidth = index_width(N);
  localparam int unsigned PlaceWidth = index_width(Coefficients);

  logic job_loaded, start, hold, last_round, done, read;
  logic [PlaceWidth-1:0] place;
  logic [2**Levels-1:0] bits;
  logic [IndexWidth-1:0] index;
  logic signed [ErrorWidth-1:0] error;

  job_memory #(
      .Places(Coefficients),
      .Bits(2 ** Levels),
      .Errors(N),
      .ErrorWidth(ErrorWidth),
      .BeatWidth(BeatWidth)
  ) u_jobs (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i,
      .loaded_o(job_loaded),
      .start_i(start),
      .place_i(place),
      .bits_o(bits),
      .done_i(done),
      .read_i(read),
      .error_index_i(index),
      .error_o(error)
  );

  logic [Multipliers-1:0] issued;
  logic [Multipliers-1:0][Levels-1:0][1:0] digits;
  logic issued_first, restart;

  leaf_issue #(
      .Levels(Levels),
      .Coefficients(Coefficients),
      .Multipliers(Multipliers)
  ) u_issue (
      .clk_i,
      .rst_ni,
      .loaded_i(job_loaded && loaded_o),
      .start_o(start),
      .hold_i(hold),
      .last_o(last_round),
      .place_o(place),
      .digits_o(digits),
      .valid_o(issued),
      .first_o(issued_first),
      .restart_o(restart)
  );

  // The last leaves wait until the room for their product is free.
  always_ff @(posedge clk_i) begin
    if (last_round) hold <= 1'b1;
    else if (done) hold <= 1'b0;
    if (!rst_ni) hold <= 1'b0;
  end

  // Leaves of the key are read while those of the binary polynomial are added.
  logic [Levels-1:0][Multipliers+1:0] issued_q;
  logic [Multipliers-1:0] valid;
  logic first, key_first, key_next;

  always_ff @(posedge clk_i) begin
    issued_q[0] <= {restart, issued_first, issued};
    for (int unsigned i = 1; i < Levels; i++) issued_q[i] <= issued_q[i-1];
    if (!rst_ni) issued_q <= '0;
  end

  assign {first, valid} = issued_q[Levels-1][Multipliers:0];
  assign key_first = issued_q[Levels-2][Multipliers+1];
  assign key_next = issued_q[Levels-2][Multipliers] && !key_first;

  logic [Multipliers-1:0][Coefficients-1:0][Chunks-1:0][KeyWidth-1:0] leaves;

  leaf_memory #(
      .Leaves(3 ** Levels),
      .Banks(Multipliers),
      .Width(Coefficients * Chunks * KeyWidth),
      .BeatWidth(BeatWidth)
  ) u_key (
      .clk_i,
      .rst_ni,
      .valid_i(key_valid_i),
      .data_i(key_data_i),
      .loaded_o,
      .first_i(key_first),
      .next_i(key_next),
      .leaves_o(leaves)
  );

  logic [Multipliers-1:0] low_valid, low_first, high_valid, high_first;
  logic [Multipliers-1:0][Width-1:0] low, high;

  for (genvar multiplier = 0; multiplier < Multipliers; multiplier++) begin : gen_multiplier
    logic [BinaryWidth-1:0] binary;

    leaf_sum #(
        .Levels(Levels)
    ) u_sum (
        .clk_i,
        .bits_i(bits),
        .digits_i(digits[multiplier]),
        .sum_o(binary)
    );

    leaf_row #(
        .Coefficients(Coefficients),
        .Chunks(Chunks),
        .KeyWidth(KeyWidth),
        .BinaryWidth(BinaryWidth),
        .Width(Width)
    ) u_row (
        .clk_i,
        .rst_ni,
        .valid_i(valid[multiplier]),
        .first_i(first),
        .key_i(leaves[multiplier]),
        .binary_i(binary),
        .low_valid_o(low_valid[multiplier]),
        .low_first_o(low_first[multiplier]),
        .low_o(low[multiplier]),
        .high_valid_o(high_valid[multiplier]),
        .high_first_o(high_first[multiplier]),
        .high_o(high[multiplier])
    );
  end

  logic product_valid, product_first;
  logic [Width-1:0] product_low, product_high;

  join_tree #(
      .Levels(Levels),
      .Coefficients(Coefficients),
      .Multipliers(Multipliers),
      .Width(Width)
  ) u_tree (
      .clk_i,
      .rst_ni,
      .low_valid_i(low_valid),
      .low_first_i(low_first),
      .low_i(low),
      .high_valid_i(high_valid),
      .high_first_i(high_first),
      .high_i(high),
      .valid_o(product_valid),
      .first_o(product_first),
      .low_o(product_low),
      .high_o(product_high)
  );

  logic residue_valid, residue_ready, residue_last;
  logic [ModulusWidth-1:0] residue;

  product_fold #(
      .Short(Short),
      .Long(Long),
      .ModulusWidth(ModulusWidth),
      .Width(Width),
      .ErrorWidth(ErrorWidth)
  ) u_fold (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .reciprocal_i,
      .valid_i(product_valid),
      .first_i(product_first),
      .low_i(product_low),
      .high_i(product_high),
      .done_o(done),
      .read_o(read),
      .index_o(index),
      .error_i(error),
      .valid_o(residue_valid),
      .ready_i(residue_ready),
      .last_o(residue_last),
      .data_o(residue)
  );

  coefficient_packer #(
      .Width(ModulusWidth),
      .BeatWidth(BeatWidth)
  ) u_packer (
      .clk_i,
      .rst_ni,
      .valid_i(residue_valid),
      .ready_o(residue_ready),
      .last_i(residue_last),
      .data_i(residue),
      .valid_o,
      .ready_i,
      .last_o,
      .data_o
  );

  `RINGMILL_ASSERT(KeyWhileIdle, key_valid_i |-> issued == '0 && !hold, clk_i, !rst_ni)

  if ((Short - 1) * (Long - 1) != N || Chunks * KeyWidth < ModulusWidth + Levels || Levels < 2) begin : gen_check_sizes
    $error("karatsuba_resident: Phi of 5 * Long has 5 * 2^Levels coefficients, and chunks hold sums of as many of the key");
  end

endmodule
