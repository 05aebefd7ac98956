// Holds results until the link has taken them, the lower coefficients before the upper ones (paper 4, section 3.3.6).
//
// Ports: clk_i, rst_ni; group_i: a result is on its way; room_o: there is room for one more; valid_i, low_i, high_i: its words;
// a stream out, valid_o, ready_i, last_o (of a result), data_o.

`include "assertions.svh"

module result_buffer
  import ringmill_pkg::*;
#(
    parameter int unsigned Words = 1600,
    parameter int unsigned Width = 120,
    parameter int unsigned Results = 4
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             group_i,
    output logic             room_o,
    input  logic             valid_i,
    input  logic [Width-1:0] low_i,
    input  logic [Width-1:0] high_i,
    output logic             valid_o,
    input  logic             ready_i,
    output logic             last_o,
    output logic [Width-1:0] data_o
);

  // Half a result in each of two memories.
  localparam int unsigned Half = Words / 2;
  localparam int unsigned Depth = Results * Half;
  localparam int unsigned AddressWidth = index_width(Depth);
  localparam int unsigned HeldWidth = index_width(Depth + 1);
  localparam int unsigned PlaceWidth = index_width(Words);
  localparam int unsigned CountWidth = index_width(Results + 1);

  logic [CountWidth-1:0] reserved_q;
  logic [AddressWidth-1:0] write_q, first_q, read;
  logic [PlaceWidth-1:0] place_q;
  logic [HeldWidth-1:0] held_q;
  logic reads, upper, ends;
  logic pending_q, pending_upper_q, pending_last_q;
  logic [Width-1:0] low, high;
  logic out_ready;

  assign room_o = reserved_q < CountWidth'(Results);
  assign upper = place_q >= PlaceWidth'(Half);
  assign ends = reads && place_q == PlaceWidth'(Words - 1);
  // Words of the oldest result that are there: those above come with those below.
  assign reads = (upper ? held_q >= HeldWidth'(Half) : held_q > HeldWidth'(place_q)) && (!pending_q || out_ready);
  assign read = first_q + AddressWidth'(upper ? place_q - PlaceWidth'(Half) : place_q);

  always_ff @(posedge clk_i) begin
    reserved_q <= reserved_q + CountWidth'(group_i) - CountWidth'(ends);
    held_q <= held_q + HeldWidth'(valid_i) - (ends ? HeldWidth'(Half) : '0);
    if (valid_i) write_q <= write_q == AddressWidth'(Depth - 1) ? '0 : write_q + 1'b1;
    if (reads) place_q <= place_q + 1'b1;
    if (ends) begin
      place_q <= '0;
      first_q <= first_q == AddressWidth'(Depth - Half) ? '0 : first_q + AddressWidth'(Half);
    end
    if (reads) begin
      pending_q <= 1'b1;
      pending_upper_q <= upper;
      pending_last_q <= ends;
    end else if (out_ready) pending_q <= 1'b0;
    if (!rst_ni) begin
      reserved_q <= '0;
      held_q <= '0;
      write_q <= '0;
      place_q <= '0;
      first_q <= '0;
      pending_q <= 1'b0;
    end
  end

  for (genvar part = 0; part < 2; part++) begin : gen_part
    logic [Width-1:0] word;

    ram_simple_dual #(
        .Width(Width),
        .Depth(Depth),
        .Style(RamBlock)
    ) u_memory (
        .clk_i,
        .write_i(valid_i),
        .write_address_i(write_q),
        .write_data_i(part == 0 ? low_i : high_i),
        .read_i(reads),
        .read_address_i(read),
        .read_data_o(word)
    );

    if (part == 0) begin : gen_low
      assign low = word;
    end else begin : gen_high
      assign high = word;
    end
  end

  stream_register #(
      .Width(Width + 1)
  ) u_out (
      .clk_i,
      .rst_ni,
      .valid_i(pending_q),
      .ready_o(out_ready),
      .data_i({pending_last_q, pending_upper_q ? high : low}),
      .valid_o,
      .ready_i,
      .data_o({last_o, data_o})
  );


  `RINGMILL_ASSERT(Reserved, group_i |-> room_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(Fits, valid_i |-> held_q < HeldWidth'(Depth), clk_i, !rst_ni)

  if (Words % 2 != 0 || Results == 0) begin : gen_check_sizes
    $error("result_buffer: results of two halves");
  end

endmodule
