// Reduction of sums of products of 30 bits modulo primes (algorithm 6, lines 6 and 7): the bits from 2^58 on are
// multiplied by 2^58 mod q and added to the others; what is left, below 2^59, is reduced.
//
// Ports: clk_i, rst_ni; modulus_write_i, reciprocal_write_i, fold_write_i with table_address_i and table_data_i: q,
// floor(2^60 / q) and 2^58 mod q of each prime; valid_i, sum_i, prime_i, negate_i; valid_o, prime_o and residue_o, of
// the sum or with negate_i of its negative. Latency: FoldLatency; a sum every cycle.

module residue_fold
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Primes = 84,
    parameter int unsigned SumWidth = 66,
    localparam int unsigned PrimeAddress = index_width(Primes)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       modulus_write_i,
    input  logic                       reciprocal_write_i,
    input  logic                       fold_write_i,
    input  logic [PrimeAddress-1:0]    table_address_i,
    input  logic [ReciprocalWidth-1:0] table_data_i,
    input  logic                       valid_i,
    input  logic [SumWidth-1:0]        sum_i,
    input  logic [PrimeAddress-1:0]    prime_i,
    input  logic                       negate_i,
    output logic                       valid_o,
    output logic [PrimeAddress-1:0]    prime_o,
    output logic [PrimeWidth-1:0]      residue_o
);

  localparam int unsigned UpperWidth = SumWidth - FoldBit;

  typedef struct packed {
    logic                    valid;
    logic                    negate;
    logic [PrimeAddress-1:0] prime;
  } fold_control_t;

  logic [PrimeWidth-1:0] modulus;
  logic [ReciprocalWidth-1:0] reciprocal;
  logic [PrimeWidth-1:0] fold;

  ram_simple_dual #(
      .Width(PrimeWidth),
      .Depth(Primes),
      .Style(RamDistributed)
  ) u_moduli (
      .clk_i,
      .write_i(modulus_write_i),
      .write_address_i(table_address_i),
      .write_data_i(table_data_i[PrimeWidth-1:0]),
      .read_i(1'b1),
      .read_address_i(prime_i),
      .read_data_o(modulus)
  );

  ram_simple_dual #(
      .Width(ReciprocalWidth),
      .Depth(Primes),
      .Style(RamDistributed)
  ) u_reciprocals (
      .clk_i,
      .write_i(reciprocal_write_i),
      .write_address_i(table_address_i),
      .write_data_i(table_data_i),
      .read_i(1'b1),
      .read_address_i(prime_i),
      .read_data_o(reciprocal)
  );

  ram_simple_dual #(
      .Width(PrimeWidth),
      .Depth(Primes),
      .Style(RamDistributed)
  ) u_folds (
      .clk_i,
      .write_i(fold_write_i),
      .write_address_i(table_address_i),
      .write_data_i(table_data_i[PrimeWidth-1:0]),
      .read_i(1'b1),
      .read_address_i(prime_i),
      .read_data_o(fold)
  );

  // The sum beside the tables, then beside the upper bits' product, then both in one.
  logic [SumWidth-1:0] sum_q;
  logic [FoldBit-1:0] lower_q;
  logic [UpperWidth+PrimeWidth-1:0] upper_q;
  logic [2*PrimeWidth-1:0] number_q;
  logic [1:0][PrimeWidth-1:0] modulus_q;
  logic [1:0][ReciprocalWidth-1:0] reciprocal_q;

  always_ff @(posedge clk_i) begin
    sum_q <= sum_i;
    lower_q <= sum_q[FoldBit-1:0];
    upper_q <= sum_q[SumWidth-1:FoldBit] * fold;
    number_q <= (2 * PrimeWidth)'(lower_q) + (2 * PrimeWidth)'(upper_q);
    modulus_q <= {modulus_q[0], modulus};
    reciprocal_q <= {reciprocal_q[0], reciprocal};
  end

  logic [PrimeWidth-1:0] residue;

  residue_reduction u_reduction (
      .clk_i,
      .number_i(number_q),
      .modulus_i(modulus_q[1]),
      .reciprocal_i(reciprocal_q[1]),
      .residue_o(residue)
  );

  // The modulus once more, for the sign.
  logic [ReductionLatency-1:0][PrimeWidth-1:0] kept_q;
  fold_control_t [FoldLatency-2:0] control_q;
  fold_control_t control;

  assign control = control_q[FoldLatency-2];

  always_ff @(posedge clk_i) begin
    kept_q <= {kept_q[ReductionLatency-2:0], modulus_q[1]};
    control_q <= {control_q[FoldLatency-3:0], {valid_i, negate_i, prime_i}};
    valid_o <= rst_ni && control.valid;
    prime_o <= control.prime;
    residue_o <= control.negate && residue != '0 ? kept_q[ReductionLatency-1] - residue : residue;
  end

  if (SumWidth <= FoldBit || UpperWidth + PrimeWidth > FoldBit) begin : gen_check_width
    $error("residue_fold: a sum has more than 58 bits and less than 87");
  end

endmodule
