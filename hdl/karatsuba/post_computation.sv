// The five recursions after the products (paper 4, section 3.3.4): those of leaves become products of forty coefficients' polynomials,
// and nine of these one of a hundred and sixty.
//
// The first recursion has three units, whose leaves the crossbar chose: unit 0 makes the four products of ten coefficients that
// are halves twice, unit 1 the two sums of those, unit 2 the three of sums. The second one has two: halves, and
// sums. Each of the others has one, and gets its products in order.
//
// Ports: clk_i, rst_ni; for each multiplier, for its lower and its upper coefficients, valid_i, target_i, data_i; valid_o,
// first_o, low_o, high_o as post_recursion has them.

module post_computation
  import karatsuba_pkg::*;
(
    input  logic                                                              clk_i,
    input  logic                                                              rst_ni,
    input  logic    [Multipliers-1:0][1:0]                                    valid_i,
    input  target_t [Multipliers-1:0][1:0]                                    target_i,
    input  logic    [Multipliers-1:0][1:0][Encryptions-1:0][ResultWidth-1:0]  data_i,
    output logic                                                              valid_o,
    output logic                                                              first_o,
    output logic                          [Encryptions-1:0][ResultWidth-1:0]  low_o,
    output logic                          [Encryptions-1:0][ResultWidth-1:0]  high_o
);

  localparam int unsigned WordWidth = Encryptions * ResultWidth;

  // Units: three, two, one, one, one.
  localparam int unsigned Units = 8;
  localparam int unsigned Half[Units] = '{5, 5, 5, 10, 10, 20, 40, 80};

  logic [Units-1:0][2:0][1:0] unit_valid;
  logic [Units-1:0][2:0][1:0][WordWidth-1:0] unit_data;
  logic [Units-1:0] valid, first;
  logic [Units-1:0][1:0][WordWidth-1:0] result;

  // Leaves by their targets.
  always_comb begin
    for (int unsigned index = 0; index < 3; index++) begin
      for (int unsigned product = 0; product < 3; product++) begin
        for (int unsigned part = 0; part < 2; part++) begin
          unit_valid[index][product][part] = 1'b0;
          unit_data[index][product][part] = '0;
          for (int unsigned multiplier = 0; multiplier < Multipliers; multiplier++) begin
            if (valid_i[multiplier][part] && target_i[multiplier][part] == {2'(index), 2'(product)}) begin
              unit_valid[index][product][part] = 1'b1;
              unit_data[index][product][part] = data_i[multiplier][part];
            end
          end
        end
      end
    end
  end

  // Results in turns: of two, lower and upper, beside a unit that has sums; of three.
  logic [1:0] turn_0, turn_3;
  logic [2:0] turn_2, turn_5, turn_6;

  result_order #(
      .Count(2)
  ) u_order_0 (
      .clk_i,
      .rst_ni,
      .valid_i(valid[0]),
      .first_i(first[0]),
      .valid_o(turn_0)
  );

  result_order #(
      .Count(3)
  ) u_order_2 (
      .clk_i,
      .rst_ni,
      .valid_i(valid[2]),
      .first_i(first[2]),
      .valid_o(turn_2)
  );

  result_order #(
      .Count(2)
  ) u_order_3 (
      .clk_i,
      .rst_ni,
      .valid_i(valid[3]),
      .first_i(first[3]),
      .valid_o(turn_3)
  );

  result_order #(
      .Count(3)
  ) u_order_5 (
      .clk_i,
      .rst_ni,
      .valid_i(valid[5]),
      .first_i(first[5]),
      .valid_o(turn_5)
  );

  result_order #(
      .Count(3)
  ) u_order_6 (
      .clk_i,
      .rst_ni,
      .valid_i(valid[6]),
      .first_i(first[6]),
      .valid_o(turn_6)
  );

  always_comb begin
    for (int unsigned product = 0; product < 3; product++) begin
      unit_valid[3][product] = {2{product < 2 ? turn_0[product%2] : valid[1]}};
      unit_data[3][product] = product < 2 ? result[0] : result[1];
      unit_valid[4][product] = {2{turn_2[product]}};
      unit_data[4][product] = result[2];
      unit_valid[5][product] = {2{product < 2 ? turn_3[product%2] : valid[4]}};
      unit_data[5][product] = product < 2 ? result[3] : result[4];
      unit_valid[6][product] = {2{turn_5[product]}};
      unit_data[6][product] = result[5];
      unit_valid[7][product] = {2{turn_6[product]}};
      unit_data[7][product] = result[6];
    end
  end

  for (genvar index = 0; index < Units; index++) begin : gen_unit
    post_recursion #(
        .Half(Half[index]),
        .Chunks(Chunks),
        .Width(ResultWidth),
        .Lanes(Encryptions)
    ) u_recursion (
        .clk_i,
        .rst_ni,
        .valid_i(unit_valid[index]),
        .data_i(unit_data[index]),
        .valid_o(valid[index]),
        .first_o(first[index]),
        .low_o(result[index][0]),
        .high_o(result[index][1])
    );
  end

  assign valid_o = valid[Units-1];
  assign first_o = first[Units-1];
  assign low_o = result[Units-1][0];
  assign high_o = result[Units-1][1];

endmodule
