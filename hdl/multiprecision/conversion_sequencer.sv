// The order of the cores' work.
//
// A phase is a sum of products, or in a lift the new residues of a coefficient. Sums go first where they can; in a lift
// the next one can when the quotient of the one before is in its slots. So sums and residues take turns, residues a
// coefficient behind, and the division runs beside them. In a scale a sum begins every scale_interval cycles at most.
// Coefficients are in Buffers buffers in turn.
//
// Ports: clk_i, rst_ni; conversion_i, constant while coefficients are in; taken_i: the last residue of a coefficient
// was taken, loaded_i: it was written; quotient_i: the last piece of a quotient was written; room_o; load_buffer_o, of
// what is written, and quotient_buffer_o; control_o, buffer_o, slot_o, word_o: what the cores do; and with the last
// control of a phase ends_o.

module conversion_sequencer
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    parameter int unsigned Total = 84,
    parameter int unsigned Cores = 8,
    localparam int unsigned LiftSlots = core_slots(Base, Total, Cores, ConversionLift),
    localparam int unsigned ScaleSlots = core_slots(Base, Total, Cores, ConversionScale),
    localparam int unsigned SlotWidth = index_width(ScaleSlots),
    localparam int unsigned WordAddress = index_width(core_constants(Base, Total, Cores)),
    localparam int unsigned BufferWidth = index_width(Buffers)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  conversion_e            conversion_i,
    input  logic                   taken_i,
    input  logic                   loaded_i,
    input  logic                   quotient_i,
    output logic                   room_o,
    output logic [BufferWidth-1:0] load_buffer_o,
    output logic [BufferWidth-1:0] quotient_buffer_o,
    output mac_control_t           control_o,
    output logic [BufferWidth-1:0] buffer_o,
    output logic [SlotWidth-1:0]   slot_o,
    output logic [WordAddress-1:0] word_o,
    output logic                   ends_o
);

  localparam int unsigned LiftSteps = lift_words(Base);
  localparam int unsigned ResidueSteps = Total - Base;
  localparam int unsigned ScaleSteps = scale_words(Total);
  localparam int unsigned StepWidth = index_width(maximum(ScaleSteps, ResidueSteps));
  localparam int unsigned ResidueWords = LiftSlots * LiftSteps;
  localparam int unsigned ScaleWords = ResidueWords + LiftSlots * ResidueSteps;
  localparam int unsigned Interval = scale_interval(Base, Total, Cores);
  localparam int unsigned PaceWidth = index_width(Interval);
  localparam int unsigned CountWidth = index_width(Buffers + 1);

  logic lifts;
  assign lifts = conversion_i == ConversionLift;

  // Coefficients: in all buffers, loaded and not summed, with a quotient and without residues.
  logic [CountWidth-1:0] taken_q;
  logic [CountWidth-1:0] loaded_q;
  logic [CountWidth-1:0] divided_q;
  logic dividing_q;
  logic [PaceWidth-1:0] pace_q;

  // The phase and where it is.
  logic busy_q;
  logic residues_q;
  logic [SlotWidth-1:0] slot_q;
  logic [StepWidth-1:0] step_q;
  logic [WordAddress-1:0] word_q;
  logic [BufferWidth-1:0] sum_buffer_q;
  logic [BufferWidth-1:0] residue_buffer_q;
  logic [SlotWidth-1:0] slot_last;
  logic [StepWidth-1:0] step_last;
  logic ends;
  logic sum_begins;
  logic residues_begin;
  logic leaves;

  assign slot_last = lifts ? SlotWidth'(LiftSlots - 1) : SlotWidth'(ScaleSlots - 1);

  always_comb begin
    if (residues_q) step_last = StepWidth'(ResidueSteps - 1);
    else if (lifts) step_last = StepWidth'(LiftSteps - 1);
    else step_last = StepWidth'(ScaleSteps - 1);
  end

  assign ends = busy_q && slot_q == slot_last && step_q == step_last;
  assign sum_begins = (!busy_q || ends) && loaded_q != '0 && (lifts ? !dividing_q : pace_q == '0);
  assign residues_begin = (!busy_q || ends) && !sum_begins && divided_q != '0;
  assign leaves = ends && (residues_q || !lifts);

  always_ff @(posedge clk_i) begin
    if (ends) busy_q <= 1'b0;
    if (sum_begins || residues_begin) begin
      busy_q <= 1'b1;
      residues_q <= residues_begin;
      slot_q <= '0;
      step_q <= '0;
      if (residues_begin) word_q <= WordAddress'(ResidueWords);
      else word_q <= lifts ? '0 : WordAddress'(ScaleWords);
    end else begin
      slot_q <= slot_q == slot_last ? '0 : slot_q + 1'b1;
      if (slot_q == slot_last) step_q <= step_q + 1'b1;
      word_q <= word_q + 1'b1;
    end
    if (pace_q != '0) pace_q <= pace_q - 1'b1;
    if (sum_begins) pace_q <= PaceWidth'(Interval - 1);
    if (sum_begins) dividing_q <= lifts;
    else if (quotient_i) dividing_q <= 1'b0;
    taken_q <= taken_q + CountWidth'(taken_i) - CountWidth'(leaves);
    loaded_q <= loaded_q + CountWidth'(loaded_i) - CountWidth'(sum_begins);
    divided_q <= divided_q + CountWidth'(quotient_i) - CountWidth'(residues_begin);
    load_buffer_o <= load_buffer_o + BufferWidth'(loaded_i);
    quotient_buffer_o <= quotient_buffer_o + BufferWidth'(lifts ? quotient_i : ends);
    if (ends && !residues_q) sum_buffer_q <= sum_buffer_q + 1'b1;
    if (leaves) residue_buffer_q <= residue_buffer_q + 1'b1;
    if (!rst_ni) begin
      busy_q <= 1'b0;
      dividing_q <= 1'b0;
      pace_q <= '0;
      taken_q <= '0;
      loaded_q <= '0;
      divided_q <= '0;
      load_buffer_o <= '0;
      quotient_buffer_o <= '0;
      sum_buffer_q <= '0;
      residue_buffer_q <= '0;
    end
  end

  assign room_o = taken_q != CountWidth'(Buffers);
  assign buffer_o = residues_q ? residue_buffer_q : sum_buffer_q;
  assign slot_o = slot_q;
  assign word_o = word_q;
  assign ends_o = ends;
  assign control_o = '{
    valid: busy_q,
    first: slot_q == '0,
    last: slot_q == slot_last,
    opening: residues_q || step_q == '0,
    whole: residues_q
  };

endmodule
