// Reduction by a long modulus m in passes, and centring: x becomes a sign and a magnitude below m / 2 (algorithm 5).
//
// x < 2^Multiples m arrives in words, the least first. A pass takes all words from one memory and writes x less a row
// of the table into another; where no borrow is left, that one counts from then on. The rows are 2^(Multiples-1) m,
// ..., 2 m, m, (m + 1) / 2. The last of them only tells the sign; then x leaves, or m - x with negative_o turned.
// The next number may arrive while this one is reduced, but must be complete only when it has left.
//
// Ports: clk_i, rst_ni; row_write_i, row_address_i (row * Words + word), row_data_i; valid_i, word_i, and with last_i
// negative_i; valid_o, word_o, last_o, negative_o. Cycles: centre_cycles(Multiples, Words) from the last word in to the
// last one out.

`include "assertions.svh"

module centred_reduction
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Words = 43,
    parameter int unsigned Multiples = 7,
    localparam int unsigned RowAddress = index_width((Multiples + 1) * Words)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  row_write_i,
    input  logic [RowAddress-1:0] row_address_i,
    input  logic [WordWidth-1:0]  row_data_i,
    input  logic                  valid_i,
    input  logic [WordWidth-1:0]  word_i,
    input  logic                  last_i,
    input  logic                  negative_i,
    output logic                  valid_o,
    output logic [WordWidth-1:0]  word_o,
    output logic                  last_o,
    output logic                  negative_o
);

  localparam int unsigned Address = index_width(Words);
  localparam int unsigned CountWidth = index_width(Words + 1);
  localparam int unsigned PassWidth = index_width(Multiples + 2);

  // Numbers arrive in two buffers in turn.
  logic arriving_q;
  logic [Address-1:0] arrived_q;

  // The word that is read: the cycle behind the last one waits for its borrow.
  logic busy_q;
  logic [PassWidth-1:0] pass_q;
  logic [CountWidth-1:0] count_q;
  logic [RowAddress-1:0] row_q;
  logic reads;
  logic ends;

  assign reads = busy_q && count_q != CountWidth'(Words);
  assign ends = busy_q && count_q == CountWidth'(Words);

  // Whether x is still where it arrived, and if not, in which half of the work memory; what is written to the other.
  logic fresh_q;
  logic half_q;
  logic negative_q;

  // The sign that the number came with.
  logic sign_q;

  logic read_q;
  logic [Address-1:0] address_q;
  logic borrow_q;
  logic [WordWidth-1:0] arrived_word;
  logic [WordWidth-1:0] work_word;
  logic [WordWidth-1:0] row_word;
  logic [WordWidth-1:0] x;
  logic [WordWidth:0] difference;
  logic hands_on;
  logic turns;

  assign x = fresh_q ? arrived_word : work_word;
  assign hands_on = pass_q == PassWidth'(Multiples + 1);
  assign turns = hands_on && negative_q;
  assign difference = {1'b0, turns ? row_word : x} - {1'b0, turns ? x : row_word} - (WordWidth + 1)'(borrow_q);

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth(2 << Address),
      .Style(RamDistributed)
  ) u_arrived (
      .clk_i,
      .write_i(valid_i),
      .write_address_i({arriving_q, arrived_q}),
      .write_data_i(word_i),
      .read_i(1'b1),
      .read_address_i({!arriving_q, count_q[Address-1:0]}),
      .read_data_o(arrived_word)
  );

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth(2 << Address),
      .Style(RamDistributed)
  ) u_work (
      .clk_i,
      .write_i(read_q && !hands_on),
      .write_address_i({!half_q, address_q}),
      .write_data_i(difference[WordWidth-1:0]),
      .read_i(1'b1),
      .read_address_i({half_q, count_q[Address-1:0]}),
      .read_data_o(work_word)
  );

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth((Multiples + 1) * Words)
  ) u_rows (
      .clk_i,
      .write_i(row_write_i),
      .write_address_i(row_address_i),
      .write_data_i(row_data_i),
      .read_i(1'b1),
      .read_address_i(row_q),
      .read_data_o(row_word)
  );

  always_ff @(posedge clk_i) begin
    read_q <= reads;
    address_q <= count_q[Address-1:0];
    borrow_q <= read_q && difference[WordWidth];
    if (valid_i) begin
      arrived_q <= last_i ? '0 : arrived_q + 1'b1;
      arriving_q <= arriving_q ^ last_i;
    end
    if (reads) begin
      count_q <= count_q + 1'b1;
      row_q <= row_q + 1'b1;
    end
    if (ends) begin
      count_q <= '0;
      pass_q <= pass_q + 1'b1;
      if (pass_q < PassWidth'(Multiples)) begin
        fresh_q <= fresh_q && difference[WordWidth];
        half_q <= half_q ^ !difference[WordWidth];
      end
      // The table ends with m and half of it: m again for the last pass.
      if (pass_q == PassWidth'(Multiples)) begin
        negative_q <= !difference[WordWidth];
        row_q <= RowAddress'((Multiples - 1) * Words);
      end
      if (hands_on) busy_q <= 1'b0;
    end
    if (valid_i && last_i) begin
      busy_q <= 1'b1;
      pass_q <= '0;
      count_q <= '0;
      row_q <= '0;
      fresh_q <= 1'b1;
      sign_q <= negative_i;
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
      arriving_q <= 1'b0;
      arrived_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_o <= rst_ni && read_q && hands_on;
    word_o <= turns ? difference[WordWidth-1:0] : x;
    last_o <= ends && hands_on;
    negative_o <= sign_q ^ negative_q;
  end

  `RINGMILL_ASSERT(RoomForNumber, !(valid_i && last_i && busy_q && !(ends && hands_on)), clk_i, !rst_ni)

  if (Words < 2 || Multiples < 1) begin : gen_check_sizes
    $error("centred_reduction: Words must be at least 2, Multiples 1");
  end

endmodule
