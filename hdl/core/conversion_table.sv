// The tables of the conversion unit: primes and factors, as their blocks in memory have them
// (docs/machines/core-conversion.md).
//
// Ports: clk_i; write_i, write_table_i, write_word_i (the number of a word of the block), write_data_i; read_table_i with
// prime_i (from 0 sources, from LaneRows targets) and factor_i; prime_o and factor_o. Latency: OperandLatency.

module conversion_table
  import ringmill_pkg::*;
  import core_pkg::*;
  import core_conversion_pkg::*;
#(
    parameter int unsigned Tables = 2,
    parameter int unsigned Width = 50
) (
    input  logic                       clk_i,
    input  logic                       write_i,
    input  logic [SlotWidth-1:0]       write_table_i,
    input  logic [TableWordWidth-1:0]  write_word_i,
    input  logic [Width-1:0]           write_data_i,
    input  logic [SlotWidth-1:0]       read_table_i,
    input  logic [LaneRowBits:0]       prime_i,
    input  logic [TableFactorBits-1:0] factor_i,
    output logic [Width-1:0]           prime_o,
    output logic [Width-1:0]           factor_o
);

  localparam int unsigned TableBits = index_width(Tables);
  localparam int unsigned Primes = 2 * LaneRows;

  logic [TableWordWidth-1:0] number;
  logic is_factor;
  logic is_prime;

  assign is_factor = 32'(write_word_i) >= TableHead + Primes;
  assign is_prime = 32'(write_word_i) >= TableHead && !is_factor;
  assign number = write_word_i - TableWordWidth'(is_factor ? TableHead + Primes : TableHead);

  ram_simple_dual #(
      .Width(Width),
      .Depth((1 << TableBits) * Primes),
      .Style(RamDistributed),
      .OutputRegister(1'b1)
  ) u_primes (
      .clk_i,
      .write_i(write_i && is_prime),
      .write_address_i({write_table_i[TableBits-1:0], number[LaneRowBits:0]}),
      .write_data_i,
      .read_i(1'b1),
      .read_address_i({read_table_i[TableBits-1:0], prime_i}),
      .read_data_o(prime_o)
  );

  ram_simple_dual #(
      .Width(Width),
      .Depth((1 << TableBits) * TableFactors),
      .Style(RamBlock),
      .OutputRegister(1'b1)
  ) u_factors (
      .clk_i,
      .write_i(write_i && is_factor),
      .write_address_i({write_table_i[TableBits-1:0], number[TableFactorBits-1:0]}),
      .write_data_i,
      .read_i(1'b1),
      .read_address_i({read_table_i[TableBits-1:0], factor_i}),
      .read_data_o(factor_o)
  );

  logic unused;
  assign unused = ^{write_table_i, read_table_i, number};

  if (Tables < 2 || Tables > MaxSlots) begin : gen_check_tables
    $error("conversion_table: Tables must be from 2 to MaxSlots of core_pkg");
  end

endmodule
