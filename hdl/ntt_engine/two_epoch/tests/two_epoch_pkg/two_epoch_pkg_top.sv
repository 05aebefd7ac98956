// Values of the package's functions as outputs, for its bench.

module two_epoch_pkg_top
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned UnitLatency = 25
) (
    input  int unsigned step_i,
    input  int unsigned tile_i,
    input  address_t    distance_i,
    input  address_t    packet_i,
    input  address_t    from_i,
    input  logic        intra_i,
    output address_t    read_even_o,
    output address_t    read_odd_o,
    output logic        read_parity_o,
    output logic [11:0] factor_o,
    output logic [1:0]  enable_o,
    output address_t    write_even_o,
    output address_t    write_odd_o,
    output logic        write_parity_o,
    output int unsigned steps_o,
    output int unsigned exchange_step_o,
    output int unsigned bit_o,
    output int unsigned gap_o,
    output int unsigned exchange_o,
    output int unsigned return_delay_o,
    output int unsigned forward_o,
    output int unsigned back_o
);

  assign steps_o = step_count(Network, Tiles);
  assign exchange_step_o = exchange_step(Tiles);
  assign bit_o = step_bit(Network, Tiles, step_i);
  assign gap_o = step_gap(Network, Tiles, UnitLatency, step_i);
  assign exchange_o = exchange_cycles(Network, Tiles, UnitLatency);
  assign return_delay_o = return_delay(Tiles, UnitLatency);
  assign forward_o = transform_cycles(Network, Tiles, UnitLatency, 1'b0);
  assign back_o = transform_cycles(Network, Tiles, UnitLatency, 1'b1);

  // What a tile reads and writes in an exchange on the ring, in a pass of high factors.
  transfer_t transfer;
  read_t read;
  write_t write;

  always_comb begin
    transfer = '0;
    transfer.deposit = 1'b1;
    transfer.intra = intra_i;
    transfer.distance = distance_i;
    transfer.packet = packet_i;
    transfer.step = from_i;
    read = read_pair('0, address_t'(1), 1'b1);
    read.exchange = 1'b1;
    read = ring_read(Tiles, tile_i, read, transfer);
    write = ring_write(Tiles, tile_i, '0, transfer);
  end

  assign {read_odd_o, read_even_o} = read.address;
  assign read_parity_o = read.parity;
  assign factor_o = read.factor;
  assign enable_o = write.enable;
  assign {write_odd_o, write_even_o} = write.address;
  assign write_parity_o = write.parity;

  logic unused;
  assign unused = ^{read, write};

endmodule
