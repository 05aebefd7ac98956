// A tile: T words in each of Buffers buffers, four tables of factors, and a butterfly.
//
// Commands are the same for all tiles, or nearly; tile_i, the skew of its addresses, makes the difference (see
// two_epoch_pkg). A pair of words is read, meets the butterfly, and is written when the command to write it comes;
// the butterfly does every operation of `butterfly_e`, whatever the transforms use.
//
// Ports: clk_i, modulus_i (constant while words are in flight), skew_i (constant); read_i; write_i, with the
// butterfly's results, network_i or host_i, which write_i chooses from; network_o, the butterfly's results; word_o, the
// read pair's U; factor_write_i, factor_address_i, factor_data_i.
// Latency: OperandLatency from read_i to word_o, retire_latency(...) from read_i to network_o and to the write_i of
// the results. No reset.

module two_epoch_tile
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
    input  logic [Width-1:0]      modulus_i,
    input  logic [IndexWidth-1:0] skew_i,
    input  read_t                 read_i,
    input  write_t                write_i,
    input  logic [1:0][Width-1:0] network_i,
    input  logic [Width-1:0]      host_i,
    output logic [1:0][Width-1:0] network_o,
    output logic [Width-1:0]      word_o,
    input  logic                  factor_write_i,
    input  logic [IndexWidth+1:0] factor_address_i,
    input  logic [Width-1:0]      factor_data_i
);

  localparam int unsigned BankWidth = IndexWidth - 1;
  localparam int unsigned BufferWidth = index_width(Buffers);

  address_t skew;
  assign skew = address_t'(skew_i);

  // The command to read, made this tile's own.
  logic [1:0][BankWidth-1:0] read_address_q;
  logic [BufferWidth-1:0] read_buffer_q;
  logic [IndexWidth+1:0] factor_address_q;
  butterfly_e [1:0] operation_q;
  logic [1:0] read_exchange_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < 2; bank++) read_address_q[bank] <= read_i.address[bank][BankWidth-1:0];
    read_buffer_q <= BufferWidth'(read_i.buffer);
    factor_address_q <= read_i.factor[IndexWidth+1:0] ^ {2'b0, skew_i & read_i.keep[IndexWidth-1:0]};
    operation_q <= {operation_q[0], read_i.operation};
    read_exchange_q <= {read_exchange_q[0], read_i.parity ^ (|(read_i.mask & skew))};
  end

  // The command to write, with the words.
  logic write_exchange;
  logic [1:0] write_enable_q;
  logic [1:0][BankWidth-1:0] write_address_q;
  logic [BufferWidth-1:0] write_buffer_q;
  logic [1:0][Width-1:0] result;
  logic [1:0][Width-1:0] result_q;

  assign write_exchange = write_i.parity ^ (|(write_i.mask & skew));

  always_ff @(posedge clk_i) begin
    write_enable_q <= write_exchange ? {write_i.enable[0], write_i.enable[1]} : write_i.enable;
    for (int unsigned bank = 0; bank < 2; bank++) write_address_q[bank] <= write_i.address[bank][BankWidth-1:0];
    write_buffer_q <= BufferWidth'(write_i.buffer);
  end

  // Bank `write_exchange` has U's word, or the network's first.
  always_ff @(posedge clk_i) begin
    for (int unsigned bank = 0; bank < 2; bank++) begin
      case (write_i.source)
        SourceNetwork: result_q[bank] <= network_i[1'(bank)^write_exchange];
        SourceHost: result_q[bank] <= host_i;
        default: result_q[bank] <= result[(1'(bank)^write_exchange)||write_i.scaled];
      endcase
    end
  end

  logic [1:0][Width-1:0] words;

  for (genvar bank = 0; bank < 2; bank++) begin : gen_bank
    logic [BufferWidth+BankWidth-1:0] read_address;
    logic [BufferWidth+BankWidth-1:0] write_address;
    localparam int unsigned Depth = Buffers << BankWidth;
    localparam int unsigned DepthWidth = index_width(Depth);
    assign read_address = {read_buffer_q, read_address_q[bank]};
    assign write_address = {write_buffer_q, write_address_q[bank]};
    ram_simple_dual #(
        .Width(Width),
        .Depth(Depth)
    ) u_words (
        .clk_i,
        .write_i(write_enable_q[bank]),
        .write_address_i(write_address[DepthWidth-1:0]),
        .write_data_i(result_q[bank]),
        .read_i(1'b1),
        .read_address_i(read_address[DepthWidth-1:0]),
        .read_data_o(words[bank])
    );
    if (Buffers == 1) begin : gen_unused
      logic unused;
      assign unused = ^{read_address[DepthWidth], write_address[DepthWidth]};
    end
  end

  logic [Width-1:0] factor;

  ram_simple_dual #(
      .Width(Width),
      .Depth(4 * Tiles)
  ) u_factors (
      .clk_i,
      .write_i(factor_write_i),
      .write_address_i(factor_address_i),
      .write_data_i(factor_data_i),
      .read_i(1'b1),
      .read_address_i(factor_address_q),
      .read_data_o(factor)
  );

  // Operands of the butterfly.
  butterfly_e operand_operation_q;
  logic [Width-1:0] upper_q;
  logic [Width-1:0] lower_q;
  logic [Width-1:0] factor_q;

  always_ff @(posedge clk_i) begin
    operand_operation_q <= operation_q[1];
    upper_q <= words[read_exchange_q[1]];
    lower_q <= words[!read_exchange_q[1]];
    factor_q <= factor;
  end

  assign word_o = upper_q;

  butterfly #(
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_butterfly (
      .clk_i,
      .operation_i(operand_operation_q),
      .upper_i(upper_q),
      .lower_i(lower_q),
      .factor_i(factor_q),
      .modulus_i,
      .upper_o(result[0]),
      .lower_o(result[1])
  );

  assign network_o = result;

  // The engine's commands are for tiles of any size.
  logic unused;
  assign unused = ^{read_i, write_i};

  if (Tiles < 4 || Tiles > 1 << AddressWidth || 1 << IndexWidth != Tiles) begin : gen_check_tiles
    $error("two_epoch_tile: Tiles must be a power of two between 4 and 1024");
  end
  if (Buffers < 1 || Buffers > 2) begin : gen_check_buffers
    $error("two_epoch_tile: Buffers must be 1 or 2");
  end

endmodule
