// two_epoch_tile with the fields of its commands as ports.

module two_epoch_tile_top
  import ringmill_pkg::*;
  import two_epoch_pkg::*;
#(
    parameter int unsigned Tiles = 256,
    parameter int unsigned Buffers = 2,
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep,
    localparam int unsigned IndexWidth = $clog2(Tiles)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [Width-1:0]      modulus_i,
    input  logic [IndexWidth-1:0] skew_i,
    input  logic [2:0]            operation_i,
    input  logic                  read_buffer_i,
    input  address_t              read_even_i,
    input  address_t              read_odd_i,
    input  logic                  read_parity_i,
    input  address_t              read_mask_i,
    input  address_t              read_keep_i,
    input  logic [11:0]           factor_i,
    input  logic [1:0]            enable_i,
    input  logic [1:0]            source_i,
    input  logic                  scaled_i,
    input  logic                  write_buffer_i,
    input  address_t              write_even_i,
    input  address_t              write_odd_i,
    input  logic                  write_parity_i,
    input  address_t              write_mask_i,
    input  logic [1:0][Width-1:0] network_i,
    input  logic [Width-1:0]      host_i,
    output logic [1:0][Width-1:0] network_o,
    output logic [Width-1:0]      word_o,
    input  logic                  factor_write_i,
    input  logic [IndexWidth+1:0] factor_address_i,
    input  logic [Width-1:0]      factor_data_i
);

  read_t read;
  write_t write;

  always_comb begin
    read = '0;
    read.operation = butterfly_e'(operation_i);
    read.buffer = read_buffer_i;
    read.address = {read_odd_i, read_even_i};
    read.parity = read_parity_i;
    read.mask = read_mask_i;
    read.keep = read_keep_i;
    read.factor = factor_i;
    write = '0;
    write.enable = enable_i;
    write.source = source_e'(source_i);
    write.scaled = scaled_i;
    write.buffer = write_buffer_i;
    write.address = {write_odd_i, write_even_i};
    write.parity = write_parity_i;
    write.mask = write_mask_i;
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
      .skew_i,
      .read_i(read),
      .write_i(write),
      .network_i,
      .host_i,
      .network_o,
      .word_o,
      .factor_write_i,
      .factor_address_i,
      .factor_data_i
  );

  logic unused;
  assign unused = rst_ni;

endmodule
