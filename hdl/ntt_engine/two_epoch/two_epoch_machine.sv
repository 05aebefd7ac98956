// The two-epoch engine with a host port: words by their index in natural order, before and after a transform.
//
// Entry i is word i / T of tile brv(i mod T), and value i after a forward transform is the polynomial's at omega^i.
// Constants: T words high forward, T high back, then for each tile T low forward and T low back (see two_epoch_pkg),
// all times R. Ring: transforms go from one buffer to the other and the host sees the one of the last result.
//
// Ports: clk_i, rst_ni, modulus_i (constant while busy); constant_write_i, constant_address_i, constant_data_i;
// word_write_i, word_address_i, word_data_i and word_read_i, while idle; word_valid_o, word_data_o, in order; start_i,
// while idle; inverse_i; busy_o; cycles_o, of the last transform, from its first read to its last write.
// Latency: OperandLatency + 1 from word_read_i to word_valid_o.

module two_epoch_machine
  import ringmill_pkg::*;
  import two_epoch_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 256,
    parameter network_e Network = NetworkTransposer,
    parameter int unsigned Width = 32,
    parameter int unsigned Word = 16,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Width-1:0] modulus_i,
    input  logic             constant_write_i,
    input  logic [31:0]      constant_address_i,
    input  logic [Width-1:0] constant_data_i,
    input  logic             word_write_i,
    input  logic [31:0]      word_address_i,
    input  logic [Width-1:0] word_data_i,
    input  logic             word_read_i,
    output logic             word_valid_o,
    output logic [Width-1:0] word_data_o,
    input  logic             start_i,
    input  logic             inverse_i,
    output logic             busy_o,
    output logic [31:0]      cycles_o
);

  localparam int unsigned IndexWidth = $clog2(Units);

  logic active;
  logic buffer_q;
  logic next_buffer;
  logic [IndexWidth-1:0] tile;
  logic factor_low;

  // The tile's number is the index backwards.
  for (genvar i = 0; i < int'(IndexWidth); i++) begin : gen_tile
    assign tile[i] = word_address_i[IndexWidth-1-i];
  end

  assign next_buffer = buffer_q ^ (Network == NetworkRing);
  assign factor_low = constant_address_i[31:IndexWidth+1] != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      buffer_q <= 1'b0;
      cycles_o <= '0;
    end else if (start_i) begin
      buffer_q <= next_buffer;
      cycles_o <= '0;
    end else begin
      cycles_o <= cycles_o + 32'(active);
    end
  end

  two_epoch #(
      .Tiles(Units),
      .Network(Network),
      .Width(Width),
      .Word(Word),
      .Pipeline(Pipeline)
  ) u_engine (
      .clk_i,
      .rst_ni,
      .modulus_i,
      .start_i,
      .inverse_i,
      .source_i(buffer_q),
      .destination_i(next_buffer),
      .busy_o,
      .active_o(active),
      .access_write_i(word_write_i),
      .access_read_i(word_read_i),
      .access_buffer_i(buffer_q),
      .access_tile_i(tile),
      .access_word_i(word_address_i[2*IndexWidth-1:IndexWidth]),
      .access_data_i(word_data_i),
      .access_valid_o(word_valid_o),
      .access_data_o(word_data_o),
      .factor_write_i(constant_write_i),
      .factor_all_i(!factor_low),
      .factor_tile_i(IndexWidth'(constant_address_i[2*IndexWidth+1:IndexWidth+1] - 1'b1)),
      .factor_address_i({factor_low, constant_address_i[IndexWidth:0]}),
      .factor_data_i(constant_data_i)
  );

  logic unused;
  assign unused = ^word_address_i;

  if (N != Units * Units) begin : gen_check_size
    $error("two_epoch_machine: N must be the square of Units, the words of a tile as many as the tiles");
  end
  if (Word > 2 * IndexWidth) begin : gen_check_word
    $error("two_epoch_machine: primes are 1 mod N, and so mod 2^Word only where Word is at most log2 N");
  end

endmodule
