// One step of Montgomery's reduction for q = 1 mod 2^Word (the loop of algorithm 6).
//
// With T = T_H 2^Word + T_L and q = q_H 2^Word + 1, (T - T_L q) / 2^Word = T_H - T_L q_H exactly: the multiple
// of q is subtracted where the paper adds its complement, and neither complement nor carry is left. The price
// is a sign: T >= -q in and out. One multiply-add in a DSP slice; bits beyond its accumulator go by it
// (moduli above 47 bits need several slices and LUTs).
//
// Last = 1 adds q to a negative result before the register: then the result lies in [0, q).
//
// Deep: the product has a register, then the sum, then the correction; where -q_H is too long for a slice it has two
// digits, and the sum of their products has a register too.
//
// ModulusMoves = 1 takes values of different moduli: modulus_i precedes its value by montgomery_lead(Pipeline).
//
// Ports: clk_i, enable_i (0 holds all registers), value_i (signed), modulus_i (if it does not move, constant from a cycle
// before the first value on), value_o (signed). Latency: montgomery_step_latency(Width, Word, Pipeline, Last); a value
// every cycle. No reset.

module montgomery_step
  import ringmill_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 11,
    parameter int unsigned WidthIn = 2 * Width + 1,
    parameter int unsigned WidthOut = maximum(WidthIn - Word, Width + 1),
    parameter bit Last = 1'b0,
    parameter bit ModulusMoves = 1'b0,
    parameter pipeline_e Pipeline = PipelineShallow
) (
    input  logic                clk_i,
    input  logic                enable_i,
    input  logic [WidthIn-1:0]  value_i,
    input  logic [Width-1:0]    modulus_i,
    output logic [WidthOut-1:0] value_o
);

  // The product, below 2^Width, fits the slice's accumulator but the sum does not: the slice adds the low bits.
  localparam bit Split = WidthOut > AccumulatorWidth && Width < AccumulatorWidth;
  localparam int unsigned Low = Split ? AccumulatorWidth - 1 : WidthOut;

  logic signed [WidthOut-1:0] high;
  logic signed [Word:0] low;
  logic signed [Width-Word:0] negated;

  assign high = WidthOut'($signed(value_i[WidthIn-1:Word]));
  assign low = {1'b0, value_i[Word-1:0]};
  assign negated = -{1'b0, modulus_i[Width-1:Word]};

  // q = 1 mod 2^Word: its low bits are known.
  logic unused;
  assign unused = ^modulus_i[Word-1:0];

  if (Pipeline != PipelineShallow) begin : gen_deep
    localparam int unsigned ProductWidth = Width + 1;
    localparam int unsigned Digit = modulus_digit(Pipeline);
    localparam bit TwoDigits = Width - Word + 1 > Digit + 1;
    localparam int unsigned Wait = TwoDigits ? 2 : 1;

    logic signed [Width-Word:0] negated_q;
    logic [Wait-1:0][WidthOut-1:0] high_q;
    logic signed [ProductWidth-1:0] product;
    logic signed [WidthOut-1:0] sum_q;

    // A modulus that is constant is not delayed by this register; one that moves comes a cycle early.
    always_ff @(posedge clk_i) if (!ModulusMoves || enable_i) negated_q <= negated;

    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        high_q[0] <= high;
        for (int unsigned i = 1; i < Wait; i++) high_q[i] <= high_q[i-1];
        sum_q <= $signed(high_q[Wait-1]) + WidthOut'(product);
      end
    end

    if (TwoDigits) begin : gen_two
      logic signed [Word+Digit+1:0] lower_q;
      logic signed [ProductWidth-Digit-1:0] upper_q;
      logic signed [ProductWidth-1:0] product_q;
      logic signed [Digit:0] lower_digit;
      logic signed [Width-Word-Digit:0] upper_digit;
      assign lower_digit = {1'b0, negated_q[Digit-1:0]};
      assign upper_digit = negated_q[Width-Word:Digit];
      always_ff @(posedge clk_i) begin
        if (enable_i) begin
          lower_q <= (Word + Digit + 2)'(low * lower_digit);
          upper_q <= (ProductWidth - Digit)'(low * upper_digit);
          product_q <= ProductWidth'(lower_q) + (ProductWidth'(upper_q) <<< Digit);
        end
      end
      assign product = product_q;
    end else begin : gen_one
      logic signed [ProductWidth-1:0] product_q;
      always_ff @(posedge clk_i) begin
        if (enable_i) product_q <= ProductWidth'(low * negated_q);
      end
      assign product = product_q;
    end

    if (Last) begin : gen_correction
      logic [WidthOut-1:0] corrected_q;
      logic [Width-1:0] modulus;

      delay_line #(
          .Width(Width),
          .Depth(ModulusMoves ? montgomery_lead(Pipeline) + Wait + 1 : 0)
      ) u_modulus (
          .clk_i,
          .enable_i,
          .data_i(modulus_i),
          .data_o(modulus)
      );

      always_ff @(posedge clk_i) begin
        if (enable_i) corrected_q <= sum_q + (sum_q[WidthOut-1] ? WidthOut'(modulus) : '0);
      end
      assign value_o = corrected_q;
    end else begin : gen_plain
      assign value_o = sum_q;
    end

    if (Width - Word + 1 > 2 * Digit + 1) begin : gen_check_digits
      $error("montgomery_step: Width - Word must be at most twice the digit of a slice");
    end
  end else if (Split) begin : gen_split
    logic signed [Low:0] sum_q;
    logic [WidthOut-Low-1:0] rest_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        sum_q <= $signed({1'b0, high[Low-1:0]}) + low * negated;
        rest_q <= high[WidthOut-1:Low];
      end
    end
    assign value_o = {rest_q - (WidthOut - Low)'(sum_q[Low]), sum_q[Low-1:0]};
  end else if (Last) begin : gen_last
    logic signed [WidthOut-1:0] sum;
    logic [WidthOut-1:0] corrected;
    assign sum = high + low * negated;
    assign corrected = sum + (sum[WidthOut-1] ? WidthOut'(modulus_i) : '0);
    always_ff @(posedge clk_i) begin
      if (enable_i) value_o <= corrected;
    end
  end else begin : gen_direct
    always_ff @(posedge clk_i) begin
      if (enable_i) value_o <= high + low * negated;
    end
  end

  if (Word < 2 || Word >= Width) begin : gen_check_word
    $error("montgomery_step: Word must lie between 2 and Width - 1");
  end
  if (WidthOut + Word < WidthIn) begin : gen_check_out
    $error("montgomery_step: WidthOut must hold the result");
  end

endmodule
