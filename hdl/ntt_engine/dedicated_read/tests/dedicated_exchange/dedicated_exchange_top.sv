// dedicated_exchange with the fields of its control as ports.

module dedicated_exchange_top
  import dedicated_read_pkg::*;
#(
    parameter int unsigned Units = 4,
    parameter int unsigned Width = 30
) (
    input  logic                             clk_i,
    input  logic [Units-1:0][Width-1:0]      upper_i,
    input  logic [Units-1:0][Width-1:0]      lower_i,
    input  logic                             odd_i,
    input  logic [1:0]                       exchange_i,
    input  logic [GapWidth-1:0]              gap_i,
    output logic [Units-1:0][1:0][Width-1:0] words_o
);

  control_t control;

  always_comb begin
    control = '0;
    control.odd = odd_i;
    control.exchange = exchange_e'(exchange_i);
    control.gap = gap_i;
  end

  dedicated_exchange #(
      .Units(Units),
      .Width(Width)
  ) u_exchange (
      .clk_i,
      .upper_i,
      .lower_i,
      .control_i(control),
      .words_o
  );

endmodule
