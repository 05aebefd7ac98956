// Conversions on tiles: a program that all tiles run in lockstep, each on its own coefficient
// (docs/machines/tile-conversion.md).
//
// The constants are the same for all tiles, so there is one memory of them, and not one in each.
//
// Ports: clk_i, rst_ni; host_target_i says what host_write_i writes: the program, constants, or words of tile host_tile_i,
// a bit of host_mask_i for each; host_address_i, host_data_i. While idle host_data_o has the triple of that tile and
// address, OperandLatency later. start_i with length_i, the operations of the program; busy_o until all results are
// written.
// Cycles: busy_o is 1 for StartLatency, a cycle for each triple, and TileLatency after the last and before each operation
// that waits.

`include "assertions.svh"

module tile_conversion
  import ringmill_pkg::*;
  import tile_conversion_pkg::*;
#(
    parameter int unsigned Tiles = 4,
    localparam int unsigned TileBits = index_width(Tiles)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            host_write_i,
    input  logic [1:0]                      host_target_i,
    input  logic [TileBits-1:0]             host_tile_i,
    input  logic [ConstantBits-1:0]         host_address_i,
    input  logic [Lanes-1:0]                host_mask_i,
    input  logic [Lanes-1:0][WordWidth-1:0] host_data_i,
    output logic [Lanes-1:0][WordWidth-1:0] host_data_o,
    input  logic                            start_i,
    input  logic [OperationBits:0]          length_i,
    output logic                            busy_o
);

  localparam logic [1:0] TargetProgram = 2'd0;
  localparam logic [1:0] TargetConstants = 2'd1;
  localparam logic [1:0] TargetWords = 2'd2;

  localparam int unsigned OperationWidth = $bits(operation_t);
  localparam int unsigned QueueDepth = 4;
  localparam int unsigned DrainBits = index_width(TileLatency + 1);

  // Operations are read ahead, as many as the queue has room for.
  logic [OperationBits:0] left_q;
  logic [OperationBits-1:0] fetch_q;
  logic [2:0] credit_q;
  logic fetch;
  logic fetched_q;
  logic [OperationWidth-1:0] fetched;
  operation_t operation;
  logic [OperationWidth-1:0] operation_bits;
  logic valid;
  logic take;

  assign fetch = left_q != '0 && credit_q != '0;

  ram_simple_dual #(
      .Width(OperationWidth),
      .Depth(1 << OperationBits)
  ) u_program (
      .clk_i,
      .write_i(host_write_i && host_target_i == TargetProgram),
      .write_address_i(host_address_i[OperationBits-1:0]),
      .write_data_i(OperationWidth'(host_data_i)),
      .read_i(fetch),
      .read_address_i(fetch_q),
      .read_data_o(fetched)
  );

  logic unused_ready;

  stream_fifo #(
      .Width(OperationWidth),
      .Depth(QueueDepth)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .valid_i(fetched_q),
      .ready_o(unused_ready),
      .data_i(fetched),
      .valid_o(valid),
      .ready_i(take),
      .data_o(operation_bits)
  );

  assign operation = operation_t'(operation_bits);

  // A triple every cycle, unless an operation waits.
  logic [CountBits-1:0] triple_q;
  logic [DrainBits-1:0] drain_q;
  logic [OperationBits:0] issued_q;
  logic issue;
  logic first;
  logic last;

  assign first = triple_q == '0;
  assign last = triple_q + 1'b1 == operation.triples;
  assign issue = valid && !(first && operation.waits && drain_q != '0);
  assign take = issue && last;
  assign busy_o = issued_q != '0 || drain_q != '0;

  always_ff @(posedge clk_i) begin
    fetched_q <= fetch;
    if (issue) triple_q <= last ? '0 : triple_q + 1'b1;
    if (start_i) fetch_q <= '0;
    else if (fetch) fetch_q <= fetch_q + 1'b1;
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      triple_q <= '0;
      drain_q <= '0;
      left_q <= '0;
      issued_q <= '0;
      credit_q <= 3'(QueueDepth);
    end else begin
      drain_q <= issue ? DrainBits'(TileLatency) : drain_q - DrainBits'(drain_q != '0);
      left_q <= start_i ? length_i : left_q - (OperationBits + 1)'(fetch);
      issued_q <= start_i ? length_i : issued_q - (OperationBits + 1)'(take);
      credit_q <= credit_q - 3'(fetch) + 3'(take);
    end
  end

  // Constants.
  logic [Lanes-1:0][WordWidth-1:0] constants;

  ram_simple_dual #(
      .Width(Lanes * WordWidth),
      .Depth(1 << ConstantBits),
      .Style(RamBlock),
      .OutputRegister(1'b1)
  ) u_constants (
      .clk_i,
      .write_i(host_write_i && host_target_i == TargetConstants),
      .write_address_i(host_address_i),
      .write_data_i(host_data_i),
      .read_i(1'b1),
      .read_address_i(operation.constants + ConstantBits'(triple_q)),
      .read_data_o(constants)
  );

  // What goes with a triple, each at its time.
  chain_e chain_now;
  logic [1:0] chain;
  logic [WordWidth-1:0] modulus;
  result_t result_now;
  logic [$bits(result_t)-1:0] result;

  assign chain_now = !issue ? ChainHold : first ? operation.chain : ChainContinue;
  assign result_now = '{
      valid: take && operation.kind != KindKeep,
      residue: operation.kind == KindResidue,
      bank: operation.bank,
      address: operation.address
  };

  delay_line #(
      .Width(2),
      .Depth(PartLatency)
  ) u_chain (
      .clk_i,
      .enable_i(1'b1),
      .data_i(chain_now),
      .data_o(chain)
  );

  delay_line #(
      .Width(WordWidth),
      .Depth(SumLatency - ModulusLead)
  ) u_modulus (
      .clk_i,
      .enable_i(1'b1),
      .data_i(operation.modulus),
      .data_o(modulus)
  );

  delay_line #(
      .Width($bits(result_t)),
      .Depth(TileLatency)
  ) u_result (
      .clk_i,
      .enable_i(1'b1),
      .data_i(result_now),
      .data_o(result)
  );

  // Tiles.
  logic [TripleBits-1:0] address;
  logic [Tiles-1:0][Lanes-1:0][WordWidth-1:0] words;

  assign address = busy_o ? operation.operand + TripleBits'(triple_q) : host_address_i[TripleBits-1:0];
  assign host_data_o = words[host_tile_i];

  for (genvar tile = 0; tile < int'(Tiles); tile++) begin : gen_tile
    logic selected;
    assign selected = host_write_i && host_target_i == TargetWords && host_tile_i == TileBits'(tile);

    conversion_tile u_tile (
        .clk_i,
        .address_i(address),
        .constants_i(constants),
        .chain_i(chain_e'(chain)),
        .modulus_i(modulus),
        .result_i(result_t'(result)),
        .host_write_i(host_mask_i & {Lanes{selected}}),
        .host_address_i(host_address_i[TripleBits-1:0]),
        .host_data_i,
        .words_o(words[tile])
    );
  end

  `RINGMILL_ASSERT(Idle, start_i || host_write_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Credit, fetched_q |-> unused_ready, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Triples, valid |-> operation.triples != '0, clk_i, !rst_ni)

endmodule
