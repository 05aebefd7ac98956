// A multiply-accumulate core: its slots of residues times its constants, one product a cycle (algorithm 4).
//
// A step is a run of products. With the last one comes the neighbour's word; the sum's lower word goes to the next
// neighbour, and the rest is carried into the next step. A whole step hands on all of its sum and carries nothing, so
// each whole step opens a sum.
//
// Ports: clk_i; residue_write_i, residue_address_i, residue_data_i; constant_write_i, constant_address_i,
// constant_data_i; control_i with slot_i and word_i, the addresses of the product's factors; link_i in the cycle after
// the neighbour's link_o of the same step, so a core's control is a cycle behind its neighbour's; link_o.
// Latency: MacLatency from the last product's control to link_o. No reset.

module multiply_accumulate
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Slots = 64,
    parameter int unsigned Constants = 1024,
    parameter int unsigned LinkWidth = 66,
    localparam int unsigned SlotAddress = index_width(Slots),
    localparam int unsigned ConstantAddress = index_width(Constants)
) (
    input  logic                       clk_i,
    input  logic                       residue_write_i,
    input  logic [SlotAddress-1:0]     residue_address_i,
    input  logic [PrimeWidth-1:0]      residue_data_i,
    input  logic                       constant_write_i,
    input  logic [ConstantAddress-1:0] constant_address_i,
    input  logic [WordWidth-1:0]       constant_data_i,
    input  mac_control_t               control_i,
    input  logic [SlotAddress-1:0]     slot_i,
    input  logic [ConstantAddress-1:0] word_i,
    input  logic [LinkWidth-1:0]       link_i,
    output logic [LinkWidth-1:0]       link_o
);

  // Products of all slots, what is carried, and a neighbour's word: each slot below 2^89, the rest below one more.
  localparam int unsigned SumWidth = WordWidth + PrimeWidth + index_width(Slots + 1);

  logic [PrimeWidth-1:0] residue;
  logic [WordWidth-1:0] constant;
  logic [2*WordWidth-1:0] product;

  ram_simple_dual #(
      .Width(PrimeWidth),
      .Depth(Slots),
      .Style(RamDistributed)
  ) u_residues (
      .clk_i,
      .write_i(residue_write_i),
      .write_address_i(residue_address_i),
      .write_data_i(residue_data_i),
      .read_i(1'b1),
      .read_address_i(slot_i),
      .read_data_o(residue)
  );

  ram_simple_dual #(
      .Width(WordWidth),
      .Depth(Constants)
  ) u_constants (
      .clk_i,
      .write_i(constant_write_i),
      .write_address_i(constant_address_i),
      .write_data_i(constant_data_i),
      .read_i(1'b1),
      .read_address_i(word_i),
      .read_data_o(constant)
  );

  integer_multiplier #(
      .Width(WordWidth),
      .Pipeline(Pipeline)
  ) u_product (
      .clk_i,
      .enable_i(1'b1),
      .lhs_i(constant),
      .rhs_i(WordWidth'(residue)),
      .product_o(product)
  );

  mac_control_t [MacMultiplierLatency:0] control_q;
  mac_control_t control;
  logic [SumWidth-1:0] carried_q;
  logic [SumWidth-1:0] sum;

  assign control = control_q[MacMultiplierLatency];
  assign sum = (control.first && control.opening ? '0 : carried_q) + SumWidth'(product)
      + (control.last ? SumWidth'(link_i) : '0);

  always_ff @(posedge clk_i) begin
    control_q <= {control_q[MacMultiplierLatency-1:0], control_i};
    if (control.valid) begin
      carried_q <= control.last ? sum >> WordWidth : sum;
      if (control.last) link_o <= control.whole ? sum[LinkWidth-1:0] : LinkWidth'(sum[WordWidth-1:0]);
    end
  end

  logic unused;
  assign unused = ^product[2*WordWidth-1:WordWidth+PrimeWidth];

  if (LinkWidth < WordWidth || LinkWidth > SumWidth) begin : gen_check_link
    $error("multiply_accumulate: a link holds a word, and a sum holds a link");
  end

endmodule
