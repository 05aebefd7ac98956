// The end of a Barrett reduction: first <- sum - product, second <- first - modulus, word by word (paper 5, algorithm 2,
// line 3). The residue is the second, unless that is negative.
//
// Ports: clk_i, rst_ni; start_i, with words_i and the numbers' addresses; busy_o; read_o, write_o, address_o, data_o and
// data_i, accesses of AccessCycles; second_o, when not busy: the second is the residue.
// Cycles: 5 * AccessCycles a word.

`include "assertions.svh"

module comba_difference
  import comba_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    start_i,
    input  logic [AddressWidth-1:0] words_i,
    input  logic [AddressWidth-1:0] sum_i,
    input  logic [AddressWidth-1:0] product_i,
    input  logic [AddressWidth-1:0] modulus_i,
    input  logic [AddressWidth-1:0] first_i,
    input  logic [AddressWidth-1:0] second_i,
    output logic                    busy_o,
    output logic                    read_o,
    output logic                    write_o,
    output logic [AddressWidth-1:0] address_o,
    output logic [WordWidth-1:0]    data_o,
    input  logic [WordWidth-1:0]    data_i,
    output logic                    second_o
);

  typedef enum logic [2:0] {
    ReadSum,
    ReadProduct,
    ReadModulus,
    WriteFirst,
    WriteSecond
  } access_e;

  access_e access_q;
  logic busy_q;
  logic half_q;
  logic [AddressWidth-1:0] word_q;
  logic [AddressWidth-1:0] base;

  assign busy_o = busy_q;
  assign read_o = busy_q && access_q inside {ReadSum, ReadProduct, ReadModulus};
  assign write_o = busy_q && !(access_q inside {ReadSum, ReadProduct, ReadModulus});
  assign address_o = base + word_q;

  always_comb begin
    case (access_q)
      ReadProduct: base = product_i;
      ReadModulus: base = modulus_i;
      WriteFirst: base = first_i;
      WriteSecond: base = second_i;
      default: base = sum_i;
    endcase
  end

  // The words of both, each with a borrow above.
  logic [WordWidth-1:0] sum_q, first_q;
  logic [WordWidth:0] first, second_q;
  logic first_borrow_q, second_borrow_q;

  assign first = {1'b0, sum_q} - (WordWidth + 1)'(data_i) - (WordWidth + 1)'(first_borrow_q);
  assign data_o = access_q == WriteFirst ? first_q : second_q[WordWidth-1:0];
  assign second_o = !second_borrow_q;

  always_ff @(posedge clk_i) begin
    half_q <= !half_q;
    if (half_q) begin
      case (access_q)
        ReadSum: begin
          sum_q <= data_i;
          access_q <= ReadProduct;
        end
        ReadProduct: begin
          first_q <= first[WordWidth-1:0];
          first_borrow_q <= first[WordWidth];
          access_q <= ReadModulus;
        end
        ReadModulus: begin
          second_q <= {1'b0, first_q} - (WordWidth + 1)'(data_i) - (WordWidth + 1)'(second_borrow_q);
          access_q <= WriteFirst;
        end
        WriteFirst: access_q <= WriteSecond;
        default: begin
          second_borrow_q <= second_q[WordWidth];
          access_q <= ReadSum;
          word_q <= word_q + 1'b1;
          if (word_q + 1'b1 == words_i) busy_q <= 1'b0;
        end
      endcase
    end
    if (start_i) begin
      busy_q <= 1'b1;
      half_q <= 1'b0;
      access_q <= ReadSum;
      word_q <= '0;
      first_borrow_q <= 1'b0;
      second_borrow_q <= 1'b0;
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
      second_borrow_q <= 1'b0;
    end
  end

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o && words_i != '0, clk_i, !rst_ni)

endmodule
