// One lane of the conversion unit: products of a word and a constant, which become y_i, parts of a fraction or terms of a
// result (docs/machines/core-conversion.md).
//
// Ports: clk_i. In cycle 0 column_i and row_i, of the y that is read. OperandLatency later word_i, from a bank, with
// from_bank_i, whether it is taken in place of y, and constant_i. lane_product_latency(...) later fraction_i and half_i,
// 1/2 or 0 in units of the fraction; montgomery_lead(...) before that modulus_i, of the product. lane_residue_latency(...)
// later residue_i, low_i and sum_modulus_i, of the residue, and doubt_o, with residue_i.v: whether v is not certain; two
// cycles later last_modulus_i, of the same. result_o, the sum of residues so far, in [0, q), after lane_latency(...). One
// product every cycle. No reset.

module conversion_lane
  import ringmill_pkg::*;
  import core_conversion_pkg::*;
#(
    parameter int unsigned Width = 50,
    parameter int unsigned Word = 17,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic                      clk_i,
    input  logic [LaneColumnBits-1:0] column_i,
    input  logic [LaneRowBits-1:0]    row_i,
    input  logic [Width-1:0]          word_i,
    input  logic                      from_bank_i,
    input  logic [Width-1:0]          constant_i,
    input  fraction_t                 fraction_i,
    input  logic                      half_i,
    input  logic                      low_i,
    input  logic [Width-1:0]          modulus_i,
    input  residue_t                  residue_i,
    input  logic [Width-1:0]          sum_modulus_i,
    input  logic [Width-1:0]          last_modulus_i,
    output logic                      doubt_o,
    output logic [Width-1:0]          result_o
);

  localparam int unsigned Fraction = fraction_bits(Width);
  localparam int unsigned FractionSum = fraction_sum_bits(Width);

  // y and v.
  logic [Width-1:0] kept;
  logic [Width-1:0] residue;
  logic [Width-1:0] quotient;

  ram_simple_dual #(
      .Width(Width),
      .Depth(LaneColumns * LaneRows),
      .Style(RamDistributed),
      .OutputRegister(1'b1)
  ) u_kept (
      .clk_i,
      .write_i(residue_i.y || residue_i.v),
      .write_address_i({residue_i.column, residue_i.row}),
      .write_data_i(residue_i.v ? quotient : residue),
      .read_i(1'b1),
      .read_address_i({column_i, row_i}),
      .read_data_o(kept)
  );

  // The product.
  logic [2*Width-1:0] product;

  integer_multiplier #(
      .Width(Width),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(from_bank_i ? word_i : kept),
      .rhs_i(constant_i),
      .product_o(product)
  );

  // The sum of fractions: v is its integer part, or its low word, which is exact.
  logic [FractionSum-1:0] fraction_q;
  logic [FractionSum-1:0] part;
  logic [FractionSum-1:0] half;

  assign part = fraction_i.fraction_low ? FractionSum'(product[2*Width-1:Width]) : FractionSum'(product);
  assign half = FractionSum'(half_i) << (Fraction - 1);

  always_ff @(posedge clk_i) begin
    if (fraction_i.fraction) fraction_q <= part + (fraction_i.fraction_first ? half : fraction_q);
  end

  assign quotient = low_i ? fraction_q[Width-1:0] : Width'(fraction_q[FractionSum-1:Fraction]);
  assign doubt_o = residue_i.v && !low_i && (&fraction_q[Fraction-1:DoubtBits]);

  // The residue.
  montgomery_reduction #(
      .Width(Width),
      .Word(Word),
      .ModulusMoves(1'b1),
      .Pipeline(Pipeline)
  ) u_residue (
      .clk_i,
      .enable_i(1'b1),
      .product_i(product),
      .modulus_i,
      .result_o(residue)
  );

  // The sum of residues, in [-q, q) as in vector_lane.
  logic first_q;
  logic [Width-1:0] addend_q;
  logic [Width:0] reduced_q;
  logic [Width:0] augend;
  logic [Width:0] sum_q;

  assign augend = first_q ? '0 : sum_q;

  always_ff @(posedge clk_i) begin
    first_q <= residue_i.first;
    addend_q <= residue;
    reduced_q <= {1'b0, residue} - {1'b0, sum_modulus_i};
    sum_q <= augend + (augend[Width] ? {1'b0, addend_q} : reduced_q);
    result_o <= sum_q[Width-1:0] + (sum_q[Width] ? last_modulus_i : '0);
  end

endmodule
