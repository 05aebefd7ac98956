// Takes descriptors in order, checks them against what those before them leave, and hands them to the scoreboard.
//
// It keeps for each buffer whether it has words and under which slot they were written, or that they are rows; for each slot
// its modulus; for each table its shape. WAIT and IRQ wait until the scoreboard is empty, CONSTANTS and TABLE until nothing
// in it names their slot or table; after them the next descriptor waits until they are there.
//
// Ports: clk_i, rst_ni; clear_i, while idle: empties all buffers and slots; stop_i: takes and hands on nothing. From the
// fetch: valid_i, ready_o, descriptor_i, address_i, failed_i. window_i, window_size_i. To the scoreboard: valid_o, ready_i,
// unit_o, uses_o, instruction_o, address_o; from it slots_i, tables_i, empty_i. From the load unit: modulus_write_i, modulus_slot_i,
// modulus_i, at the end of a good block, and shape_write_i, shape_i for a table. moduli_o, shapes_o. Events of one cycle: error_o with address_o, dispatched_o, interrupt_o.
// full_o: waits for the scoreboard; held_o: waits as above; idle_o.

`include "assertions.svh"

module core_dispatch
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
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        clear_i,
    input  logic                        stop_i,
    input  logic                        valid_i,
    output logic                        ready_o,
    input  descriptor_t                 descriptor_i,
    input  logic [63:0]                 address_i,
    input  logic                        failed_i,
    input  logic [63:0]                 window_i,
    input  logic [63:0]                 window_size_i,
    output logic                        valid_o,
    input  logic                        ready_i,
    output unit_e                       unit_o,
    output logic [Limbs-1:0]            uses_o,
    output instruction_t                instruction_o,
    output logic [63:0]                 address_o,
    input  logic [MaxSlots-1:0]         slots_i,
    input  logic [MaxSlots-1:0]         tables_i,
    input  logic                        empty_i,
    input  logic                        modulus_write_i,
    input  logic [SlotWidth-1:0]        modulus_slot_i,
    input  logic [Width-1:0]            modulus_i,
    input  logic                        shape_write_i,
    input  shape_t                      shape_i,
    output logic [Slots-1:0][Width-1:0] moduli_o,
    output shape_t [Tables-1:0]         shapes_o,
    output error_e                      error_o,
    output logic                        dispatched_o,
    output logic                        interrupt_o,
    output logic                        full_o,
    output logic                        held_o,
    output logic                        idle_o
);

  typedef enum logic [1:0] {
    StateIdle,
    StateCheck,
    StateAct,
    StateLoading
  } state_e;

  state_e state_q;
  logic [CheckLatency-1:0] checking_q;
  descriptor_t descriptor_q;
  logic failed_q;

  logic [Slots-1:0] loaded_q;
  logic [Tables-1:0] tables_q;
  logic [Limbs-1:0] full_q;
  logic [Limbs-1:0] rows_q;
  logic [Limbs-1:0][SlotWidth-1:0] tags_q;

  error_e error;
  logic [Limbs-1:0] writes;

  core_check #(
      .Engine(Engine),
      .N(N),
      .Units(Units),
      .Limbs(Limbs),
      .Slots(Slots),
      .Tables(Tables),
      .Width(Width)
  ) u_check (
      .clk_i,
      .descriptor_i(descriptor_q),
      .loaded_i(loaded_q),
      .moduli_i(moduli_o),
      .tables_i(tables_q),
      .shapes_i(shapes_o),
      .full_i(full_q),
      .rows_i(rows_q),
      .tags_i(tags_q),
      .window_i,
      .window_size_i,
      .error_o(error),
      .instruction_o,
      .unit_o,
      .uses_o,
      .writes_o(writes)
  );

  logic good;
  logic barrier;
  logic constants;
  logic table_load;
  logic load;  // of what others name
  logic named;  // by an instruction before it
  logic act;

  assign good = !failed_q && error == ErrorNone;
  assign barrier = instruction_o.opcode inside {OpcodeWait, OpcodeInterrupt};
  assign constants = instruction_o.opcode == OpcodeConstants;
  assign table_load = instruction_o.opcode == OpcodeTable;
  assign load = constants || table_load;
  assign named = table_load ? tables_i[instruction_o.slot] : slots_i[instruction_o.slot];
  assign act = state_q == StateAct && !stop_i;

  assign ready_o = state_q == StateIdle && !stop_i;
  assign valid_o = act && good && !barrier && !(load && named);
  assign dispatched_o = (valid_o && ready_i) || (act && good && barrier && empty_i);
  assign interrupt_o = dispatched_o && instruction_o.opcode == OpcodeInterrupt;
  assign error_o = !act ? ErrorNone : failed_q ? ErrorDescriptor : error;
  assign full_o = valid_o && !ready_i;
  assign held_o = state_q == StateLoading
      || (act && good && (barrier ? !empty_i : load && named));
  assign idle_o = state_q == StateIdle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      state_q <= StateIdle;
    end else begin
      case (state_q)
        StateIdle: if (valid_i) state_q <= StateCheck;
        StateCheck: if (checking_q[CheckLatency-1]) state_q <= StateAct;
        StateAct: if (dispatched_o) state_q <= load ? StateLoading : StateIdle;
        default: if (!named) state_q <= StateIdle;
      endcase
    end
    checking_q <= {checking_q[CheckLatency-2:0], valid_i && ready_o};
    if (ready_o) begin
      descriptor_q <= descriptor_i;
      address_o <= address_i;
      failed_q <= failed_i;
    end
  end

  // What instructions leave.
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Limbs; l++) begin
      if (!rst_ni || clear_i) begin
        full_q[l] <= 1'b0;
      end else if (dispatched_o && constants && !rows_q[l] && tags_q[l] == instruction_o.slot) begin
        full_q[l] <= 1'b0;
      end else if (dispatched_o && writes[l]) begin
        full_q[l] <= 1'b1;
        rows_q[l] <= !names_slot(instruction_o);
        tags_q[l] <= instruction_o.slot;
      end
    end
    for (int unsigned t = 0; t < Tables; t++) begin
      if (!rst_ni || clear_i || (dispatched_o && table_load && instruction_o.slot == SlotWidth'(t))) begin
        tables_q[t] <= 1'b0;
      end else if (shape_write_i && modulus_slot_i == SlotWidth'(t)) begin
        tables_q[t] <= 1'b1;
        shapes_o[t] <= shape_i;
      end
    end
    for (int unsigned s = 0; s < Slots; s++) begin
      if (!rst_ni || clear_i || (dispatched_o && constants && instruction_o.slot == SlotWidth'(s))) begin
        loaded_q[s] <= 1'b0;
      end else if (modulus_write_i && modulus_slot_i == SlotWidth'(s)) begin
        loaded_q[s] <= 1'b1;
        moduli_o[s] <= modulus_i;
      end
    end
  end

  if (Slots > MaxSlots || Slots < 1) begin : gen_check_slots
    $error("core_dispatch: Slots must be from 1 to MaxSlots of core_pkg");
  end

  if (Tables > MaxSlots || Tables < 2) begin : gen_check_tables
    $error("core_dispatch: Tables must be from 2 to MaxSlots of core_pkg");
  end

  `RINGMILL_ASSERT(GoodIsHandedOn, valid_o |-> error_o == ErrorNone, clk_i, !rst_ni)

endmodule
