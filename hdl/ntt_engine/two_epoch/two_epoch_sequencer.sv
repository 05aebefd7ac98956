// The order of a transform: passes, gaps, the exchange (see two_epoch_pkg).
//
// Both directions read the same places in the same order; they differ in operations and factors, and in the last pass:
// back, each of its pairs is read twice, and each word of the pair multiplied and written once.
//
// Ports: clk_i, rst_ni; start_i, while not active_o; inverse_i, source_i, destination_i (buffers), taken with start_i;
// read_o; write_o, retire_latency(UnitLatency) cycles later, the write of its results; issue_o, what the network will
// do when the words that read_o reads have come to it; transfer_o, what it does now; active_o, from two cycles before
// the first read of a memory to two cycles before the last write.
// Latency: 2 from start_i to the first read_o.

`include "assertions.svh"

module two_epoch_sequencer
  import ringmill_pkg::*;
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned UnitLatency = 20
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      start_i,
    input  logic      inverse_i,
    input  logic      source_i,
    input  logic      destination_i,
    output read_t     read_o,
    output write_t    write_o,
    output transfer_t issue_o,
    output transfer_t transfer_o,
    output logic      active_o
);

  localparam int unsigned Bits = $clog2(Tiles);
  localparam int unsigned SlotBits = Bits - 1;
  localparam int unsigned Steps = step_count(Network, Tiles);
  localparam int unsigned StepWidth = index_width(Steps);
  localparam int unsigned Drain = access_latency(UnitLatency) - 1;
  localparam int unsigned Delay = retire_latency(UnitLatency);
  localparam int unsigned WaitWidth = $clog2(Drain + 1);

  // What depends on the step alone.
  typedef struct packed {
    address_t mask;
    logic [WaitWidth-1:0] gap;
  } step_t;

  function automatic step_t [Steps-1:0] step_table();
    step_t [Steps-1:0] result;
    for (int unsigned step = 0; step < Steps; step++) begin
      result[step].mask = address_t'(1) << step_bit(Network, Tiles, step);
      result[step].gap = WaitWidth'(step_gap(Network, Tiles, UnitLatency, step));
    end
    return result;
  endfunction

  localparam step_t [Steps-1:0] StepTable = step_table();

  typedef enum logic [2:0] {
    StateIdle,
    StatePass,
    StateExchange,
    StateGap,
    StateDrain
  } state_e;

  state_e state_q;
  state_e next_state;
  logic [StepWidth-1:0] step_q;
  logic [SlotBits-1:0] slot_q;
  logic again_q;
  logic [WaitWidth-1:0] wait_q;
  logic inverse_q;
  logic source_q;
  logic destination_q;
  logic exchange_done;

  step_t now;
  logic first_epoch;
  logic scaled;
  logic last_step;
  logic step_done;
  logic before_exchange;

  assign now = StepTable[step_q];
  assign first_epoch = step_q < StepWidth'(exchange_step(Tiles));
  assign last_step = step_q == StepWidth'(Steps - 1);
  assign before_exchange = step_q == StepWidth'(exchange_step(Tiles) - 1);
  assign scaled = inverse_q && last_step;
  assign step_done = state_q == StatePass ? &slot_q && (again_q || !scaled)
      : state_q == StateExchange && exchange_done;
  assign active_o = state_q != StateIdle;

  always_comb begin
    next_state = state_q;
    case (state_q)
      StateIdle: if (start_i) next_state = StatePass;
      StatePass, StateExchange: begin
        if (step_done) begin
          if (last_step) next_state = StateDrain;
          else if (now.gap != '0) next_state = StateGap;
          else next_state = before_exchange ? StateExchange : StatePass;
        end
      end
      // The step has been counted already.
      StateGap: begin
        if (wait_q == WaitWidth'(1)) begin
          next_state = step_q == StepWidth'(exchange_step(Tiles)) ? StateExchange : StatePass;
        end
      end
      default: if (wait_q == WaitWidth'(1)) next_state = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StateIdle;
    else state_q <= next_state;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      step_q <= '0;
      slot_q <= '0;
      again_q <= 1'b0;
      inverse_q <= inverse_i;
      source_q <= source_i;
      destination_q <= destination_i;
    end else if (state_q == StatePass) begin
      again_q <= scaled && !again_q;
      if (!scaled || again_q) slot_q <= slot_q + 1'b1;
    end
    if (step_done) begin
      step_q <= step_q + 1'b1;
      wait_q <= last_step ? WaitWidth'(Drain) : now.gap;
    end else begin
      wait_q <= wait_q - 1'b1;
    end
  end

  // The exchange: its reads, of the first or of the second epoch, and what the network does.
  logic exchange_read;
  logic exchange_return;
  address_t exchange_address;
  transfer_t transfer;

  if (Network == NetworkTransposer) begin : gen_transposer
    localparam int unsigned Cycles = exchange_cycles(Network, Tiles, UnitLatency);
    localparam int unsigned Return = return_delay(Tiles, UnitLatency);
    localparam int unsigned CycleWidth = $clog2(Cycles);
    logic [CycleWidth-1:0] cycle_q;
    logic [CycleWidth-1:0] return_cycle;

    always_ff @(posedge clk_i) begin
      if (state_q == StateExchange) cycle_q <= cycle_q + 1'b1;
      else cycle_q <= '0;
    end

    assign exchange_done = cycle_q == CycleWidth'(Cycles - 1);
    assign return_cycle = cycle_q - CycleWidth'(Return);
    // Odd cycles.
    assign exchange_return = cycle_q[0] && cycle_q >= CycleWidth'(Return);
    assign exchange_read = exchange_return || (!cycle_q[0] && cycle_q < CycleWidth'(Tiles));
    assign exchange_address = exchange_return ? address_t'(return_cycle) : address_t'(cycle_q);

    always_comb begin
      transfer = '0;
      transfer.load = state_q == StateExchange && cycle_q < CycleWidth'(Tiles);
      transfer.buffer = destination_q;
      transfer.step = address_t'(cycle_q);
    end
  end else begin : gen_ring
    localparam address_t LastPacket = address_t'(cluster_pairs(Tiles) - 1);
    address_t distance_q;
    address_t packet_q;
    address_t cycle_q;
    logic intra;
    logic packet_done;

    assign intra = distance_q == '0;
    assign packet_done = intra ? cycle_q[0] : cycle_q == distance_q + address_t'(cluster_pairs(Tiles));

    always_ff @(posedge clk_i) begin
      if (state_q != StateExchange) begin
        distance_q <= '0;
        packet_q <= '0;
        cycle_q <= '0;
      end else begin
        cycle_q <= packet_done ? '0 : cycle_q + 1'b1;
        if (packet_done) begin
          packet_q <= packet_q == LastPacket ? '0 : packet_q + 1'b1;
          if (packet_q == LastPacket) distance_q <= distance_q + 1'b1;
        end
      end
    end

    assign exchange_done = packet_done && packet_q == LastPacket && distance_q == address_t'(clusters(Tiles) - 1);
    assign exchange_return = 1'b0;
    assign exchange_read = cycle_q == '0;
    // Each cluster puts its own in its place.
    assign exchange_address = '0;

    always_comb begin
      transfer = '0;
      transfer.load = state_q == StateExchange && cycle_q == '0;
      transfer.hop = cycle_q != '0 && cycle_q <= distance_q;
      transfer.deposit = state_q == StateExchange && cycle_q > distance_q;
      transfer.intra = intra;
      transfer.buffer = destination_q;
      transfer.distance = distance_q;
      transfer.packet = packet_q;
      transfer.step = cycle_q - distance_q - 1'b1;
    end
  end

  // The pair to read.
  address_t slot;
  address_t pass_address;
  logic exchanging;
  logic second_epoch;
  logic high;
  read_t read;
  write_t write;

  assign slot = address_t'(slot_q);
  assign pass_address = ((slot & ~(now.mask - 1'b1)) << 1) | (slot & (now.mask - 1'b1));
  assign exchanging = state_q == StateExchange;
  assign second_epoch = exchanging ? exchange_return : !first_epoch;
  assign high = second_epoch == inverse_q;

  always_comb begin
    read = read_pair(exchanging ? exchange_address : pass_address, now.mask, high);
    read.operation = inverse_q ? ButterflyDecimate : ButterflyCombine;
    if (scaled && !again_q) begin
      read.operation = ButterflyScaleSum;
      read.keep = '0;
      read.factor = '0;
    end
    read.factor = read.factor | (FactorAddressWidth'({!high, inverse_q}) << Bits);
    read.buffer = second_epoch ? destination_q : source_q;
    read.exchange = exchanging && exchange_read && !exchange_return;
  end

  always_comb begin
    write = '0;
    if (exchanging) write.enable = {2{exchange_return}};
    else if (state_q == StatePass) write.enable = scaled ? {again_q, !again_q} : 2'b11;
    write.scaled = scaled;
    write.buffer = read.buffer;
    write.address = read.address;
    write.parity = read.parity;
    write.mask = read.mask;
  end

  always_ff @(posedge clk_i) begin
    read_o <= read;
    issue_o <= transfer;
  end

  // What comes when the words have gone through the butterflies.
  write_t [Delay:0] write_q;
  transfer_t [Delay:0] transfer_q;

  always_ff @(posedge clk_i) begin
    write_q <= {write_q[Delay-1:0], write};
    transfer_q <= {transfer_q[Delay-1:0], transfer};
    if (!rst_ni) begin
      for (int unsigned i = 0; i <= Delay; i++) begin
        write_q[i].enable <= '0;
        transfer_q[i].load <= 1'b0;
        transfer_q[i].deposit <= 1'b0;
      end
    end
  end

  assign write_o = write_q[Delay];
  assign transfer_o = transfer_q[Delay];

  `RINGMILL_ASSERT(GapCounts, state_q == StateGap |-> wait_q != '0, clk_i, !rst_ni)
  `RINGMILL_ASSERT(RingCopies, active_o && Network == NetworkRing |-> source_q != destination_q, clk_i, !rst_ni)

  if (Tiles < 4 || Tiles > 1 << AddressWidth || 1 << Bits != Tiles) begin : gen_check_tiles
    $error("two_epoch_sequencer: Tiles must be a power of two between 4 and 1024");
  end
  if (Network == NetworkRing && Tiles < 16) begin : gen_check_ring
    $error("two_epoch_sequencer: the ring needs at least 16 tiles");
  end

endmodule
