// Encryption over the integers: c = e + sum_i x_i b_i modulo x_0, all numbers in a memory of words (paper 5, figures 2 and 4;
// docs/machines/comba.md). One unit is the low-area design, several are the parallel one.
//
// Four steps: the sum; the quotient, from the sum's high block and the reciprocal; the product of the quotient and the
// modulus; the differences. The first three are sums of products in groups of as many blocks as there are units: the loader
// feeds the units, and when all have multiplied the writer empties them.
//
// Ports: clk_i, rst_ni; start_i with job_i, which must not change while busy_o; when not busy: second_o, the residue is the
// second difference, and negative_o, the sum was negative and nothing is right; read_o, write_o, address_o, data_o and
// data_i: a request holds for AccessCycles, and data_i has a read's word in the last one.

`include "assertions.svh"

module comba_machine
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Digits = 64,
    parameter int unsigned Units = 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,
    input  job_t                    job_i,
    output logic                    busy_o,
    output logic                    second_o,
    output logic                    negative_o,
    output logic                    read_o,
    output logic                    write_o,
    output logic [AddressWidth-1:0] address_o,
    output logic [WordWidth-1:0]    data_o,
    input  logic [WordWidth-1:0]    data_i
);

  localparam int unsigned Words = Digits / WordDigits;
  localparam int unsigned ActiveWidth = index_width(Units + 1);
  localparam int unsigned FactorWidth = Digits * DigitWidth;

  typedef enum logic [1:0] {
    StepSum,
    StepQuotient,
    StepProduct,
    StepDifference
  } step_e;

  typedef enum logic [1:0] {
    Idle,
    Loading,
    Writing,
    Subtracting
  } state_e;

  step_e step_q;
  state_e state_q;

  // The operands of a step.
  logic [CountWidth-1:0] terms;
  logic [AddressWidth-1:0] elements, factors, result;

  always_comb begin
    terms = CountWidth'(1);
    factors = job_i.reciprocal;
    case (step_q)
      StepQuotient: begin
        elements = job_i.high;
        result = job_i.quotient;
      end
      StepProduct: begin
        elements = job_i.modulus;
        factors = job_i.quotient + AddressWidth'(Words);
        result = job_i.product;
      end
      default: begin
        terms = job_i.terms;
        elements = job_i.elements;
        factors = job_i.factors;
        result = job_i.sum;
      end
    endcase
  end

  // A group of blocks, of which the first is `offset_q` words up.
  logic [CountWidth-1:0] left_q;
  logic [AddressWidth-1:0] offset_q;
  logic [ActiveWidth-1:0] active;
  logic last_group;

  assign last_group = left_q <= CountWidth'(Units);
  assign active = last_group ? ActiveWidth'(left_q) : ActiveWidth'(Units);

  logic load_q, write_q, subtract_q;
  logic loader_busy, writer_busy, difference_busy;
  logic [Units-1:0] unit_ready, unit_busy, unit_start, unit_shift;
  logic [Units-1:0][DigitWidth-1:0] unit_digit;
  logic [FactorWidth-1:0] lhs, rhs;
  logic loaded, written;
  logic negative;

  assign loaded = !load_q && !loader_busy && unit_busy == '0;
  assign written = !write_q && !writer_busy;
  assign busy_o = state_q != Idle;

  always_ff @(posedge clk_i) begin
    load_q <= 1'b0;
    write_q <= 1'b0;
    subtract_q <= 1'b0;
    case (state_q)
      Loading: begin
        if (loaded) begin
          state_q <= Writing;
          write_q <= 1'b1;
        end
      end
      Writing: begin
        if (written && last_group) begin
          // The next step, which begins with its first group.
          step_q <= step_e'(step_q + 1'b1);
          offset_q <= '0;
          left_q <= step_q == StepSum ? CountWidth'(1) : job_i.blocks;
          if (step_q == StepSum) negative_o <= negative;
          state_q <= step_q == StepProduct ? Subtracting : Loading;
          load_q <= step_q != StepProduct;
          subtract_q <= step_q == StepProduct;
        end else if (written) begin
          offset_q <= offset_q + AddressWidth'(Units * Words);
          left_q <= left_q - CountWidth'(Units);
          state_q <= Loading;
          load_q <= 1'b1;
        end
      end
      Subtracting: if (!subtract_q && !difference_busy) state_q <= Idle;
      default: begin
        step_q <= StepSum;
        offset_q <= '0;
        left_q <= job_i.blocks;
        if (start_i) begin
          state_q <= Loading;
          load_q <= 1'b1;
        end
      end
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      load_q <= 1'b0;
      write_q <= 1'b0;
      subtract_q <= 1'b0;
      negative_o <= 1'b0;
    end
  end

  logic loader_read;
  logic [AddressWidth-1:0] loader_address;

  comba_loader #(
      .Digits(Digits),
      .Units(Units)
  ) u_loader (
      .clk_i,
      .rst_ni,
      .start_i(load_q),
      .active_i(active),
      .terms_i(terms),
      .element_i(elements + offset_q),
      .stride_i(job_i.stride),
      .factor_i(factors),
      .busy_o(loader_busy),
      .read_o(loader_read),
      .address_o(loader_address),
      .data_i,
      .unit_start_o(unit_start),
      .unit_ready_i(unit_ready),
      .lhs_o(lhs),
      .rhs_o(rhs)
  );

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    comba_accumulator #(
        .Digits(Digits),
        .DigitWidth(DigitWidth)
    ) u_accumulator (
        .clk_i,
        .rst_ni,
        .ready_o(unit_ready[unit]),
        .busy_o(unit_busy[unit]),
        .start_i(unit_start[unit]),
        .lhs_i(lhs),
        .rhs_i(rhs),
        .shift_i(unit_shift[unit]),
        .digit_o(unit_digit[unit])
    );
  end

  logic writer_read, writer_write;
  logic [AddressWidth-1:0] writer_address;
  logic [WordWidth-1:0] writer_data;

  // The quotient and the product begin with nothing in their places.
  comba_writer #(
      .Digits(Digits),
      .Units(Units)
  ) u_writer (
      .clk_i,
      .rst_ni,
      .start_i(write_q),
      .active_i(active),
      .address_i(result + offset_q),
      .addend_i(step_q == StepSum || offset_q != '0),
      .busy_o(writer_busy),
      .unit_shift_o(unit_shift),
      .unit_digit_i(unit_digit),
      .read_o(writer_read),
      .write_o(writer_write),
      .address_o(writer_address),
      .data_o(writer_data),
      .data_i,
      .negative_o(negative)
  );

  logic difference_read, difference_write;
  logic [AddressWidth-1:0] difference_address;
  logic [WordWidth-1:0] difference_data;

  comba_difference u_difference (
      .clk_i,
      .rst_ni,
      .start_i(subtract_q),
      .words_i(job_i.stride),
      .sum_i(job_i.sum),
      .product_i(job_i.product),
      .modulus_i(job_i.modulus),
      .first_i(job_i.first),
      .second_i(job_i.second),
      .busy_o(difference_busy),
      .read_o(difference_read),
      .write_o(difference_write),
      .address_o(difference_address),
      .data_o(difference_data),
      .data_i,
      .second_o
  );

  // One of them uses the memory at a time.
  assign read_o = loader_read || writer_read || difference_read;
  assign write_o = writer_write || difference_write;
  assign address_o = loader_read ? loader_address : writer_busy ? writer_address : difference_address;
  assign data_o = writer_busy ? writer_data : difference_data;

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(SizesOfJob, start_i |-> job_i.terms != '0 && job_i.blocks != '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneOnMemory, $onehot0({loader_read, writer_busy, difference_busy}), clk_i, !rst_ni)

  if (Digits % WordDigits != 0 || Digits == 0 || Units == 0) begin : gen_check_sizes
    $error("comba_machine: blocks of whole words, and at least one unit");
  end

endmodule
