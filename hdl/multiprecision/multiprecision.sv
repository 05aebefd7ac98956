// The multi-precision conversion pipeline: exact lift and scale of coefficients (sections 4.2 to 4.4).
//
// Ports: clk_i, rst_ni. conversion_i: lift or scale, constant while coefficients are in. Tables, while none is in:
// table_write_i with table_i, table_unit_i, table_address_i, table_data_i. Residues of coefficients, those of one after
// another by their primes: residue_valid_i, residue_ready_o, residue_i. Results: residue_valid_o with residue_prime_o
// and residue_o, in a lift modulo the new primes, in a scale modulo those of q; and in a scale the coefficient itself
// in words of 59 bits, word_valid_o, word_o, word_last_o, word_negative_o. Whoever takes them is always ready.
// Cycles: a lift has its sum's and its residues' steps, a scale scale_interval.

module multiprecision
  import ringmill_pkg::*;
  import multiprecision_pkg::*;
#(
    parameter int unsigned Base = 41,
    parameter int unsigned Total = 84,
    parameter int unsigned Cores = 8,
    localparam int unsigned UnitWidth = index_width(maximum(Cores, ResidueUnits)),
    localparam int unsigned TableAddress = index_width(maximum(
        core_constants(Base, Total, Cores), (excess_bits(Total) + 1) * scale_words(Total))),
    localparam int unsigned PrimeAddress = index_width(Total)
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  conversion_e              conversion_i,
    input  logic                     table_write_i,
    input  table_e                   table_i,
    input  logic [UnitWidth-1:0]     table_unit_i,
    input  logic [TableAddress-1:0]  table_address_i,
    input  logic [QuotientWidth-1:0] table_data_i,
    input  logic                     residue_valid_i,
    output logic                     residue_ready_o,
    input  logic [PrimeWidth-1:0]    residue_i,
    output logic                     residue_valid_o,
    output logic [PrimeAddress-1:0]  residue_prime_o,
    output logic [PrimeWidth-1:0]    residue_o,
    output logic                     word_valid_o,
    output logic [WordWidth-1:0]     word_o,
    output logic                     word_last_o,
    output logic                     word_negative_o
);

  localparam int unsigned CoreIndex = index_width(Cores);
  localparam int unsigned SlotWidth = index_width(core_slots(Base, Total, Cores, ConversionScale));
  localparam int unsigned BufferWidth = index_width(Buffers);
  localparam int unsigned Constants = core_constants(Base, Total, Cores);
  localparam int unsigned ConstantAddress = index_width(Constants);
  localparam int unsigned LinkWidth = sum_width(Base + 2);
  localparam int unsigned UnitSumWidth = sum_width(2 * modulus_words(Base));
  localparam int unsigned FoldWidth = maximum(LinkWidth, UnitSumWidth);
  localparam int unsigned ModulusWords = modulus_words(Base);
  localparam int unsigned ScaleWords = scale_words(Total);
  localparam int unsigned Excess = excess_bits(Total);
  localparam int unsigned ReciprocalAddress = index_width(2 * (reciprocal_words(Base, Total, ConversionLift)
      + reciprocal_words(Base, Total, ConversionScale)));

  logic lifts;
  assign lifts = conversion_i == ConversionLift;

  // Residues that are taken, and those that are written.
  logic takes;
  logic [PrimeAddress-1:0] prime_last;
  logic [PrimeAddress-1:0] taken_q;
  logic scaled_valid;
  logic [PrimeWidth-1:0] scaled;
  logic [PrimeAddress-1:0] written_q;
  logic [CoreIndex-1:0] core_q;
  logic [SlotWidth-1:0] slot_q;
  logic room;
  logic taken_last;
  logic written_last;

  assign residue_ready_o = room;
  assign takes = residue_valid_i && room;
  assign prime_last = lifts ? PrimeAddress'(Base - 1) : PrimeAddress'(Total - 1);
  assign taken_last = takes && taken_q == prime_last;
  assign written_last = scaled_valid && written_q == prime_last;

  always_ff @(posedge clk_i) begin
    if (takes) taken_q <= taken_last ? '0 : taken_q + 1'b1;
    if (scaled_valid) begin
      written_q <= written_last ? '0 : written_q + 1'b1;
      core_q <= written_last || core_q == CoreIndex'(Cores - 1) ? '0 : core_q + 1'b1;
      if (written_last) slot_q <= '0;
      else if (core_q == CoreIndex'(Cores - 1)) slot_q <= slot_q + 1'b1;
    end
    if (!rst_ni) begin
      taken_q <= '0;
      written_q <= '0;
      core_q <= '0;
      slot_q <= '0;
    end
  end

  residue_scale #(
      .Primes(Total)
  ) u_scale (
      .clk_i,
      .rst_ni,
      .conversion_i,
      .modulus_write_i(table_write_i && table_i == TableModuli),
      .reciprocal_write_i(table_write_i && table_i == TableReciprocals),
      .inverse_write_i(table_write_i && table_i == TableInverses),
      .table_address_i(table_address_i[PrimeAddress-1:0]),
      .table_data_i(table_data_i[ReciprocalWidth-1:0]),
      .valid_i(takes),
      .residue_i,
      .prime_i(taken_q),
      .valid_o(scaled_valid),
      .residue_o(scaled)
  );

  // The two pieces of a lift's quotient take the cores' write port when no residue does.
  logic division_valid;
  logic division_last;
  logic division_negative;
  logic [LongWidth-1:0] division_long;
  logic [1:0] pieces_q;
  logic [1:0][PrimeWidth-1:0] piece_q;
  logic piece_writes;
  logic piece_first;

  assign piece_writes = pieces_q != '0 && !scaled_valid;
  assign piece_first = pieces_q == 2'd2;

  always_ff @(posedge clk_i) begin
    if (lifts && division_valid) begin
      pieces_q <= 2'd2;
      piece_q <= division_long[2*PrimeWidth-1:0];
    end else if (piece_writes) begin
      pieces_q <= pieces_q - 1'b1;
      piece_q <= {piece_q[1], piece_q[1]};
    end
    if (!rst_ni) pieces_q <= '0;
  end

  logic [BufferWidth-1:0] load_buffer;
  logic [BufferWidth-1:0] quotient_buffer;
  logic [CoreIndex-1:0] write_core;
  logic [SlotWidth-1:0] write_slot;
  mac_control_t control;
  logic [BufferWidth-1:0] buffer;
  logic [SlotWidth-1:0] slot;
  logic [ConstantAddress-1:0] word;
  logic phase_ends;

  always_comb begin
    write_core = core_q;
    write_slot = slot_q;
    if (piece_writes) begin
      write_core = piece_first ? CoreIndex'(Base % Cores) : CoreIndex'((Base + 1) % Cores);
      write_slot = piece_first ? SlotWidth'(Base / Cores) : SlotWidth'((Base + 1) / Cores);
    end
  end

  conversion_sequencer #(
      .Base(Base),
      .Total(Total),
      .Cores(Cores)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .conversion_i,
      .taken_i(taken_last),
      .loaded_i(written_last),
      .quotient_i(piece_writes && !piece_first),
      .room_o(room),
      .load_buffer_o(load_buffer),
      .quotient_buffer_o(quotient_buffer),
      .control_o(control),
      .buffer_o(buffer),
      .slot_o(slot),
      .word_o(word),
      .ends_o(phase_ends)
  );

  logic sum_valid;
  logic sum_whole;
  logic sum_last;
  logic [LinkWidth-1:0] sum;

  sum_of_products #(
      .Cores(Cores),
      .Slots(Buffers << SlotWidth),
      .Constants(Constants),
      .LinkWidth(LinkWidth)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .residue_write_i(scaled_valid || piece_writes),
      .residue_core_i(write_core),
      .residue_address_i({piece_writes ? quotient_buffer : load_buffer, write_slot}),
      .residue_data_i(piece_writes ? piece_q[0] : scaled),
      .constant_write_i(table_write_i && table_i == TableFactors),
      .constant_core_i(table_unit_i[CoreIndex-1:0]),
      .constant_address_i(table_address_i[ConstantAddress-1:0]),
      .constant_data_i(table_data_i[WordWidth-1:0]),
      .control_i(control),
      .slot_i({buffer, slot}),
      .word_i(word),
      .valid_o(sum_valid),
      .whole_o(sum_whole),
      .sum_o(sum)
  );

  // The last step of a phase travels beside its sum.
  logic [sum_latency(Cores)-1:0] phase_ends_q;
  always_ff @(posedge clk_i) phase_ends_q <= {phase_ends_q[sum_latency(Cores)-2:0], phase_ends};
  assign sum_last = phase_ends_q[sum_latency(Cores)-1];

  logic total_valid;
  logic total_last;
  logic total_negative;
  logic [WordWidth-1:0] total_word;

  centred_reduction #(
      .Words(ScaleWords),
      .Multiples(Excess)
  ) u_total (
      .clk_i,
      .rst_ni,
      .row_write_i(table_write_i && table_i == TableTotal),
      .row_address_i(table_address_i[index_width((Excess + 1) * ScaleWords)-1:0]),
      .row_data_i(table_data_i[WordWidth-1:0]),
      .valid_i(sum_valid && !lifts),
      .word_i(sum[WordWidth-1:0]),
      .last_i(sum_last),
      .negative_i(1'b0),
      .valid_o(total_valid),
      .word_o(total_word),
      .last_o(total_last),
      .negative_o(total_negative)
  );

  reciprocal_division #(
      .Base(Base),
      .Total(Total)
  ) u_division (
      .clk_i,
      .rst_ni,
      .conversion_i,
      .reciprocal_write_i(table_write_i && table_i == TableDivision),
      .reciprocal_address_i(table_address_i[ReciprocalAddress-1:0]),
      .reciprocal_data_i(table_data_i[WordWidth-1:0]),
      .valid_i(lifts ? sum_valid && !sum_whole : total_valid),
      .word_i(lifts ? sum[WordWidth-1:0] : total_word),
      .last_i(lifts ? sum_last : total_last),
      .negative_i(!lifts && total_negative),
      .valid_o(division_valid),
      .long_o(division_long),
      .last_o(division_last),
      .negative_o(division_negative)
  );

  logic rest_valid;
  logic rest_last;
  logic rest_negative;
  logic [WordWidth-1:0] rest_word;

  quotient_reduction #(
      .Base(Base),
      .Total(Total)
  ) u_quotient (
      .clk_i,
      .rst_ni,
      .quotient_write_i(table_write_i && table_i == TableQuotient),
      .modulus_write_i(table_write_i && table_i == TableModulus),
      .table_address_i(table_address_i[index_width(ModulusWords)-1:0]),
      .table_data_i,
      .valid_i(division_valid && !lifts),
      .long_i(division_long),
      .last_i(division_last),
      .negative_i(division_negative),
      .valid_o(rest_valid),
      .word_o(rest_word),
      .last_o(rest_last),
      .negative_o(rest_negative)
  );

  centred_reduction #(
      .Words(ModulusWords),
      .Multiples(2)
  ) u_base (
      .clk_i,
      .rst_ni,
      .row_write_i(table_write_i && table_i == TableBase),
      .row_address_i(table_address_i[index_width(3 * ModulusWords)-1:0]),
      .row_data_i(table_data_i[WordWidth-1:0]),
      .valid_i(rest_valid),
      .word_i(rest_word),
      .last_i(rest_last),
      .negative_i(rest_negative),
      .valid_o(word_valid_o),
      .word_o,
      .last_o(word_last_o),
      .negative_o(word_negative_o)
  );

  logic unit_valid;
  logic unit_negative;
  logic [UnitSumWidth-1:0] unit_sum;
  logic [index_width(ResidueUnits*residue_rounds(Base))-1:0] unit_prime;

  residue_units #(
      .Base(Base)
  ) u_units (
      .clk_i,
      .rst_ni,
      .power_write_i(table_write_i && table_i == TablePowers),
      .power_unit_i(table_unit_i[index_width(ResidueUnits)-1:0]),
      .power_address_i(table_address_i[index_width(2*ModulusWords*residue_rounds(Base))-1:0]),
      .power_data_i(table_data_i[PrimeWidth-1:0]),
      .valid_i(word_valid_o),
      .word_i(word_o),
      .last_i(word_last_o),
      .negative_i(word_negative_o),
      .valid_o(unit_valid),
      .sum_o(unit_sum),
      .prime_o(unit_prime),
      .negative_o(unit_negative)
  );

  // New residues of a lift come by their primes.
  logic [PrimeAddress-1:0] new_q;

  always_ff @(posedge clk_i) begin
    if (sum_valid && sum_whole) new_q <= sum_last ? PrimeAddress'(Base) : new_q + 1'b1;
    if (!rst_ni) new_q <= PrimeAddress'(Base);
  end

  residue_fold #(
      .Primes(Total),
      .SumWidth(FoldWidth)
  ) u_fold (
      .clk_i,
      .rst_ni,
      .modulus_write_i(table_write_i && table_i == TableModuli),
      .reciprocal_write_i(table_write_i && table_i == TableReciprocals),
      .fold_write_i(table_write_i && table_i == TableFolds),
      .table_address_i(table_address_i[PrimeAddress-1:0]),
      .table_data_i(table_data_i[ReciprocalWidth-1:0]),
      .valid_i(lifts ? sum_valid && sum_whole : unit_valid),
      .sum_i(lifts ? FoldWidth'(sum) : FoldWidth'(unit_sum)),
      .prime_i(lifts ? new_q : PrimeAddress'(unit_prime)),
      .negate_i(!lifts && unit_negative),
      .valid_o(residue_valid_o),
      .prime_o(residue_prime_o),
      .residue_o
  );

  if (Base < 2 || Base > 64 || Cores > 16) begin : gen_check_sizes
    $error("multiprecision: Base must be 2 to 64, Cores at most 16");
  end

endmodule
