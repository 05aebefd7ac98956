// The two-epoch engine: tiles in lockstep, their network and their sequencer.
//
// Tiles keep their words themselves; the access port reads and writes them by tile and number while the engine is not
// busy. A transform takes its words from one buffer and leaves them in another one, or in the same where the network is
// the transposer; the buffer that it takes them from is overwritten.
//
// Ports: clk_i, rst_ni, modulus_i (constant while busy); start_i, inverse_i, source_i, destination_i; busy_o; active_o,
// transform_cycles(...) cycles in each transform, from two cycles before its first read; access_write_i, access_read_i,
// access_buffer_i, access_tile_i, access_word_i, access_data_i; access_valid_o, access_data_o; factor_write_i,
// factor_all_i (all tiles, or that of factor_tile_i), factor_address_i, factor_data_i, the tables of two_epoch_pkg.
// Latency: AccessLatency from access_read_i to access_valid_o; a word every cycle.

`include "assertions.svh"

module two_epoch
  import ringmill_pkg::*;
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned IndexWidth = $clog2(Tiles)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [Width-1:0]      modulus_i,
    input  logic                  start_i,
    input  logic                  inverse_i,
    input  logic                  source_i,
    input  logic                  destination_i,
    output logic                  busy_o,
    output logic                  active_o,
    input  logic                  access_write_i,
    input  logic                  access_read_i,
    input  logic                  access_buffer_i,
    input  logic [IndexWidth-1:0] access_tile_i,
    input  logic [IndexWidth-1:0] access_word_i,
    input  logic [Width-1:0]      access_data_i,
    output logic                  access_valid_o,
    output logic [Width-1:0]      access_data_o,
    input  logic                  factor_write_i,
    input  logic                  factor_all_i,
    input  logic [IndexWidth-1:0] factor_tile_i,
    input  logic [IndexWidth+1:0] factor_address_i,
    input  logic [Width-1:0]      factor_data_i
);

  localparam int unsigned UnitLatency = butterfly_latency(Width, Word, Pipeline);
  localparam int unsigned Buffers = Network == NetworkRing ? 2 : 1;

  read_t sequencer_read;
  write_t sequencer_write;
  transfer_t issue;
  transfer_t transfer;
  logic [1:0] active_q;

  two_epoch_sequencer #(
      .Tiles(Tiles),
      .Network(Network),
      .UnitLatency(UnitLatency)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i,
      .inverse_i,
      .source_i,
      .destination_i,
      .read_o(sequencer_read),
      .write_o(sequencer_write),
      .issue_o(issue),
      .transfer_o(transfer),
      .active_o
  );

  // The last write comes two cycles later.
  always_ff @(posedge clk_i) active_q <= rst_ni ? {active_q[0], active_o} : '0;
  assign busy_o = active_o || active_q != '0;

  // Accesses are commands like the sequencer's, for the pair of which one word is wanted.
  address_t skew_of_tile;
  address_t access_address;
  read_t access_read;
  write_t access_write;
  logic [IndexWidth-1:0] access_tile_q[OperandLatency];
  logic [OperandLatency:0] access_valid_q;
  logic [Tiles-1:0][Width-1:0] word;

  assign skew_of_tile = Network == NetworkTransposer ? address_t'(access_tile_i) : '0;
  assign access_address = address_t'(access_word_i) ^ skew_of_tile;

  always_comb begin
    access_read = read_pair(access_address, '0, 1'b0);
    access_read.buffer = access_buffer_i;
    access_write = '0;
    access_write.source = SourceHost;
    access_write.buffer = access_buffer_i;
    access_write.address = access_read.address;
    access_write.parity = access_read.parity;
  end

  always_ff @(posedge clk_i) begin
    access_tile_q[0] <= access_tile_i;
    for (int unsigned i = 1; i < OperandLatency; i++) access_tile_q[i] <= access_tile_q[i-1];
    access_valid_q <= rst_ni ? {access_valid_q[OperandLatency-1:0], access_read_i} : '0;
    access_data_o <= word[access_tile_q[OperandLatency-1]];
  end

  assign access_valid_o = access_valid_q[OperandLatency];

  read_t read;
  logic [Tiles-1:0][1:0][Width-1:0] from_tile;
  logic [Tiles-1:0][1:0][Width-1:0] to_tile;
  read_t tile_read[Tiles];
  write_t tile_write[Tiles];

  assign read = busy_o ? sequencer_read : access_read;

  if (Network == NetworkTransposer) begin : gen_transposer
    localparam int unsigned Delay = transposer_latency(Tiles);
    write_t [Delay-1:0] deposit_q;
    logic pair_comes;

    assign pair_comes = transfer.load && !transfer.step[0];

    always_ff @(posedge clk_i) begin
      deposit_q <= {deposit_q[Delay-2:0], deposit_pair(pair_comes, transfer.buffer, transfer.step >> 1)};
      if (!rst_ni) begin
        for (int unsigned i = 0; i < Delay; i++) deposit_q[i].enable <= '0;
      end
    end

    two_epoch_transposer #(
        .Tiles(Tiles),
        .Width(Width)
    ) u_network (
        .clk_i,
        .step_i(transfer.step[IndexWidth-1:0]),
        .pair_i(from_tile),
        .pair_o(to_tile)
    );

    for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_command
      assign tile_read[tile] = read;
      assign tile_write[tile] = deposit_q[Delay-1].enable[0] ? deposit_q[Delay-1] : sequencer_write;
    end

    `RINGMILL_ASSERT(WritesAlternate, !(deposit_q[Delay-1].enable[0] && sequencer_write.enable != '0), clk_i, !rst_ni)

    logic unused;
    assign unused = ^{issue, transfer};
  end else begin : gen_ring
    two_epoch_ring #(
        .Tiles(Tiles),
        .Width(Width)
    ) u_network (
        .clk_i,
        .transfer_i(transfer),
        .pair_i(from_tile),
        .pair_o(to_tile)
    );

    for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_command
      assign tile_read[tile] = ring_read(Tiles, tile, read, issue);
      assign tile_write[tile] = ring_write(Tiles, tile, sequencer_write, transfer);
    end

    `RINGMILL_ASSERT(WritesAlternate, !(transfer.deposit && sequencer_write.enable != '0), clk_i, !rst_ni)
  end

  for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_tile
    write_t write;

    always_comb begin
      write = busy_o ? tile_write[tile] : access_write;
      if (!busy_o) write.enable = {1'b0, access_write_i && access_tile_i == IndexWidth'(tile)};
    end

    two_epoch_tile #(
        .Tiles(Tiles),
        .Buffers(Buffers),
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline)
    ) u_tile (
        .clk_i,
        .modulus_i,
        .skew_i(Network == NetworkTransposer ? IndexWidth'(tile) : '0),
        .read_i(tile_read[tile]),
        .write_i(write),
        .network_i(to_tile[tile]),
        .host_i(access_data_i),
        .network_o(from_tile[tile]),
        .word_o(word[tile]),
        .factor_write_i(factor_write_i && (factor_all_i || factor_tile_i == IndexWidth'(tile))),
        .factor_address_i,
        .factor_data_i
    );
  end

  `RINGMILL_ASSERT(AccessWhileIdle, busy_o |-> !(access_write_i || access_read_i), clk_i, !rst_ni)
  `RINGMILL_ASSERT(StartWhileIdle, busy_o |-> !start_i, clk_i, !rst_ni)

endmodule
