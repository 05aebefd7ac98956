// From a product of 2N coefficients to a polynomial modulo Phi_M and q, plus errors: M = Short * Long, both prime, Long = 1
// modulo Short, N = (Short - 1)(Long - 1).
//
// First x^M = 1; then Phi_Short(x^Long), whose coefficients are all 1, takes the powers from Long (Short - 1) on; Short - 1
// coefficients d_t above N are left. As Phi_M = (1 - x)(1 + x^Short + x^(2 Short) + ...)(1 + x^Long + ... + x^((Short - 1) Long)),
// it is (1 - x) A below x^N, where A[k] = 1 if k / Long >= k modulo Short, or else 0; and
//
//     r_k = c_k + c_(k+M) - c_(Long (Short - 1) + k mod Long) - A[k] sum of d + sum over t of d_t A[k-1-t],
//     d_t = c_(N+t) - c_(M - Short + 1 + t).
//
// Sums are below 6N q on either side, so that after a greater power of two times q the quotient by q has 16 bits; its estimate
// from the 18 bits of the sum above 2^(ModulusWidth-2) and from the reciprocal is at most one too low.
//
// Coefficients leave while the product still comes, Long + Short of its upper ones after the first.
//
// Ports: clk_i, rst_ni; modulus_i, q, of exactly ModulusWidth bits; reciprocal_i, 2^(ModulusWidth+17) / q rounded down; valid_i,
// first_i, low_i, high_i: coefficients i and N + i, without a gap; read_o, index_o and error_i, the error of that coefficient a
// cycle later; done_o, the last one and its error have been used; a stream out, valid_o, ready_i, last_o, data_o.
// Latency: 7 from read_o to data_o.

