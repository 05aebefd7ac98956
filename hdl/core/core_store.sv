// The core's store unit: limbs and strips of limbs from buffers into memory.
//
// It reads a beat's words every cycle from as many banks, in natural order. Beats wait in a queue for the bus; a read
// begins only when the queue has a place for its beat, so nothing is lost where the bus pauses.
//
// Ports: clk_i, rst_ni; start_i, instruction_i, done_o and error_o as core_pkg has them; the store read port of
// limb_memory; the request, the data and the end of axi_write_master.
// Latency: 1 from start_i to the request and to the first read, BankLatency + 2 from a read to its beat, 1 from
// write_done_i to done_o.

`include "assertions.svh"

module core_store
  import ringmill_pkg::*;
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 50,
    parameter int unsigned DataWidth = 256,
    localparam int unsigned Banks = 2 * Units,
    localparam int unsigned SlotBits = slot_bits(N, Units)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,

    input  logic                        start_i,
    input  instruction_t                instruction_i,
    output logic                        done_o,
    output error_e                      error_o,

    output logic                        store_read_o,
    output logic [BufferWidth-1:0]      store_read_buffer_o,
    output logic [SlotBits-1:0]         store_read_address_o,
    input  logic [Banks-1:0][Width-1:0] store_read_data_i,

    output logic                        request_valid_o,
    input  logic                        request_ready_i,
    output logic [63:0]                 request_address_o,
    output logic [31:0]                 request_beats_o,
    output logic                        data_valid_o,
    input  logic                        data_ready_i,
    output logic [DataWidth-1:0]        data_o,
    input  logic                        write_done_i,
    input  logic                        write_error_i
);

  localparam int unsigned Words = DataWidth / 64;
  localparam int unsigned WordIndex = index_width(Words);
  localparam int unsigned BankBits = bank_bits(Units);

  // A beat every cycle needs a place for each on its way: through the banks, into and out of the queue, and for the
  // cycle in which a place that falls free is counted.
  localparam int unsigned Places = BankLatency + 3;
  localparam int unsigned PlacesWidth = index_width(Places + 1);

  logic reading_q;
  logic [2:0] log_rows_q;
  logic [MaxLogRows-1:0] strip_q;
  logic [MaxLogRows-1:0] row_q;
  logic [PlacesWidth-1:0] free_q;
  logic last;
  logic [BankBits-1:0] bank;

  assign store_read_o = reading_q && free_q != '0;
  assign request_beats_o = 32'(N / Words) >> log_rows_q;

  limb_walk #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Words(Words)
  ) u_walk (
      .clk_i,
      .rst_ni,
      .log_rows_i(log_rows_q),
      .strip_i(strip_q),
      .row_i(row_q),
      .advance_i(store_read_o),
      .bank_o(bank),
      .address_o(store_read_address_o),
      .last_o(last)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      request_valid_o <= 1'b0;
      free_q <= PlacesWidth'(Places);
    end else begin
      reading_q <= start_i || reading_q && !(store_read_o && last);
      request_valid_o <= start_i || request_valid_o && !request_ready_i;
      free_q <= free_q - PlacesWidth'(store_read_o) + PlacesWidth'(data_valid_o && data_ready_i);
    end
    if (start_i) begin
      store_read_buffer_o <= instruction_i.a;
      log_rows_q <= instruction_i.count[2:0];
      strip_q <= instruction_i.operation;
      row_q <= instruction_i.b;
      request_address_o <= instruction_i.immediate
          + 64'({instruction_i.operation, $clog2(8 * N)'(0)} >> instruction_i.count[2:0]);
    end
  end

  // The first word's bank when the words come; word k's is that XOR k, so all are in a group of Words banks.
  logic [BankLatency-1:0] valid_q;
  logic [BankLatency-1:0][BankBits-1:0] bank_q;
  logic [Words-1:0][Width-1:0] group;
  logic beat_valid_q;
  logic [Words-1:0][Width-1:0] beat_q;

  always_comb begin
    for (int unsigned k = 0; k < Words; k++) begin
      group[k] = store_read_data_i[BankBits'(32'(bank_q[BankLatency-1]) / Words * Words + k)];
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[BankLatency-2:0], store_read_o} : '0;
    bank_q <= {bank_q[BankLatency-2:0], bank};
    beat_valid_q <= rst_ni && valid_q[BankLatency-1];
    for (int unsigned k = 0; k < Words; k++) begin
      beat_q[k] <= group[WordIndex'(k ^ 32'(bank_q[BankLatency-1]) % Words)];
    end
  end

  logic room;
  logic [Words-1:0][Width-1:0] beat;

  stream_fifo #(
      .Width(Words * Width),
      .Depth(Places)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .valid_i(beat_valid_q),
      .ready_o(room),
      .data_i(beat_q),
      .valid_o(data_valid_o),
      .ready_i(data_ready_i),
      .data_o(beat)
  );

  always_comb begin
    for (int unsigned k = 0; k < Words; k++) data_o[64*k+:64] = 64'(beat[k]);
  end

  always_ff @(posedge clk_i) begin
    done_o <= rst_ni && write_done_i;
    error_o <= write_error_i ? ErrorWrite : ErrorNone;
  end

  // What other units need of the instruction, and the room that is always there.
  logic unused;
  assign unused = ^{instruction_i.destination, instruction_i.slot, instruction_i.count[5:3], room};

  `RINGMILL_ASSERT(StartsIdle, start_i |-> !reading_q && !request_valid_o && free_q == PlacesWidth'(Places),
                   clk_i, !rst_ni)
  `RINGMILL_ASSERT(Known, start_i |-> instruction_i.opcode == OpcodeStore, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Room, beat_valid_q |-> room, clk_i, !rst_ni)

  if (DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin : gen_check_data
    $error("core_store: DataWidth must be 64, 128 or 256");
  end
  if (Width < 2 || Width > 63) begin : gen_check_width
    $error("core_store: Width must be from 2 to 63");
  end

endmodule
