// A transform engine whose units each read one bank only: NTT, inverse NTT, products and differences in place or from
// buffer to buffer (paper 1, algorithm 2; see dedicated_read_pkg for the places of words).
//
// All banks are read and written at the same addresses. A forward transform takes coefficients in their places and
// leaves values in theirs; an inverse transform takes these. It uses the factors of the forward one, not their
// inverses, and so leaves coefficient x at the place of -x mod N: a second table would be as great as the data. Who
// owns the buffer remembers that; a transform or product of reversed coefficients has reversed values, in the same way.
//
// Constants: word w of unit c's table is at w * Units + c. Pass p >= b multiplies by omega^(2^(k-1-p) j); the bits of j
// below b - 1 are those of c, bit p - 1 is the last one of c, and the bits between are a number f: w = 2^(p-b) + f. The
// few follow at (2^(a + 1) + i) * Units + c: i = p for passes p < b, whose j is c mod 2^p, then N^-1, then the
// correction. All are loaded times R (see butterfly).
//
// Ports: clk_i, rst_ni; modulus_i, constant while busy; constant_write_i, constant_address_i, constant_data_i while
// idle; start_i with operation_i, half_i, reversed_i, and the buffers' first addresses source_i, operand_i (products
// and differences) and destination_i; busy_o. To the banks: read_o, read_address_o, read_data_i ReadLatency cycles
// later; write_o, write_address_o, write_data_o; of each unit a word, the low half first.
// Latency: operation_cycles(...) from the first read, which is 2 cycles after start_i, to the last write.
// Banks that answer later than 1 cycle after the read count as slower units: unit_latency has ReadLatency - 1 more.

