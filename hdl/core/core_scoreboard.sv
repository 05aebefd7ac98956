// Instructions that were checked, until they are done: which may start in which unit.
//
// An entry waits for those before it that are of its unit or use one of its buffers. When stop_i is 1 nothing starts, and
// entries that have not started are dropped.
//
// Ports: clk_i, rst_ni, stop_i; valid_i, ready_o, unit_i, uses_i (a bit a buffer), instruction_i, address_i (its
// descriptor's); for each unit start_o and instruction_o, done_i, address_o (of the descriptor of what is in work or was
// last), working_o, waiting_o (the unit is free, and its next instruction waits for buffers); slots_o, a bit for each slot
// that an entry names, and tables_o for each table; idle_o: there are no entries.
// Latency: 2 from valid_i to start_o where nothing is waited for; 2 from done_i to the start_o of what waited for it.

`include "assertions.svh"

module core_scoreboard
  import core_pkg::*;
#(
    parameter int unsigned Limbs = 8,
    parameter int unsigned Entries = 8
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         stop_i,
    input  logic                         valid_i,
    output logic                         ready_o,
    input  unit_e                        unit_i,
    input  logic [Limbs-1:0]             uses_i,
    input  instruction_t                 instruction_i,
    input  logic [63:0]                  address_i,
    output logic [UnitCount-1:0]         start_o,
    output instruction_t [UnitCount-1:0] instruction_o,
    input  logic [UnitCount-1:0]         done_i,
    output logic [UnitCount-1:0][63:0]   address_o,
    output logic [UnitCount-1:0]         working_o,
    output logic [UnitCount-1:0]         waiting_o,
    output logic [MaxSlots-1:0]          slots_o,
    output logic [MaxSlots-1:0]          tables_o,
    output logic                         idle_o
);

  typedef struct packed {
    unit_e unit;
    logic [Limbs-1:0] uses;
    instruction_t instruction;
    logic [63:0] address;
  } entry_t;

  logic [Entries-1:0] valid_q;
  logic [Entries-1:0] running_q;
  // Row i: the entries that entry i waits for.
  logic [Entries-1:0][Entries-1:0] waits_q;
  entry_t [Entries-1:0] entry_q;

  logic [Entries-1:0] free;
  logic [Entries-1:0] taken;
  logic [Entries-1:0] done;
  logic [Entries-1:0] start;
  logic [Entries-1:0] conflict;
  entry_t entry;

  assign entry = '{unit: unit_i, uses: uses_i, instruction: instruction_i, address: address_i};
  assign free = ~valid_q;
  assign ready_o = |free && !stop_i;
  assign taken = valid_i && ready_o ? free & (~free + 1'b1) : '0;  // the lowest

  always_comb begin
    for (int unsigned i = 0; i < Entries; i++) begin
      done[i] = running_q[i] && done_i[entry_q[i].unit];
      start[i] = valid_q[i] && !running_q[i] && waits_q[i] == '0 && !stop_i;
      conflict[i] = valid_q[i] && !done[i] && (entry_q[i].unit == unit_i || (entry_q[i].uses & uses_i) != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Entries; i++) begin
      if (!rst_ni) begin
        valid_q[i] <= 1'b0;
        running_q[i] <= 1'b0;
      end else if (taken[i]) begin
        valid_q[i] <= 1'b1;
        running_q[i] <= 1'b0;
      end else if (done[i] || (stop_i && !running_q[i])) begin
        valid_q[i] <= 1'b0;
        running_q[i] <= 1'b0;
      end else if (start[i]) begin
        running_q[i] <= 1'b1;
      end
      waits_q[i] <= taken[i] ? conflict : waits_q[i] & ~done;
      if (taken[i]) entry_q[i] <= entry;
    end
  end

  // At most one entry of a unit starts, and at most one is in work.
  for (genvar u = 0; u < int'(UnitCount); u++) begin : gen_unit
    logic [Entries-1:0] mine;
    instruction_t chosen;
    logic [63:0] chosen_address;

    always_comb begin
      chosen = '0;
      chosen_address = '0;
      for (int unsigned i = 0; i < Entries; i++) begin
        mine[i] = entry_q[i].unit == unit_e'(u);
        if (start[i] && mine[i]) begin
          chosen = chosen | entry_q[i].instruction;
          chosen_address = chosen_address | entry_q[i].address;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      start_o[u] <= rst_ni && |(start & mine);
      if (|(start & mine)) begin
        instruction_o[u] <= chosen;
        address_o[u] <= chosen_address;
      end
    end

    assign working_o[u] = |(valid_q & running_q & mine);
    assign waiting_o[u] = |(valid_q & ~running_q & mine) && !working_o[u] && !(|(start & mine));

    `RINGMILL_ASSERT(OneStart, $onehot0(start & mine), clk_i, !rst_ni)
    `RINGMILL_ASSERT(OneInWork, $onehot0(valid_q & running_q & mine), clk_i, !rst_ni)
    `RINGMILL_ASSERT(DoneInWork, done_i[u] |-> working_o[u], clk_i, !rst_ni)
  end

  always_comb begin
    slots_o = '0;
    tables_o = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (valid_q[i] && names_table(entry_q[i].instruction)) tables_o[entry_q[i].instruction.slot] = 1'b1;
      else if (valid_q[i] && names_slot(entry_q[i].instruction)) slots_o[entry_q[i].instruction.slot] = 1'b1;
    end
  end

  assign idle_o = valid_q == '0;

  if (Limbs > MaxLimbs || Limbs < 4) begin : gen_check_limbs
    $error("core_scoreboard: Limbs must be from 4 to MaxLimbs of core_pkg");
  end

endmodule