`include "assertions.svh"

module product_fold
  import ringmill_pkg::*;
#(
    parameter int unsigned Short = 5,
    parameter int unsigned Long = 641,
    parameter int unsigned ModulusWidth = 135,
    parameter int unsigned Width = 150,
    parameter int unsigned ErrorWidth = 8,
    localparam int unsigned N = (Short - 1) * (Long - 1),
    localparam int unsigned IndexWidth = index_width(N)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [ModulusWidth-1:0]      modulus_i,
    input  logic [18:0]                  reciprocal_i,
    input  logic                         valid_i,
    input  logic                         first_i,
    input  logic [Width-1:0]             low_i,
    input  logic [Width-1:0]             high_i,
    output logic                         done_o,
    output logic                         read_o,
    output logic [IndexWidth-1:0]        index_o,
    input  logic signed [ErrorWidth-1:0] error_i,
    output logic                         valid_o,
    input  logic                         ready_i,
    output logic                         last_o,
    output logic [ModulusWidth-1:0]      data_o
);

  // Six sums, of either sign; and what is above the modulus.
  localparam int unsigned SumWidth = Width + 4;
  localparam int unsigned ShiftBits = unsigned'($clog2(6 * N));
  localparam int unsigned TopWidth = 18;
  localparam int unsigned ValueWidth = ModulusWidth - 2 + TopWidth;
  localparam int unsigned RestWidth = ModulusWidth + 1;
  localparam int unsigned QuotientWidth = 16;
  // Coefficient N + Short - 1 is the first that Phi_Short takes; N + Wrap that of x^M.
  localparam int unsigned Wrap = Long + Short - 1;
  localparam int unsigned Wrapped = N - Wrap;
  localparam int unsigned WithinWidth = index_width(Long);
  localparam int unsigned BlockWidth = index_width(Short);

  typedef logic signed [SumWidth-1:0] sum_t;

  function automatic sum_t extended(logic [Width-1:0] word);
    return sum_t'({1'b0, word});
  endfunction

  // The product comes.
  logic [IndexWidth-1:0] write_q, write;
  sum_t [Short-2:0] left_q;

  assign write = first_i ? '0 : write_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      write_q <= write + 1'b1;
      for (int unsigned i = 0; i < Short - 1; i++) begin
        if (write == IndexWidth'(i)) left_q[i] <= extended(high_i);
        if (write == IndexWidth'(Long + i)) left_q[i] <= left_q[i] - extended(high_i);
      end
    end
  end

  // Stages of those that were read: words; sums; value; top times reciprocal; multiple of the modulus; rest; residue.
  localparam int unsigned Stages = 7;

  logic [Stages:1] valid_q, last_q;

  // Coefficients are read.
  logic advance, busy_q, reading_q, begins, last;
  logic [IndexWidth-1:0] index_q;
  logic [WithinWidth-1:0] within_q;
  logic [BlockWidth-1:0] block_q, remainder_q;
  logic last_within, last_remainder;

  assign advance = ready_i || !valid_o;
  assign begins = valid_i && write == IndexWidth'(Wrap + 1);
  assign last = index_q == IndexWidth'(N - 1);
  assign last_within = within_q == WithinWidth'(Long - 1);
  assign last_remainder = remainder_q == BlockWidth'(Short - 1);
  assign read_o = reading_q && advance;
  assign index_o = index_q;
  // The sums of what is left are read in the second stage.
  assign done_o = advance && valid_q[1] && last_q[1];

  always_ff @(posedge clk_i) begin
    if (valid_i && first_i) busy_q <= 1'b1;
    if (begins) reading_q <= 1'b1;
    if (read_o) begin
      index_q <= last ? '0 : index_q + 1'b1;
      within_q <= last || last_within ? '0 : within_q + 1'b1;
      remainder_q <= last || last_remainder ? '0 : remainder_q + 1'b1;
      if (last) block_q <= '0;
      else if (last_within) block_q <= block_q + 1'b1;
    end
    if (read_o && last) reading_q <= 1'b0;
    if (done_o) busy_q <= 1'b0;
    if (!rst_ni) begin
      busy_q <= 1'b0;
      reading_q <= 1'b0;
      index_q <= '0;
      within_q <= '0;
      block_q <= '0;
      remainder_q <= '0;
    end
  end

  logic [2:0][Width-1:0] word;
  logic [2:0][IndexWidth-1:0] address;

  assign address[0] = index_q;
  assign address[1] = index_q + IndexWidth'(Wrap);
  assign address[2] = IndexWidth'(within_q) + IndexWidth'(Short - 1);

  for (genvar which = 0; which < 3; which++) begin : gen_memory
    ram_simple_dual #(
        .Width(Width),
        .Depth(N)
    ) u_coefficients (
        .clk_i,
        .write_i(valid_i),
        .write_address_i(write),
        .write_data_i(which == 0 ? low_i : high_i),
        .read_i(read_o),
        .read_address_i(address[which]),
        .read_data_o(word[which])
    );
  end

  logic wraps_q;
  // A at index k, and one to Short - 1 before.
  logic [Short-1:0] pattern_q;
  sum_t base_q, change_q, change;
  logic [ValueWidth-1:0] value_q;
  logic [QuotientWidth-1:0] quotient_q;
  logic [RestWidth-1:0] value_later_q, value_last_q, multiple_q, rest_q;
  logic [TopWidth+18:0] estimate;

  always_comb begin
    change = '0;
    for (int unsigned i = 0; i < Short - 1; i++) begin
      if (pattern_q[i+1] && !pattern_q[0]) change += left_q[i];
      else if (!pattern_q[i+1] && pattern_q[0]) change -= left_q[i];
    end
  end

  assign estimate = (TopWidth + 19)'(value_q[ModulusWidth-2+:TopWidth]) * (TopWidth + 19)'(reciprocal_i);

  always_ff @(posedge clk_i) begin
    if (advance) begin
      valid_q <= {valid_q[Stages-1:1], reading_q};
      last_q <= {last_q[Stages-1:1], reading_q && last};
      if (reading_q) begin
        wraps_q <= index_q < IndexWidth'(Wrapped);
        pattern_q <= {index_q == '0 ? (Short - 1)'(0) : pattern_q[Short-2:0], block_q >= remainder_q};
      end
      base_q <= extended(word[0]) + (wraps_q ? extended(word[1]) : '0) - extended(word[2]) + sum_t'(error_i)
          + sum_t'({1'b0, modulus_i, {ShiftBits{1'b0}}});
      change_q <= change;
      value_q <= ValueWidth'(base_q + change_q);
      quotient_q <= QuotientWidth'(estimate >> (TopWidth + 1));
      value_later_q <= RestWidth'(value_q);
      multiple_q <= RestWidth'(quotient_q) * RestWidth'(modulus_i);
      value_last_q <= value_later_q;
      rest_q <= value_last_q - multiple_q;
      data_o <= ModulusWidth'(rest_q >= RestWidth'(modulus_i) ? rest_q - RestWidth'(modulus_i) : rest_q);
    end
    if (!rst_ni) valid_q <= '0;
  end

  assign valid_o = valid_q[Stages];
  assign last_o = last_q[Stages];

  logic unused;
  assign unused = ^{estimate, word[1]};

  `RINGMILL_ASSERT(Free, valid_i && first_i |-> !busy_q, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Reduced, valid_o |-> data_o < modulus_i, clk_i, !rst_ni)

  if (Short < 3 || Long % Short != 1 || ShiftBits > 14 || SumWidth < ModulusWidth + ShiftBits + 2) begin : gen_check_ring
    $error("product_fold: Long = 1 modulo Short, and words that hold the sums");
  end

endmodule
