// Residues times a constant of their prime: (Q / q_j)^-1 in a scale (equation 4), 1 in a lift.
//
// Ports: clk_i, rst_ni; modulus_write_i, reciprocal_write_i, inverse_write_i with table_address_i and table_data_i:
// q_j, floor(2^60 / q_j), the inverse; conversion_i, constant while residues are in; valid_i, residue_i, prime_i;
// valid_o, residue_o. Latency: ScaleLatency; a residue every cycle.

module residue_scale
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Primes = 84,
    localparam int unsigned PrimeAddress = index_width(Primes)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  conversion_e                conversion_i,
    input  logic                       modulus_write_i,
    input  logic                       reciprocal_write_i,
    input  logic                       inverse_write_i,
    input  logic [PrimeAddress-1:0]    table_address_i,
    input  logic [ReciprocalWidth-1:0] table_data_i,
    input  logic                       valid_i,
    input  logic [PrimeWidth-1:0]      residue_i,
    input  logic [PrimeAddress-1:0]    prime_i,
    output logic                       valid_o,
    output logic [PrimeWidth-1:0]      residue_o
);

  logic [PrimeWidth-1:0] modulus;
  logic [ReciprocalWidth-1:0] reciprocal;
  logic [PrimeWidth-1:0] inverse;

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
  ) u_inverses (
      .clk_i,
      .write_i(inverse_write_i),
      .write_address_i(table_address_i),
      .write_data_i(table_data_i[PrimeWidth-1:0]),
      .read_i(1'b1),
      .read_address_i(prime_i),
      .read_data_o(inverse)
  );

  logic [PrimeWidth-1:0] residue_q;
  logic [2*PrimeWidth-1:0] product;

  integer_multiplier #(
      .Width(PrimeWidth),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(residue_q),
      .rhs_i(conversion_i == ConversionLift ? PrimeWidth'(1) : inverse),
      .product_o(product)
  );

  // The prime waits for the product.
  logic [ScaleMultiplierLatency-1:0][PrimeWidth-1:0] modulus_q;
  logic [ScaleMultiplierLatency-1:0][ReciprocalWidth-1:0] reciprocal_q;
  logic [ScaleLatency-1:0] valid_q;

  always_ff @(posedge clk_i) begin
    residue_q <= residue_i;
    modulus_q <= {modulus_q[ScaleMultiplierLatency-2:0], modulus};
    reciprocal_q <= {reciprocal_q[ScaleMultiplierLatency-2:0], reciprocal};
    valid_q <= rst_ni ? {valid_q[ScaleLatency-2:0], valid_i} : '0;
  end

  assign valid_o = valid_q[ScaleLatency-1];

  residue_reduction u_reduction (
      .clk_i,
      .number_i(product),
      .modulus_i(modulus_q[ScaleMultiplierLatency-1]),
      .reciprocal_i(reciprocal_q[ScaleMultiplierLatency-1]),
      .residue_o
  );

endmodule
