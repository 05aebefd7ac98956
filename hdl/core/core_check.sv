// What is wrong with an instruction: errors 1 to 10 of docs/machines/core.md, the first in their order.
//
// Ports: clk_i; descriptor_i; the state before it: loaded_i (slots), moduli_i, full_i and tags_i (of each buffer whether
// it has words, and under which slot they were written); window_i, window_size_i (bytes). Then error_o; and, if there is
// none, instruction_o, unit_o and uses_o (a bit a buffer).
// Latency: CheckLatency from descriptor_i and the state to all outputs.

module core_check
  import core_pkg::*;
#(
    parameter engine_e Engine = EngineXorBanks,
    parameter int unsigned N = 32768,
    parameter int unsigned Units = 16,
    parameter int unsigned Limbs = 8,
    parameter int unsigned Slots = 2,
    parameter int unsigned Width = 50
) (
    input  logic                            clk_i,
    input  descriptor_t                     descriptor_i,
    input  logic [Slots-1:0]                loaded_i,
    input  logic [Slots-1:0][Width-1:0]     moduli_i,
    input  logic [Limbs-1:0]                full_i,
    input  logic [Limbs-1:0][SlotWidth-1:0] tags_i,
    input  logic [63:0]                     window_i,
    input  logic [63:0]                     window_size_i,
    output error_e                          error_o,
    output instruction_t                    instruction_o,
    output unit_e                           unit_o,
    output logic [Limbs-1:0]                uses_o
);

  localparam logic [63:0] LimbBytes = 64'(8 * N);
  localparam logic [63:0] BlockBytes = 64'(8 * block_words(N, Units, Engine));

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
    unit_e unit;
  } form_t;

  function automatic form_t form_of(logic [7:0] opcode, logic [7:0] operation);
    form_t form;
    form = '0;
    form.unit = UnitVector;
    case (opcode)
      OpcodeLoad: begin
        form.known = operation == '0;
        {form.destination, form.slot, form.address} = '1;
        form.unit = UnitLoad;
      end
      OpcodeConstants: begin
        form.known = operation == '0;
        {form.slot, form.address} = '1;
        form.unit = UnitLoad;
      end
      OpcodeStore: begin
        form.known = operation == '0;
        {form.a, form.slot, form.address} = '1;
        form.unit = UnitStore;
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
    return form;
  endfunction

  // The first stage: the form, and the buffers that are sources.
  descriptor_t d_q;
  form_t form_q;
  logic [Limbs-1:0] sources_q;
  logic [Limbs-1:0] destination_q;
  logic [7:0] terms;

  assign terms = descriptor_i.opcode == OpcodeMac ? descriptor_i.count : 8'd1;

  always_ff @(posedge clk_i) begin
    d_q <= descriptor_i;
    form_q <= form_of(descriptor_i.opcode, descriptor_i.operation);
    for (int unsigned l = 0; l < Limbs; l++) begin
      sources_q[l] <= (form_of(descriptor_i.opcode, descriptor_i.operation).a && 8'(l) >= descriptor_i.a
          && 9'(l) < {1'b0, descriptor_i.a} + {1'b0, terms})
          || (form_of(descriptor_i.opcode, descriptor_i.operation).b && 8'(l) >= descriptor_i.b
          && 9'(l) < {1'b0, descriptor_i.b} + {1'b0, terms});
      destination_q[l] <= form_of(descriptor_i.opcode, descriptor_i.operation).destination
          && 8'(l) == descriptor_i.destination;
    end
  end

  // The second stage: all checks.
  logic [8:0] count;
  logic [64:0] offset;
  logic [63:0] bytes;
  logic [SlotWidth-1:0] slot;
  logic [Width-1:0] modulus;
  logic [Limbs-1:0] foreign;
  logic [10:1] wrong;

  assign count = form_q.count ? {1'b0, d_q.count} : 9'd1;
  assign bytes = d_q.opcode == OpcodeConstants ? BlockBytes : LimbBytes;
  assign offset = {1'b0, d_q.immediate} - {1'b0, window_i};
  assign slot = d_q.slot[SlotWidth-1:0];

  always_comb begin
    modulus = '0;
    wrong[3] = form_q.slot;
    for (int unsigned s = 0; s < Slots; s++) begin
      if (d_q.slot == 8'(s)) begin
        modulus = moduli_i[s];
        wrong[3] = form_q.slot && d_q.opcode != OpcodeConstants && !loaded_i[s];
      end
    end
    for (int unsigned l = 0; l < Limbs; l++) foreign[l] = tags_i[l] != slot;
    wrong[1] = !form_q.known || d_q.top != '0 || d_q.unused != '0
        || (!form_q.destination && d_q.destination != '0) || (!form_q.a && d_q.a != '0)
        || (!form_q.b && d_q.b != '0) || (!form_q.slot && d_q.slot != '0) || (!form_q.count && d_q.count != '0)
        || (!form_q.address && !form_q.constant && !form_q.shift && d_q.immediate != '0);
    wrong[2] = (form_q.destination && d_q.destination >= 8'(Limbs))
        || (form_q.a && {1'b0, d_q.a} + count > 9'(Limbs)) || (form_q.b && {1'b0, d_q.b} + count > 9'(Limbs))
        || count == '0;
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
    end
    unit_o <= form_q.unit;
    uses_o <= sources_q | destination_q;
    instruction_o <= '{
        opcode: opcode_e'(d_q.opcode),
        operation: d_q.operation[2:0],
        destination: d_q.destination[BufferWidth-1:0],
        a: d_q.a[BufferWidth-1:0],
        b: d_q.b[BufferWidth-1:0],
        slot: slot,
        count: d_q.count[BufferWidth:0],
        immediate: d_q.immediate
    };
  end

endmodule
