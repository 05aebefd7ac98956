// Adds a shift to the positions of words: the word at input u goes to output ((u ^ f) + s mod Lanes) ^ g, with s the
// shift, f read_flip and g write_flip.
//
// A butterfly network. Stage j exchanges the words of positions that differ in bit j, or not, and so makes bit j of a
// word's position that of its destination; it begins with the lowest. Two words that meet there have destinations of
// equal lower bits, so the lower bits of their u ^ f are equal as well, and the same carry goes into bit j of their
// sums. So they want different bits, and no two words want one place. The carry comes where the lower bits of the
// destination ^ g, which are those of the position, are below the shift's.
//
// Ports: clk_i; shift_i, read_flip_i, write_flip_i, one cycle (NetworkLead) before their words: data_i; data_o.
// Latency: lane_network_latency(Lanes, Pipeline) from data_i to data_o; Lanes words every cycle. No reset.

module lane_network
  import ringmill_pkg::*;
  import core_vector_pkg::*;
#(
    parameter int unsigned Width = 50,
    parameter int unsigned Lanes = 32,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned LaneBits = index_width(Lanes)
) (
    input  logic                        clk_i,
    input  logic [LaneBits-1:0]         shift_i,
    input  logic [LaneBits-1:0]         read_flip_i,
    input  logic [LaneBits-1:0]         write_flip_i,
    input  logic [Lanes-1:0][Width-1:0] data_i,
    output logic [Lanes-1:0][Width-1:0] data_o
);

  localparam int unsigned Period = lane_network_period(Pipeline);
  localparam int unsigned Latency = lane_network_latency(Lanes, Pipeline);

  typedef struct packed {
    logic [LaneBits-1:0] shift;
    logic [LaneBits-1:0] read_flip;
    logic [LaneBits-1:0] write_flip;
  } route_t;

  // The route that stage j's registers are about to take, and the words that stage j gives.
  route_t [Latency-1:0] route;
  logic [LaneBits-1:0][Lanes-1:0][Width-1:0] words;

  assign route[0] = {shift_i, read_flip_i, write_flip_i};

  for (genvar i = 1; i < int'(Latency); i++) begin : gen_route
    always_ff @(posedge clk_i) route[i] <= route[i-1];
  end

  for (genvar j = 0; j < int'(LaneBits); j++) begin : gen_stage
    localparam int unsigned Size = 1 << j;
    route_t now;
    logic [Lanes-1:0][Width-1:0] operands;
    logic [Lanes-1:0][Width-1:0] exchanged;
    logic [Size-1:0] exchange_q;

    assign now = route[j/int'(Period)];

    // By the lower bits of the position.
    for (genvar low = 0; low < int'(Size); low++) begin : gen_low
      logic carry;
      if (j == 0) begin : gen_none
        assign carry = 1'b0;
      end else begin : gen_compare
        assign carry = (j'(low) ^ now.write_flip[j-1:0]) < now.shift[j-1:0];
      end
      always_ff @(posedge clk_i) exchange_q[low] <= now.shift[j] ^ now.read_flip[j] ^ now.write_flip[j] ^ carry;
    end

    if (j == 0) begin : gen_first
      assign operands = data_i;
    end else begin : gen_next
      assign operands = words[j-1];
    end

    for (genvar lane = 0; lane < int'(Lanes); lane++) begin : gen_lane
      assign exchanged[lane] = exchange_q[lane%int'(Size)] ? operands[lane^int'(Size)] : operands[lane];
    end

    if ((j + 1) % int'(Period) == 0 || j + 1 == int'(LaneBits)) begin : gen_register
      always_ff @(posedge clk_i) words[j] <= exchanged;
    end else begin : gen_wire
      assign words[j] = exchanged;
    end

    logic unused;
    assign unused = ^now;
  end

  assign data_o = words[LaneBits-1];

  if (Lanes < 2 || 1 << LaneBits != Lanes) begin : gen_check_lanes
    $error("lane_network: Lanes must be a power of two and at least 2");
  end

endmodule
