// Word-level Montgomery reduction for q = 1 mod 2^Word (algorithm 6, signed: see montgomery_step).
//
// result = product * R^-1 mod q with R = 2^(Word * montgomery_steps(Width, Word)), in [0, q), for every
// product < q R: for instance any word of Width bits times a residue below q. q may be shorter than Width.
//
// ModulusMoves = 1 takes products of different moduli: modulus_i precedes its product by montgomery_lead(Pipeline) and
// goes from step to step with it.
//
// Ports: clk_i, enable_i (0 holds all registers), product_i, modulus_i (if it does not move, constant from a cycle before
// the first value on), result_o. Latency: montgomery_latency(Width, Word, Pipeline), shallow one cycle a step; a result
// every cycle. No reset.

module montgomery_reduction
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 11,
    parameter bit ModulusMoves = 1'b0,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic               clk_i,
    input  logic               enable_i,
    input  logic [2*Width-1:0] product_i,
    input  logic [Width-1:0]   modulus_i,
    output logic [Width-1:0]   result_o
);

  localparam int unsigned Steps = montgomery_steps(Width, Word);

  // Signed width of what enters a step. Results are at least -q, hence the lower bound.
  function automatic int unsigned step_width(int unsigned step);
    return step * Word >= Width ? Width + 1 : 2 * Width + 1 - step * Word;
  endfunction

  for (genvar step = 0; step < int'(Steps); step++) begin : gen_step
    localparam int unsigned WidthIn = step_width(step);
    localparam int unsigned WidthOut = step_width(step + 1);
    logic [WidthIn-1:0] value;
    logic [WidthOut-1:0] next;
    logic [Width-1:0] modulus;
    if (step == 0) begin : gen_first
      assign value = {1'b0, product_i};
      assign modulus = modulus_i;
    end else begin : gen_next
      assign value = gen_step[step-1].next;

      delay_line #(
          .Width(Width),
          .Depth(ModulusMoves ? montgomery_step_latency(Width, Word, Pipeline, 1'b0) : 0)
      ) u_modulus (
          .clk_i,
          .enable_i,
          .data_i(gen_step[step-1].modulus),
          .data_o(modulus)
      );
    end
    montgomery_step #(
        .Width(Width),
        .Word(Word),
        .WidthIn(WidthIn),
        .WidthOut(WidthOut),
        .Last(step == int'(Steps) - 1),
        .ModulusMoves(ModulusMoves),
        .Pipeline(Pipeline)
    ) u_step (
        .clk_i,
        .enable_i,
        .value_i(value),
        .modulus_i(modulus),
        .value_o(next)
    );
  end

  // The sign is clear after the correction.
  logic unused;
  assign {unused, result_o} = gen_step[Steps-1].next;

endmodule