`include "assertions.svh"

module dedicated_read
  import ringmill_pkg::*;
  import dedicated_read_pkg::*;
#(
    parameter int unsigned N = 65536,
    parameter int unsigned Units = 16,
    parameter int unsigned Width = 30,
    parameter int unsigned Word = 16,
    parameter int unsigned AddressWidth = log2(bank_words(N, Units)),
    parameter int unsigned ReadLatency = 1,
    parameter pipeline_e Pipeline = PipelineDeep
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic [Width-1:0]                 modulus_i,
    input  logic                             constant_write_i,
    input  logic [31:0]                      constant_address_i,
    input  logic [Width-1:0]                 constant_data_i,
    input  logic                             start_i,
    input  operation_e                       operation_i,
    input  half_e                            half_i,
    input  logic                             reversed_i,
    input  logic [AddressWidth-1:0]          source_i,
    input  logic [AddressWidth-1:0]          operand_i,
    input  logic [AddressWidth-1:0]          destination_i,
    output logic                             busy_o,
    output logic                             read_o,
    output logic [AddressWidth-1:0]          read_address_o,
    input  logic [Units-1:0][1:0][Width-1:0] read_data_i,
    output logic                             write_o,
    output logic [AddressWidth-1:0]          write_address_o,
    output logic [Units-1:0][1:0][Width-1:0] write_data_o
);

  localparam int unsigned AddressBits = log2(bank_words(N, Units));
  localparam int unsigned UnitBits = log2(Units);
  localparam int unsigned Late = ReadLatency - 1;
  localparam int unsigned UnitLatency = Late + butterfly_latency(Width, Word, Pipeline);
  localparam int unsigned SlotLatency = slot_latency(UnitLatency);
  localparam int unsigned ControlBits = $bits(control_t);

  logic sequencer_write;
  logic [AddressBits-1:0] address;
  buffer_e buffer;
  logic factor_few;
  logic [AddressBits:0] factor_address;
  control_t control;

  dedicated_sequencer #(
      .N(N),
      .Units(Units),
      .UnitLatency(UnitLatency)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i,
      .operation_i,
      .half_i,
      .reversed_i,
      .busy_o,
      .read_o,
      .write_o(sequencer_write),
      .address_o(address),
      .buffer_o(buffer),
      .factor_few_o(factor_few),
      .factor_address_o(factor_address),
      .control_o(control)
  );

  // Buffers of the operation.
  logic [AddressWidth-1:0] source_q;
  logic [AddressWidth-1:0] operand_q;
  logic [AddressWidth-1:0] destination_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      source_q <= source_i;
      operand_q <= operand_i;
      destination_q <= destination_i;
    end
  end

  // What belongs to an operation, from its read to its write; entry i is i + 1 cycles old.
  logic [SlotLatency-1:0] write_q;
  logic [SlotLatency-1:0][AddressBits-1:0] address_q;
  logic [OperandLatency+UnitLatency-1:0][ControlBits-1:0] control_q;

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni ? {write_q[SlotLatency-2:0], sequencer_write} : '0;
    address_q <= {address_q[SlotLatency-2:0], address};
    control_q <= {control_q[OperandLatency+UnitLatency-2:0], control};
  end

  always_comb begin
    case (buffer)
      BufferSource: read_address_o = source_q | AddressWidth'(address);
      BufferOperand: read_address_o = operand_q | AddressWidth'(address);
      default: read_address_o = destination_q | AddressWidth'(address);
    endcase
  end

  assign write_o = write_q[SlotLatency-1];
  assign write_address_o = destination_q | AddressWidth'(address_q[SlotLatency-1]);

  // Factors and controls wait for the words of late banks.
  typedef struct packed {
    logic                 read;
    logic                 few;
    logic [AddressBits:0] address;
  } factor_t;

  factor_t [Late:0] factor;

  assign factor[0] = {read_o, factor_few, factor_address};
  for (genvar i = 0; i < int'(Late); i++) begin : gen_late
    always_ff @(posedge clk_i) factor[i+1] <= factor[i];
  end

  // A constant's unit, and its word there.
  logic [31:0] constant_word;
  logic constant_few;

  assign constant_word = constant_address_i >> UnitBits;
  assign constant_few = constant_word[AddressBits+1];

  logic [Units-1:0][Width-1:0] upper;
  logic [Units-1:0][Width-1:0] lower;

  for (genvar unit = 0; unit < int'(Units); unit++) begin : gen_unit
    dedicated_core #(
        .N(N),
        .Units(Units),
        .Width(Width),
        .Word(Word),
        .Pipeline(Pipeline),
        .First(unit == 0)
    ) u_core (
        .clk_i,
        .modulus_i,
        .constant_write_i(constant_write_i && constant_address_i[UnitBits-1:0] == UnitBits'(unit)),
        .constant_few_i(constant_few),
        .constant_address_i(constant_word[AddressBits:0]),
        .constant_data_i,
        .read_i(factor[Late].read),
        .factor_few_i(factor[Late].few),
        .factor_address_i(factor[Late].address),
        .word_i(read_data_i[unit]),
        .control_i(control_t'(control_q[OperandLatency-2+Late])),
        .upper_o(upper[unit]),
        .lower_o(lower[unit])
    );
  end

  dedicated_exchange #(
      .Units(Units),
      .Width(Width)
  ) u_exchange (
      .clk_i,
      .upper_i(upper),
      .lower_i(lower),
      .control_i(control_t'(control_q[OperandLatency+UnitLatency-1])),
      .words_o(write_data_o)
  );

  logic unused;
  assign unused = ^constant_word;

  `RINGMILL_ASSERT(ConstantsWhileIdle, constant_write_i |-> !busy_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(BuffersAligned, start_i |-> (source_i[AddressBits-1:0] | destination_i[AddressBits-1:0]
                   | operand_i[AddressBits-1:0]) == '0, clk_i, !rst_ni)

  if (AddressWidth < AddressBits) begin : gen_check_address
    $error("dedicated_read: AddressWidth must be at least log2(N / (2 * Units))");
  end
  if (ReadLatency < 1) begin : gen_check_latency
    $error("dedicated_read: banks answer 1 cycle after the read or later");
  end

endmodule
