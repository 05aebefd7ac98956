// The sum of products block: cores in two arms that meet in an adder (section 4.3.1, figure 4).
//
// The first half of the cores hand their words up, the second half down; each core works a cycle later than the one
// that it hears from. Residue j of a coefficient is in core j mod Cores, slot j / Cores.
//
// Ports: clk_i, rst_ni; residue_write_i with residue_core_i, residue_address_i, residue_data_i; constant_write_i with
// constant_core_i, constant_address_i, constant_data_i; control_i, slot_i, word_i for all cores; valid_o with sum_o:
// a word, or a whole sum, as whole_o says. Latency: sum_latency(Cores) from a step's last control.

module sum_of_products
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Cores = 8,
    parameter int unsigned Slots = 64,
    parameter int unsigned Constants = 1024,
    parameter int unsigned LinkWidth = 66,
    localparam int unsigned CoreIndex = index_width(Cores),
    localparam int unsigned SlotAddress = index_width(Slots),
    localparam int unsigned ConstantAddress = index_width(Constants)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       residue_write_i,
    input  logic [CoreIndex-1:0]       residue_core_i,
    input  logic [SlotAddress-1:0]     residue_address_i,
    input  logic [PrimeWidth-1:0]      residue_data_i,
    input  logic                       constant_write_i,
    input  logic [CoreIndex-1:0]       constant_core_i,
    input  logic [ConstantAddress-1:0] constant_address_i,
    input  logic [WordWidth-1:0]       constant_data_i,
    input  mac_control_t               control_i,
    input  logic [SlotAddress-1:0]     slot_i,
    input  logic [ConstantAddress-1:0] word_i,
    output logic                       valid_o,
    output logic                       whole_o,
    output logic [LinkWidth-1:0]       sum_o
);

  localparam int unsigned Arm = Cores / 2;

  // What the cores do, by their place in an arm.
  mac_control_t [Arm-1:0] control;
  logic [Arm-1:0][SlotAddress-1:0] slot;
  logic [Arm-1:0][ConstantAddress-1:0] word;

  assign control[0] = control_i;
  assign slot[0] = slot_i;
  assign word[0] = word_i;

  for (genvar place = 1; place < int'(Arm); place++) begin : gen_place
    always_ff @(posedge clk_i) begin
      control[place] <= control[place-1];
      slot[place] <= slot[place-1];
      word[place] <= word[place-1];
    end
  end

  logic [Cores-1:0][LinkWidth-1:0] link;

  for (genvar core = 0; core < int'(Cores); core++) begin : gen_core
    localparam bit Up = core < Arm;
    localparam int unsigned Place = Up ? core : Cores - 1 - core;
    logic [LinkWidth-1:0] heard;

    if (Place == 0) begin : gen_end
      assign heard = '0;
    end else begin : gen_neighbour
      assign heard = Up ? link[core-1] : link[core+1];
    end

    multiply_accumulate #(
        .Slots(Slots),
        .Constants(Constants),
        .LinkWidth(LinkWidth)
    ) u_core (
        .clk_i,
        .residue_write_i(residue_write_i && residue_core_i == CoreIndex'(core)),
        .residue_address_i,
        .residue_data_i,
        .constant_write_i(constant_write_i && constant_core_i == CoreIndex'(core)),
        .constant_address_i,
        .constant_data_i,
        .control_i(control[Place]),
        .slot_i(slot[Place]),
        .word_i(word[Place]),
        .link_i(heard),
        .link_o(link[core])
    );
  end

  // The control of the arms' last cores, in the cycle of their links.
  mac_control_t [MacLatency-1:0] control_q;
  mac_control_t joined;
  logic carry_q;
  logic [LinkWidth-1:0] sum;

  assign joined = control_q[MacLatency-1];
  assign sum = link[Arm-1] + link[Arm] + LinkWidth'(carry_q && !joined.opening);

  always_ff @(posedge clk_i) begin
    control_q <= {control_q[MacLatency-2:0], control[Arm-1]};
    valid_o <= rst_ni && joined.valid && joined.last;
    whole_o <= joined.whole;
    sum_o <= joined.whole ? sum : LinkWidth'(sum[WordWidth-1:0]);
    if (joined.valid && joined.last) carry_q <= sum[WordWidth];
  end

  logic unused;
  assign unused = joined.first;

  if (Cores < 2 || Cores % 2 != 0) begin : gen_check_cores
    $error("sum_of_products: Cores must be even");
  end
  if (LinkWidth <= WordWidth) begin : gen_check_link
    $error("sum_of_products: a link holds the sum of two words");
  end

endmodule
