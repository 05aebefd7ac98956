// Which products of the next recursion the results of one are. Result m, of source m modulo Sources, is the lower product, the
// upper one or that of sums, as m modulo 3 says, of unit m / 3 modulo Targets. After the last of Results it begins anew.
//
// Ports: clk_i, rst_ni; for each source valid_i, first_i (a result begins), data_i; for each unit and product valid_o, data_o.
// Latency: 0.

module join_router
  import ringmill_pkg::*;
#(
    parameter int unsigned Sources = 4,
    parameter int unsigned Targets = 4,
    parameter int unsigned Results = 19683,
    parameter int unsigned Width = 150
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    input  logic [Sources-1:0]                     valid_i,
    input  logic [Sources-1:0]                     first_i,
    input  logic [Sources-1:0][Width-1:0]          data_i,
    output logic [Targets-1:0][2:0]                valid_o,
    output logic [Targets-1:0][2:0][Width-1:0]     data_o
);

  localparam int unsigned TargetWidth = index_width(Targets);

  typedef struct packed {
    logic [TargetWidth-1:0] target;
    logic [1:0]             product;
  } place_t;

  // Where a result goes.
  function automatic place_t place_of(int unsigned result);
    return {TargetWidth'(result / 3 % Targets), 2'(result % 3)};
  endfunction

  // Where the source's next result goes.
  function automatic place_t next(place_t place);
    int unsigned product, target;
    product = 32'(place.product) + Sources % 3;
    target = 32'(place.target) + Sources / 3 % Targets + (product >= 3 ? 1 : 0);
    return {TargetWidth'(target >= Targets ? target - Targets : target), 2'(product >= 3 ? product - 3 : product)};
  endfunction

  // Whether a source ever has results for a place.
  function automatic bit reaches(int unsigned source, int unsigned target, int unsigned product);
    reaches = 1'b0;
    for (int unsigned result = source; result < source + 3 * Targets * Sources; result += Sources) begin
      if (result < Results && result / 3 % Targets == target && result % 3 == product) reaches = 1'b1;
    end
  endfunction

  place_t [Sources-1:0] place;

  for (genvar source = 0; source < Sources; source++) begin : gen_source
    localparam int unsigned Own = ceil_div(Results - source, Sources);
    localparam int unsigned CountWidth = index_width(Own);

    place_t place_q, next_q;
    logic [CountWidth-1:0] count_q;
    logic begins, last;

    assign begins = valid_i[source] && first_i[source];
    assign last = count_q == CountWidth'(Own - 1);
    assign place[source] = first_i[source] ? next_q : place_q;

    always_ff @(posedge clk_i) begin
      if (begins) begin
        place_q <= next_q;
        next_q <= last ? place_of(source) : next(next_q);
        count_q <= last ? '0 : count_q + 1'b1;
      end
      if (!rst_ni) begin
        place_q <= '0;
        next_q <= place_of(source);
        count_q <= '0;
      end
    end
  end

  for (genvar target = 0; target < Targets; target++) begin : gen_target
    for (genvar product = 0; product < 3; product++) begin : gen_product
      logic [Sources-1:0] hit;
      logic [Sources-1:0][Width-1:0] masked;

      for (genvar source = 0; source < Sources; source++) begin : gen_hit
        if (reaches(source, target, product)) begin : gen_reached
          assign hit[source] = valid_i[source] && place[source] == {TargetWidth'(target), 2'(product)};
          assign masked[source] = hit[source] ? data_i[source] : '0;
        end else begin : gen_never
          assign hit[source] = 1'b0;
          assign masked[source] = '0;
        end
      end

      assign valid_o[target][product] = |hit;

      always_comb begin
        data_o[target][product] = '0;
        for (int unsigned source = 0; source < Sources; source++) data_o[target][product] |= masked[source];
      end
    end
  end

  if (Sources == 0 || Targets == 0 || Results < Sources) begin : gen_check_sizes
    $error("join_router: at least one unit on each side, and a result of each source");
  end

endmodule
