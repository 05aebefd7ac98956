// Products in Z_q[x] / f for any monic f of degree n = N / 2: the engine's operations in their order (paper 1, section
// 5.2). With two transforms, a product, an inverse transform comes c = a b, of degree below N. With
// m = floor(x^(2n) / f) the quotient of c by f is the high half of (high half of c) m, and what remains is c less the
// quotient times f: von zur Gathen and Gerhard's division by Newton iteration, m being a constant.
//
// A high half is not moved down, but counts as x^n times what it should be; the constants make up for it, as x^n is
// (-1)^j at omega^j. No inverse transform is scaled: the constants and the correction of the last difference have the
// factors 1 / N, too.
//
// Buffers of bank_words(N, Units) words a bank, from address 0: a, b, the values of m and those of f. They hold
// m(omega^j) (-1)^j R / N in the places of values -j mod N, and f(omega^j) (-1)^j R / N in the places of values j. The
// correction is R^2 / N, as the engine keeps it: times R. a and b need only have their low halves. The product replaces
// a, coefficient x in the place of -x mod N; its high half is 0.
//
// Ports: as dedicated_read; start_i while busy_o is 0.
// Latency: product_cycles(...) from the first read to the last write.

module ring_multiplier
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned AddressBits = log2(bank_words(N, Units)),
    localparam int unsigned AddressWidth = AddressBits + 2
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic [Width-1:0]                 modulus_i,
    input  logic                             constant_write_i,
    input  logic [31:0]                      constant_address_i,
    input  logic [Width-1:0]                 constant_data_i,
    input  logic                             start_i,
    output logic                             busy_o,
    output logic                             read_o,
    output logic [AddressWidth-1:0]          read_address_o,
    input  logic [Units-1:0][1:0][Width-1:0] read_data_i,
    output logic                             write_o,
    output logic [AddressWidth-1:0]          write_address_o,
    output logic [Units-1:0][1:0][Width-1:0] write_data_o
);

  localparam int unsigned StepWidth = index_width(ProductSteps);

  logic running_q;
  logic [StepWidth-1:0] step_q;
  product_step_t step;
  logic engine_busy;
  logic engine_start;

  assign step = product_step(32'(step_q));
  assign engine_start = running_q && !engine_busy;
  assign busy_o = running_q || engine_busy;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start_i) running_q <= 1'b1;
    else if (engine_start && step_q == StepWidth'(ProductSteps - 1)) running_q <= 1'b0;
    if (!running_q) step_q <= '0;
    else if (engine_start) step_q <= step_q + 1'b1;
  end

  dedicated_read #(
      .N(N),
      .Units(Units),
      .Width(Width),
      .Word(Word),
      .AddressWidth(AddressWidth),
      .Pipeline(Pipeline)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .constant_write_i,
      .constant_address_i,
      .constant_data_i,
      .start_i(engine_start),
      .operation_i(step.operation),
      .half_i(step.half),
      .reversed_i(step.reversed),
      .source_i({step.source, AddressBits'(0)}),
      .operand_i({step.operand, AddressBits'(0)}),
      .destination_i({step.destination, AddressBits'(0)}),
      .busy_o(engine_busy),
      .read_o,
      .read_address_o,
      .read_data_i,
      .write_o,
      .write_address_o,
      .write_data_o
  );

endmodule
