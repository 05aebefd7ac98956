// What is wrong with an instruction: errors 1 to 10 and 19 of docs/machines/core.md, the first in their order, 19 behind 1.
//
// Ports: clk_i; descriptor_i; the state before it: loaded_i (slots), moduli_i, tables_i, shapes_i, full_i, rows_i and tags_i
// (of each buffer whether it has words, whether they are rows, and under which slot they were written); window_i,
// window_size_i (bytes). Then error_o; and, if there is none, instruction_o, unit_o, uses_o and writes_o (a bit a buffer).
// Latency: CheckLatency from descriptor_i and the state to all outputs.

module core_check
  import xor_banks_pkg::*;
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Slots = 2,
    parameter int unsigned Tables = 2,
    parameter int unsigned Width = 50
) (
    input  logic                            clk_i,
    input  descriptor_t                     descriptor_i,
    input  logic [Slots-1:0]                loaded_i,
    input  logic [Slots-1:0][Width-1:0]     moduli_i,
    input  logic [Tables-1:0]               tables_i,
    input  shape_t [Tables-1:0]             shapes_i,
    input  logic [Limbs-1:0]                full_i,
    input  logic [Limbs-1:0]                rows_i,
    input  logic [Limbs-1:0][SlotWidth-1:0] tags_i,
    input  logic [63:0]                     window_i,
    input  logic [63:0]                     window_size_i,
    output error_e                          error_o,
    output instruction_t                    instruction_o,
    output unit_e                           unit_o,
    output logic [Limbs-1:0]                uses_o,
    output logic [Limbs-1:0]                writes_o
);

  localparam logic [63:0] LimbBytes = 64'(8 * N);
  localparam logic [63:0] BlockBytes = 64'(8 * block_words(N, Units, Engine));
  localparam logic [63:0] TableBytes = 64'(8 * TableWords);
  localparam int unsigned SlotBits = slot_bits(N, Units);
  localparam int unsigned LogRows = SlotBits < MaxLogRows ? SlotBits : MaxLogRows;

  // The fields that an instruction uses.
  typedef struct packed {
    logic known;
    logic destination;
    logic a;
    logic b;
    logic slot;
    logic count;
    logic address;
    logic constant;
    logic shift;
    logic alone;  // the destination is no source
    logic rows;  // it names rows of buffers
    logic strip;  // and a strip and its row
    logic tables;  // its slot is a table
    logic convert;
    unit_e unit;
  } form_t;

  function automatic form_t form_of(logic [7:0] opcode, logic [7:0] operation, logic [7:0] count);
    form_t form;
    form = '0;
    form.unit = UnitVector;
    case (opcode)
      OpcodeLoad: begin
        form.strip = count != '0;
        form.rows = form.strip;
        form.known = operation == '0 || form.strip;
        {form.destination, form.address} = '1;
        form.slot = !form.strip;
        form.count = form.strip;
        form.unit = UnitLoad;
      end
      OpcodeTable: begin
        form.known = operation == '0;
        {form.slot, form.address, form.tables} = '1;
        form.unit = UnitLoad;
      end
      OpcodeConstants: begin
        form.known = operation == '0;
        {form.slot, form.address} = '1;
        form.unit = UnitLoad;
      end
      OpcodeStore: begin
        form.strip = count != '0;
        form.rows = form.strip;
        form.known = operation == '0 || form.strip;
        {form.a, form.address} = '1;
        form.slot = !form.strip;
        form.count = form.strip;
        form.unit = UnitStore;
      end
      OpcodeConvert: begin
        form.known = operation == '0;
        {form.destination, form.a, form.b, form.slot, form.count, form.rows, form.tables, form.convert} = '1;
        form.unit = UnitConversion;
      end
      OpcodeNtt: begin
        form.known = operation <= 8'd1;
        {form.destination, form.a, form.slot} = '1;
        form.unit = UnitTransform;
      end
      OpcodeVector: begin
        form.known = operation <= 8'(VectorFill);
        {form.destination, form.slot} = '1;
        form.a = operation != 8'(VectorFill);
        form.b = operation inside {8'(VectorAdd), 8'(VectorSubtract), 8'(VectorMultiply)};
        form.constant = operation inside {8'(VectorScale), 8'(VectorFill)};
      end
      OpcodeMac: begin
        form.known = operation == '0;
        {form.destination, form.a, form.b, form.slot, form.count, form.alone} = '1;
      end
      OpcodeAutomorphism: begin
        // A Fermat ring's; the engine with dedicated reads has none.
        form.known = operation == '0 && Engine == EngineXorBanks;
        {form.destination, form.a, form.slot, form.shift, form.alone} = '1;
      end
      OpcodeWait, OpcodeInterrupt: form.known = operation == '0;
      default: form.known = 1'b0;
    endcase
    if (Engine != EngineXorBanks && (form.rows || form.tables)) form.known = 1'b0;
    return form;
  endfunction

  // The first stage: the form, and the buffers of the operands, from the first one on to the last.
  descriptor_t d_q;
  form_t form;
  form_t form_q;
  shape_t shape;
  logic converts_own;
  logic [2:0] log_rows;
  logic [8:0] a_buffers, b_buffers, destination_buffers;
  logic [8:0] a_end_q, b_end_q, destination_end_q;
  logic reads_b_q;
  logic unused;
  logic [Limbs-1:0] sources_q;
  logic [Limbs-1:0] destination_q;

  // How many buffers so many rows take from a row on.
  function automatic logic [8:0] buffers_of(logic [MaxLogRows-1:0] row, logic [5:0] rows, logic [2:0] log);
    return ((9'(row) + 9'(rows) - 9'd1) >> log) + 9'd1;
  endfunction

  assign form = form_of(descriptor_i.opcode, descriptor_i.operation, descriptor_i.count);
  assign unused = shape.half ^ shape.low;
  assign log_rows = descriptor_i.count[2:0];
  assign converts_own = form.convert && shape.own;

  always_comb begin
    shape = '0;
    for (int unsigned t = 0; t < Tables; t++) begin
      if (descriptor_i.slot == 8'(t) && tables_i[t]) shape = shapes_i[t];
    end
    a_buffers = descriptor_i.opcode == OpcodeMac ? {1'b0, descriptor_i.count} : 9'd1;
    b_buffers = a_buffers;
    destination_buffers = 9'd1;
    if (form.convert) begin
      a_buffers = buffers_of(descriptor_i.immediate[MaxLogRows-1:0], {1'b0, shape.sources}, log_rows);
      b_buffers = buffers_of(descriptor_i.immediate[8+:MaxLogRows], shape.targets, log_rows);
      destination_buffers = buffers_of(descriptor_i.immediate[16+:MaxLogRows], shape.targets, log_rows);
    end
  end

  always_ff @(posedge clk_i) begin
    d_q <= descriptor_i;
    form_q <= form;
    a_end_q <= {1'b0, descriptor_i.a} + a_buffers;
    b_end_q <= {1'b0, descriptor_i.b} + b_buffers;
    destination_end_q <= {1'b0, descriptor_i.destination} + destination_buffers;
    reads_b_q <= form.b && (!form.convert || converts_own);
    for (int unsigned l = 0; l < Limbs; l++) begin
      sources_q[l] <= (form.a && 8'(l) >= descriptor_i.a && 9'(l) < {1'b0, descriptor_i.a} + a_buffers)
          || (form.b && (!form.convert || converts_own) && 8'(l) >= descriptor_i.b
              && 9'(l) < {1'b0, descriptor_i.b} + b_buffers);
      destination_q[l] <= form.destination && 8'(l) >= descriptor_i.destination
          && 9'(l) < {1'b0, descriptor_i.destination} + destination_buffers;
    end
  end

  // The second stage: all checks.
  function automatic logic exists(logic [7:0] row, logic [2:0] log);
    return (row >> log) == '0;
  endfunction

  logic table_there;
  logic rows_there;
  logic [64:0] offset;
  logic [63:0] bytes;
  logic [SlotWidth-1:0] slot;
  logic [Width-1:0] modulus;
  logic [Limbs-1:0] foreign;
  logic [10:1] wrong;
  logic wrong_rows;

  always_comb begin
    case (d_q.opcode)
      OpcodeConstants: bytes = BlockBytes;
      OpcodeTable: bytes = TableBytes;
      default: bytes = LimbBytes;
    endcase
  end

  assign offset = {1'b0, d_q.immediate} - {1'b0, window_i};
  assign slot = d_q.slot[SlotWidth-1:0];

  always_comb begin
    modulus = '0;
    wrong[3] = form_q.slot && !form_q.tables;
    table_there = 1'b0;
    for (int unsigned t = 0; t < Tables; t++) begin
      if (d_q.slot == 8'(t)) table_there = !form_q.convert || tables_i[t];
    end
    for (int unsigned s = 0; s < Slots; s++) begin
      if (d_q.slot == 8'(s)) begin
        modulus = moduli_i[s];
        wrong[3] = form_q.slot && !form_q.tables && d_q.opcode != OpcodeConstants && !loaded_i[s];
      end
    end
    if (form_q.tables) wrong[3] = !table_there;
    for (int unsigned l = 0; l < Limbs; l++) begin
      foreign[l] = form_q.rows ? !rows_i[l] : rows_i[l] || tags_i[l] != slot;
    end
    // The rows that are named: of one operand, or of three.
    rows_there = d_q.count <= 8'(LogRows) && exists(form_q.strip ? d_q.b : d_q.immediate[7:0], d_q.count[2:0])
        && exists(form_q.strip ? d_q.operation : d_q.immediate[15:8], d_q.count[2:0])
        && (form_q.strip || exists(d_q.immediate[23:16], d_q.count[2:0]));
    wrong_rows = form_q.rows && !rows_there;
    wrong[1] = !form_q.known || d_q.top != '0 || d_q.unused != '0
        || (!form_q.destination && d_q.destination != '0) || (!form_q.a && d_q.a != '0)
        || (!form_q.b && !form_q.strip && d_q.b != '0) || (!form_q.slot && d_q.slot != '0) || (!form_q.count && d_q.count != '0)
        || (!form_q.address && !form_q.constant && !form_q.shift && !form_q.convert && d_q.immediate != '0)
        || (form_q.convert && d_q.immediate[63:24] != '0);
    wrong[2] = (form_q.destination && destination_end_q > 9'(Limbs)) || (form_q.a && a_end_q > 9'(Limbs))
        || (reads_b_q && b_end_q > 9'(Limbs)) || (form_q.alone && form_q.count && d_q.count == '0);
    // What a conversion needs is known with its table only.
    if (form_q.convert && !table_there) wrong[2] = 1'b0;
    wrong[4] = (sources_q & ~full_i) != '0;
    wrong[5] = (sources_q & foreign) != '0;
    wrong[6] = form_q.alone && (sources_q & destination_q) != '0;
    wrong[7] = form_q.address && d_q.immediate % 64'(Alignment) != '0;
    wrong[8] = form_q.address && (offset[64] || window_size_i < bytes || offset[63:0] > window_size_i - bytes);
    wrong[9] = form_q.constant && d_q.immediate >= 64'(modulus);
    wrong[10] = form_q.shift && d_q.immediate >= 64'(N);
  end

  always_ff @(posedge clk_i) begin
    error_o <= ErrorNone;
    for (int unsigned code = 10; code > 0; code--) begin
      if (wrong[code]) error_o <= error_e'(code);
      if (code == 2 && wrong_rows) error_o <= ErrorRows;
    end
    unit_o <= form_q.unit;
    uses_o <= sources_q | destination_q;
    writes_o <= destination_q;
    instruction_o <= '{
        opcode: opcode_e'(d_q.opcode),
        operation: d_q.operation[MaxLogRows-1:0],
        destination: d_q.destination[BufferWidth-1:0],
        a: d_q.a[BufferWidth-1:0],
        b: d_q.b[BufferWidth-1:0],
        slot: slot,
        count: d_q.count[BufferWidth:0],
        immediate: d_q.immediate
    };
  end

endmodule
