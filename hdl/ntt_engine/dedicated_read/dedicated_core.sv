// One unit with its factors: registers in front of a butterfly, which always reads the same bank.
//
// A transform's operands are the halves of a word, either of which may count as 0. A product's or difference's are the
// halves of two words, which follow each other: the low halves meet first, the high halves wait one cycle.
//
// Its factors are a table of 2^(a + 1) words, of which word 0 is unused, and the few of the first passes, the scale
// 1 / N and the correction of differences. All are loaded times R (see butterfly).
//
// Ports: clk_i, modulus_i; constant_write_i, constant_few_i, constant_address_i, constant_data_i load factors; when an
// operation begins read_i, factor_few_i, factor_address_i; 1 cycle later word_i; 2 cycles later control_i.
// upper_o, lower_o: the butterfly's results.
// Latency: OperandLatency + butterfly_latency(...) from read_i.

module dedicated_core
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    parameter bit First = 1'b0,  // unit 0
    localparam int unsigned AddressBits = log2(bank_words(N, Units))
) (
    input  logic                   clk_i,
    input  logic [Width-1:0]       modulus_i,
    input  logic                   constant_write_i,
    input  logic                   constant_few_i,
    input  logic [AddressBits:0]   constant_address_i,
    input  logic [Width-1:0]       constant_data_i,
    input  logic                   read_i,
    input  logic                   factor_few_i,
    input  logic [AddressBits:0]   factor_address_i,
    input  logic [1:0][Width-1:0]  word_i,
    input  control_t               control_i,
    output logic [Width-1:0]       upper_o,
    output logic [Width-1:0]       lower_o
);

  localparam int unsigned Few = few_factors(Units);
  localparam int unsigned FewWidth = index_width(Few);

  logic [Width-1:0] table_factor;
  logic [Width-1:0] few_factor;

  ram_simple_dual #(
      .Width(Width),
      .Depth(2 << AddressBits),
      .Style(RamAuto)
  ) u_table (
      .clk_i,
      .write_i(constant_write_i && !constant_few_i),
      .write_address_i(constant_address_i),
      .write_data_i(constant_data_i),
      .read_i,
      .read_address_i(factor_address_i),
      .read_data_o(table_factor)
  );

  ram_simple_dual #(
      .Width(Width),
      .Depth(Few),
      .Style(RamDistributed)
  ) u_few (
      .clk_i,
      .write_i(constant_write_i && constant_few_i),
      .write_address_i(constant_address_i[FewWidth-1:0]),
      .write_data_i(constant_data_i),
      .read_i,
      .read_address_i(factor_address_i[FewWidth-1:0]),
      .read_data_o(few_factor)
  );

  // One cycle after the memories: the word and its factor; the next word is at the bank's output.
  logic few_q;
  logic [Width-1:0] factor_q;
  logic [1:0][Width-1:0] word_q;
  logic [1:0][Width-1:0] high_q;

  always_ff @(posedge clk_i) begin
    few_q <= factor_few_i;
    factor_q <= few_q ? few_factor : table_factor;
    word_q <= word_i;
    high_q <= {word_i[1], word_q[1]};
  end

  // Index 0: of the source, 1: of the operand.
  logic [1:0][Width-1:0] met;
  logic [1:0] keep;

  assign met = control_i.odd ? high_q : {word_i[0], word_q[0]};
  assign keep = First && control_i.swap_first ? {control_i.keep[0], control_i.keep[1]} : control_i.keep;

  butterfly_e operation_q;
  logic [Width-1:0] upper_q;
  logic [Width-1:0] lower_q;
  logic [Width-1:0] operand_factor_q;

  always_ff @(posedge clk_i) begin
    operation_q <= control_i.butterfly;
    operand_factor_q <= control_i.by_word ? met[1] : factor_q;
    if (control_i.paired) begin
      upper_q <= met[0];
      lower_q <= control_i.by_word ? met[0] : met[1];
    end else begin
      upper_q <= keep[0] ? word_q[0] : '0;
      lower_q <= keep[1] ? word_q[1] : '0;
    end
  end

  butterfly #(
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_butterfly (
      .clk_i,
      .operation_i(operation_q),
      .upper_i(upper_q),
      .lower_i(lower_q),
      .factor_i(operand_factor_q),
      .modulus_i,
      .upper_o,
      .lower_o
  );

  logic unused;
  assign unused = ^{control_i.exchange, control_i.gap};

endmodule
