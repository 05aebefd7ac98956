// two_epoch_sequencer with the fields of its commands as ports.

module two_epoch_sequencer_top
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned UnitLatency = 20
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,
    input  logic        inverse_i,
    input  logic        source_i,
    input  logic        destination_i,
    output logic [2:0]  operation_o,
    output logic        read_buffer_o,
    output address_t    read_even_o,
    output address_t    read_odd_o,
    output logic        read_parity_o,
    output address_t    read_mask_o,
    output address_t    read_keep_o,
    output logic [11:0] factor_o,
    output logic        exchange_o,
    output logic [1:0]  enable_o,
    output logic        scaled_o,
    output logic        write_buffer_o,
    output address_t    write_even_o,
    output address_t    write_odd_o,
    output logic        write_parity_o,
    output address_t    write_mask_o,
    output transfer_t   issue_o,
    output transfer_t   transfer_o,
    output logic        active_o
);

  read_t read;
  write_t write;

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
      .read_o(read),
      .write_o(write),
      .issue_o,
      .transfer_o,
      .active_o
  );

  assign operation_o = read.operation;
  assign read_buffer_o = read.buffer;
  assign {read_odd_o, read_even_o} = read.address;
  assign read_parity_o = read.parity;
  assign read_mask_o = read.mask;
  assign read_keep_o = read.keep;
  assign factor_o = read.factor;
  assign exchange_o = read.exchange;
  assign enable_o = write.enable;
  assign scaled_o = write.scaled;
  assign write_buffer_o = write.buffer;
  assign {write_odd_o, write_even_o} = write.address;
  assign write_parity_o = write.parity;
  assign write_mask_o = write.mask;

  logic unused;
  assign unused = ^write;

endmodule
