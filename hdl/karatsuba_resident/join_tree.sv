// All recursions after the products: from 3^Levels products of leaves, in the order of their numbers, that of two polynomials.
//
// Products of leaves come from four multipliers in turn, four in five cycles, with a pause of five cycles at least before the
// next polynomials. Then four units keep up with the first recursion, two with each of the next two, and one with each of
// the others (docs/machines/karatsuba.md).
//
// Ports: clk_i, rst_ni; for each multiplier low_valid_i, low_first_i, low_i and high_valid_i, high_first_i, high_i, as leaf_row
// has them; valid_o, first_o, low_o, high_o: coefficients i and i + 5 * 2^Levels of the product, modulo 2^Width.
// Latency: 4 for each recursion from the first upper coefficient of the last leaf to the first coefficients out.

module join_tree
  import ringmill_pkg::*;
#(
    parameter int unsigned Levels = 9,
    parameter int unsigned Coefficients = 5,
    parameter int unsigned Multipliers = 4,
    parameter int unsigned Width = 150
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic [Multipliers-1:0]            low_valid_i,
    input  logic [Multipliers-1:0]            low_first_i,
    input  logic [Multipliers-1:0][Width-1:0] low_i,
    input  logic [Multipliers-1:0]            high_valid_i,
    input  logic [Multipliers-1:0]            high_first_i,
    input  logic [Multipliers-1:0][Width-1:0] high_i,
    output logic                              valid_o,
    output logic                              first_o,
    output logic [Width-1:0]                  low_o,
    output logic [Width-1:0]                  high_o
);

  localparam int unsigned MostUnits = 4;

  // Units of a recursion, the first one after the products being 0.
  function automatic int unsigned units(int unsigned level);
    if (level == Levels - 1) return 1;
    if (level == 0) return 4;
    return level < 3 ? 2 : 1;
  endfunction

  logic [Levels-1:0][MostUnits-1:0] valid, first;
  logic [Levels-1:0][MostUnits-1:0][1:0][Width-1:0] result;

  for (genvar level = 0; level < Levels; level++) begin : gen_level
    localparam int unsigned Units = units(level);

    // For each unit's products, lower and upper coefficients.
    logic [Units-1:0][2:0][1:0] product_valid;
    logic [Units-1:0][2:0][1:0][Width-1:0] product;

    if (level == 0) begin : gen_leaves
      logic [1:0][Units-1:0][2:0] valid_part;
      logic [1:0][Units-1:0][2:0][Width-1:0] part;

      join_router #(
          .Sources(Multipliers),
          .Targets(Units),
          .Results(3 ** Levels),
          .Width(Width)
      ) u_low (
          .clk_i,
          .rst_ni,
          .valid_i(low_valid_i),
          .first_i(low_first_i),
          .data_i(low_i),
          .valid_o(valid_part[0]),
          .data_o(part[0])
      );

      join_router #(
          .Sources(Multipliers),
          .Targets(Units),
          .Results(3 ** Levels),
          .Width(Width)
      ) u_high (
          .clk_i,
          .rst_ni,
          .valid_i(high_valid_i),
          .first_i(high_first_i),
          .data_i(high_i),
          .valid_o(valid_part[1]),
          .data_o(part[1])
      );

      always_comb begin
        for (int unsigned index = 0; index < Units; index++) begin
          for (int unsigned which = 0; which < 3; which++) begin
            for (int unsigned half = 0; half < 2; half++) begin
              product_valid[index][which][half] = valid_part[half][index][which];
              product[index][which][half] = part[half][index][which];
            end
          end
        end
      end
    end else begin : gen_results
      localparam int unsigned Sources = units(level - 1);

      logic [Units-1:0][2:0] valid_both;

      join_router #(
          .Sources(Sources),
          .Targets(Units),
          .Results(3 ** (Levels - level)),
          .Width(2 * Width)
      ) u_router (
          .clk_i,
          .rst_ni,
          .valid_i(valid[level-1][Sources-1:0]),
          .first_i(first[level-1][Sources-1:0]),
          .data_i(result[level-1][Sources-1:0]),
          .valid_o(valid_both),
          .data_o(product)
      );

      always_comb begin
        for (int unsigned index = 0; index < Units; index++) begin
          for (int unsigned which = 0; which < 3; which++) product_valid[index][which] = {2{valid_both[index][which]}};
        end
      end
    end

    for (genvar index = 0; index < MostUnits; index++) begin : gen_unit
      if (index < Units) begin : gen_join
        post_recursion #(
            .Half(Coefficients * 2 ** level),
            .Chunks(1),
            .Width(Width),
            .Lanes(1)
        ) u_join (
            .clk_i,
            .rst_ni,
            .valid_i(product_valid[index]),
            .data_i(product[index]),
            .valid_o(valid[level][index]),
            .first_o(first[level][index]),
            .low_o(result[level][index][0]),
            .high_o(result[level][index][1])
        );
      end else begin : gen_none
        assign valid[level][index] = 1'b0;
        assign first[level][index] = 1'b0;
        assign result[level][index] = '0;
      end
    end
  end

  assign valid_o = valid[Levels-1][0];
  assign first_o = first[Levels-1][0];
  assign low_o = result[Levels-1][0][0];
  assign high_o = result[Levels-1][0][1];

  logic unused;
  assign unused = ^{valid, first, result};

  if (Levels < 2 || Multipliers != 4 || Coefficients < 2) begin : gen_check_sizes
    $error("join_tree: at least two recursions after products of four multipliers");
  end

endmodule
