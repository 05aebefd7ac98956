// Encryption over the integers by rows of multipliers: c = e + 2 sum_i x_i b_i modulo x_0, where x_i is what ChaCha20 makes
// of a seed less a correction (docs/machines/comba.md).
//
// In a pass each row multiplies an element by its factor, one digit a cycle, and the sum takes a digit of all rows' products
// a cycle. Rows begin one after the other: so one generator of blocks serves them all. The factors and corrections of the
// next pass are read meanwhile. Then Barrett's reduction: the first two rows are one of twice the length, and multiply the
// sum's high digits by the reciprocal, and the modulus by the quotient.
//
// Ports: clk_i, rst_ni; start_i with job_i, which must not change while busy_o; read_o, write_o, address_o, data_o and
// data_i: a request holds for AccessCycles, and data_i has a read's word in the last one.

`include "assertions.svh"

module comba_systolic
  import ringmill_pkg::*;
  import comba_pkg::*;
#(
    parameter int unsigned Rows = 24,
    parameter int unsigned Taps = 59,
    parameter int unsigned CorrectionDigits = 67,
    parameter int unsigned Depth = 9440
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,
    input  systolic_job_t           job_i,
    output logic                    busy_o,
    output logic                    read_o,
    output logic                    write_o,
    output logic [AddressWidth-1:0] address_o,
    output logic [WordWidth-1:0]    data_o,
    input  logic [WordWidth-1:0]    data_i
);

  localparam int unsigned SumWidth = 2 * DigitWidth + $clog2(Taps * Rows) + 1;
  localparam int unsigned IndexWidth = index_width(Depth);
  localparam int unsigned SlotWidth = $clog2(BlockDigits);
  // From a counter to its block, and from the first row's block to the start of the sum, two before its column.
  localparam int unsigned BlockLatency = 42;
  localparam int unsigned RowLatency = Rows + 2;
  // Digits of the product of high digits and reciprocal below the quotient.
  localparam int unsigned CutDigits = Taps + ExtraDigits + 2 * GuardDigits;
  localparam int unsigned QuotientDigits = CutDigits + 2 * Taps;
  localparam int unsigned HighDigits = ExtraDigits + Taps + GuardDigits;
  // The last row has taken its factor and used its correction.
  localparam int unsigned LoadFrom = BlockLatency + Rows + CorrectionDigits + 1;

  typedef enum logic [2:0] {
    Idle,
    Filling,
    Passing,
    Settling,
    Dividing,
    Waiting,
    Subtracting,
    Correcting
  } state_e;

  state_e state_q;
  logic [1:0] cycle_q;
  logic [31:0] front_q;
  logic [CountWidth-1:0] left_q;

  // A word of the result that waits for its beat, and one that is written.
  logic held_valid_q, writing_q;

  // Digits of the modulus, and of a sum.
  logic [IndexWidth-1:0] modulus_digits, pass_digits;

  assign modulus_digits = IndexWidth'({job_i.blocks, SlotWidth'(0)});
  assign pass_digits = modulus_digits + IndexWidth'(Taps + ExtraDigits);
  assign busy_o = state_q != Idle || held_valid_q || writing_q;

  // What comes from the memory.
  logic reader_start, reader_valid, reader_ready, reader_full, reader_read;
  logic [AddressWidth-1:0] reader_address;
  logic [DigitWidth-1:0] reader_digit;
  logic loader_start, loader_busy, loader_ready, noise_shift;
  logic [Rows-1:0] loader_factor, correction_shift;

  // What goes into rows.
  logic issue, first_issue;
  logic take_wide;
  logic peek_q;
  logic streaming;
  logic [DigitWidth-1:0] stream, stream_later;
  logic stream_begins;

  // The sum.
  logic sum_start, sum_busy, sum_done, sum_valid, sum_less;
  sum_mode_e mode;
  logic [IndexWidth-1:0] length;
  logic [DigitWidth-1:0] sum_digit, high_digit, beside_digit;
  logic [SumWidth-1:0] column;

  // Passes: a pass ends when the next one's factors are there.
  logic pass_ends, load_next;

  assign load_next = state_q == Passing && front_q == LoadFrom;
  assign pass_ends = state_q == Passing && front_q > LoadFrom && !loader_busy && front_q >= 32'(pass_digits) - 1;
  assign loader_start = (state_q == Idle && start_i) || load_next;

  logic [IndexWidth-1:0] quotient_q;
  logic settled, corrects, correct_last;

  // Nothing is read when words wait: so the reader may begin elsewhere.
  assign settled = state_q == Settling && !sum_busy && reader_full;
  assign corrects = state_q == Correcting && reader_full;
  assign correct_last = corrects && front_q == 2 * Taps - 1;
  assign take_wide = settled || (state_q == Waiting && reader_full && cycle_q == 2'd2);

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    front_q <= front_q + 1;
    case (state_q)
      Idle: begin
        left_q <= job_i.passes;
        if (!busy_o) cycle_q <= '0;
        if (start_i) state_q <= Filling;
      end
      Filling: begin
        front_q <= '0;
        if (!loader_busy) state_q <= Passing;
      end
      Passing: begin
        if (pass_ends) begin
          front_q <= '0;
          left_q <= left_q - 1'b1;
          if (left_q == 1) state_q <= Settling;
        end
      end
      Settling: begin
        front_q <= '0;
        if (settled) state_q <= Dividing;
      end
      Dividing: if (sum_done) state_q <= Waiting;
      // The first digit leaves the reader in a beat's first cycle.
      Waiting: begin
        if (take_wide) begin
          front_q <= '1;
          state_q <= Subtracting;
        end
      end
      Subtracting: begin
        if (sum_done) begin
          front_q <= '0;
          state_q <= Correcting;
        end
      end
      // The sum is less than the modulus, or this is subtracted once more.
      default: begin
        if (!corrects) front_q <= '0;
        else if (sum_less) state_q <= Idle;
        else if (correct_last) state_q <= Waiting;
      end
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      cycle_q <= '0;
    end
  end

  // The stream of the job, and the modulus before each use.
  assign reader_start = (state_q == Idle && start_i) || settled || correct_last;
  assign reader_address = state_q == Idle ? job_i.stream : job_i.modulus;
  assign reader_ready = loader_ready || (state_q == Subtracting && streaming);

  logic [AddressWidth-1:0] read_address;

  digit_reader u_reader (
      .clk_i,
      .rst_ni,
      .cycle_i(cycle_q),
      .start_i(reader_start),
      .address_i(reader_address),
      .valid_o(reader_valid),
      .ready_i(reader_ready),
      .digit_o(reader_digit),
      .full_o(reader_full),
      .read_o(reader_read),
      .address_o(read_address),
      .data_i
  );

  systolic_loader #(
      .Rows(Rows),
      .Taps(Taps),
      .CorrectionDigits(CorrectionDigits)
  ) u_loader (
      .clk_i,
      .rst_ni,
      .start_i(loader_start),
      .noise_i(state_q == Idle),
      .wide_i(state_q == Passing && left_q == 1),
      .busy_o(loader_busy),
      .valid_i(reader_valid),
      .ready_o(loader_ready),
      .noise_shift_o(noise_shift),
      .factor_shift_o(loader_factor),
      .correction_shift_o(correction_shift)
  );

  // Blocks: row after row the first one, row after row the second one.
  logic [SlotWidth-1:0] slot;
  logic [AddressWidth-1:0] pass_q, group_q, counter_q;
  logic [BlockLatency-1:0] issue_q;
  logic [BlockLatency-1:0] first_q;
  logic [SlotWidth-1:0] block_slot;
  logic [BlockWidth-1:0] block;

  assign slot = front_q[SlotWidth-1:0];
  assign issue = state_q == Passing && front_q < 32'(modulus_digits) && 32'(slot) < Rows;
  assign first_issue = front_q < BlockDigits;

  always_ff @(posedge clk_i) begin
    counter_q <= counter_q + AddressWidth'(job_i.blocks);
    if (slot == SlotWidth'(BlockDigits - 1)) begin
      group_q <= group_q + 1'b1;
      counter_q <= group_q + 1'b1;
    end
    if (pass_ends) begin
      group_q <= pass_q;
      counter_q <= pass_q;
    end
    // From the first cycle of a pass on: the first block of the next.
    if (state_q == Passing && front_q == 0) pass_q <= pass_q + job_i.pass_blocks;
    if (state_q == Idle || state_q == Filling) begin
      pass_q <= '0;
      group_q <= '0;
      counter_q <= '0;
    end
    issue_q <= BlockLatency'({issue_q, issue});
    first_q <= BlockLatency'({first_q, first_issue});
    if (!rst_ni) issue_q <= '0;
  end

  delay_line #(
      .Width(SlotWidth),
      .Depth(BlockLatency)
  ) u_slot (
      .clk_i,
      .enable_i(1'b1),
      .data_i(slot),
      .data_o(block_slot)
  );

  chacha20_block u_blocks (
      .clk_i,
      .key_i(job_i.seed),
      .counter_i(counter_q),
      .block_o(block)
  );

  // The other stream: the sum's high digits, then the modulus's digits.
  logic peek;

  assign peek = state_q == Dividing && front_q < HighDigits;
  assign streaming = state_q == Subtracting && front_q < 32'(modulus_digits);
  assign stream_begins = (peek && front_q == 0) || (state_q == Subtracting && front_q == '1);
  assign stream = peek_q ? high_digit : streaming ? reader_digit : '0;

  always_ff @(posedge clk_i) begin
    peek_q <= peek;
    if (!rst_ni) peek_q <= 1'b0;
  end

  delay_line #(
      .Width(DigitWidth),
      .Depth(Taps + 1)
  ) u_second_row (
      .clk_i,
      .enable_i(1'b1),
      .data_i(stream),
      .data_o(stream_later)
  );

  // A factor of two rows: the reciprocal, the quotient as its digits come, and one.
  logic [Rows-1:0] wide_factor;
  logic [DigitWidth-1:0] load_digit;
  logic quotient_digit;

  assign quotient_digit = state_q == Dividing && sum_valid && quotient_q >= IndexWidth'(CutDigits);

  always_comb begin
    wide_factor = '0;
    wide_factor[0] = (quotient_digit && quotient_q < IndexWidth'(CutDigits + Taps))
        || (corrects && front_q < Taps);
    wide_factor[1] = (quotient_digit && quotient_q >= IndexWidth'(CutDigits + Taps))
        || (corrects && front_q >= Taps);
    load_digit = reader_digit;
    if (state_q == Dividing) load_digit = sum_digit;
    if (state_q == Correcting) load_digit = DigitWidth'(front_q == 0);
  end

  always_ff @(posedge clk_i) begin
    if (state_q != Dividing) quotient_q <= '0;
    else if (sum_valid) quotient_q <= quotient_q + 1'b1;
  end

  // Rows.
  logic [Rows:0][SumWidth-1:0] sums;
  logic issued;

  assign issued = issue_q[BlockLatency-1];
  assign sums[0] = '0;
  assign column = sums[Rows];

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    logic load;

    assign load = issued && block_slot == SlotWidth'(row);

    systolic_row #(
        .Taps(Taps),
        .CorrectionDigits(CorrectionDigits),
        .SumWidth(SumWidth)
    ) u_row (
        .clk_i,
        .rst_ni,
        .load_i(load),
        .block_i(block),
        .take_i((load && first_q[BlockLatency-1]) || (row < 2 && take_wide)),
        .stream_i(row == 0 ? stream : row == 1 ? stream_later : '0),
        .factor_shift_i(loader_factor[row] || wide_factor[row]),
        .correction_shift_i(correction_shift[row]),
        .digit_i(load_digit),
        .sum_i(sums[row]),
        .sum_o(sums[row+1])
    );
  end

  // The sum begins when the first row's digits have come through all rows.
  logic [RowLatency-1:0] begin_q;
  logic begins;
  logic first_pass_q;

  assign begins = (issued && first_q[BlockLatency-1] && block_slot == '0) || stream_begins;
  assign sum_start = begin_q[RowLatency-1];

  always_comb begin
    mode = first_pass_q ? SumFirst : SumAdd;
    length = pass_digits;
    if (state_q == Dividing) begin
      mode = SumQuotient;
      length = IndexWidth'(QuotientDigits);
    end else if (state_q == Subtracting) begin
      mode = SumSubtract;
      length = modulus_digits + IndexWidth'(WordDigits);
    end
  end

  always_ff @(posedge clk_i) begin
    begin_q <= RowLatency'({begin_q, begins});
    if (state_q == Idle) first_pass_q <= 1'b1;
    else if (sum_start) first_pass_q <= 1'b0;
    if (!rst_ni) begin_q <= '0;
  end

  systolic_sum #(
      .Depth(Depth),
      .NoiseDigits(CorrectionDigits),
      .SumWidth(SumWidth)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .start_i(sum_start),
      .mode_i(mode),
      .length_i(length),
      .busy_o(sum_busy),
      .done_o(sum_done),
      .column_i(column),
      .noise_shift_i(noise_shift),
      .load_digit_i(reader_digit),
      .modulus_i(beside_digit),
      .less_o(sum_less),
      .valid_o(sum_valid),
      .digit_o(sum_digit),
      .peek_i(peek),
      .peek_index_i(modulus_digits - IndexWidth'(GuardDigits) + IndexWidth'(front_q)),
      .peek_digit_o(high_digit)
  );

  // The modulus beside the digits that it is subtracted from.
  delay_line #(
      .Width(DigitWidth),
      .Depth(Rows + 4)
  ) u_modulus (
      .clk_i,
      .enable_i(1'b1),
      .data_i(streaming ? reader_digit : '0),
      .data_o(beside_digit)
  );

  // Words of the result: written in the second half of a beat.
  logic [1:0] collected_q;
  logic [WordWidth-DigitWidth-1:0] upper_q;
  logic [WordWidth-1:0] held_q;
  logic [AddressWidth-1:0] result_q;

  assign write_o = writing_q;
  assign read_o = reader_read;
  assign address_o = writing_q ? result_q : read_address;

  always_ff @(posedge clk_i) begin
    if (state_q != Subtracting && state_q != Correcting) collected_q <= '0;
    else if (sum_valid) collected_q <= collected_q + 1'b1;
    if (sum_valid) upper_q <= {sum_digit, upper_q[WordWidth-DigitWidth-1:DigitWidth]};
    if (cycle_q == 2'd1) begin
      writing_q <= held_valid_q;
      data_o <= held_q;
      held_valid_q <= 1'b0;
    end
    if (cycle_q == 2'd3) begin
      writing_q <= 1'b0;
      if (writing_q) result_q <= result_q + 1'b1;
    end
    if (state_q == Subtracting && sum_valid && collected_q == 2'(WordDigits - 1)) begin
      held_q <= {sum_digit, upper_q};
      held_valid_q <= 1'b1;
    end
    if (state_q == Waiting) result_q <= job_i.result;
    if (!rst_ni) begin
      held_valid_q <= 1'b0;
      writing_q <= 1'b0;
    end
  end

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(SizesOfJob, start_i |-> job_i.passes != '0 && job_i.blocks != '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(NoGap, streaming |-> reader_valid, clk_i, !rst_ni)
  `RINGMILL_ASSERT(OneOnMemory, !(read_o && write_o), clk_i, !rst_ni)

  if (Rows < 2 || Rows > BlockDigits) begin : gen_check_rows
    $error("comba_systolic: from two rows to as many as a block has digits");
  end
  if (2 * Taps < CutDigits) begin : gen_check_taps
    $error("comba_systolic: too few taps for two rows to hold the reciprocal");
  end
  if (WordDigits != 4 || AccessCycles != 2) begin : gen_check_beat
    $error("comba_systolic: a read and a write in the cycles of a word's digits");
  end

endmodule
