// What the host sends for an encryption, in room for two: a binary polynomial and small errors.
//
// The bits of coefficient j of all leaves come first, for each j; then the errors, of ErrorWidth bits each, the lowest
// coefficient's first.
//
// Ports: clk_i, rst_ni; a stream in, valid_i, ready_o, data_i; loaded_o, one is there that no start_i took; start_i;
// place_i and bits_o, of the one that started last; done_i, the eldest is not needed any more; read_i, error_index_i and
// error_o, of the eldest. Latency: 1 from place_i to bits_o, and from read_i to error_o.

`include "assertions.svh"

module job_memory
  import ringmill_pkg::*;
#(
    parameter int unsigned Places = 5,
    parameter int unsigned Bits = 512,
    parameter int unsigned Errors = 2560,
    parameter int unsigned ErrorWidth = 8,
    parameter int unsigned BeatWidth = 128,
    localparam int unsigned PlaceWidth = index_width(Places),
    localparam int unsigned IndexWidth = index_width(Errors)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         valid_i,
    output logic                         ready_o,
    input  logic [BeatWidth-1:0]         data_i,
    output logic                         loaded_o,
    input  logic                         start_i,
    input  logic [PlaceWidth-1:0]        place_i,
    output logic [Bits-1:0]              bits_o,
    input  logic                         done_i,
    input  logic                         read_i,
    input  logic [IndexWidth-1:0]        error_index_i,
    output logic signed [ErrorWidth-1:0] error_o
);

  localparam int unsigned Parts = ceil_div(Bits, BeatWidth);
  localparam int unsigned ErrorsPerBeat = BeatWidth / ErrorWidth;
  localparam int unsigned ErrorBeats = ceil_div(Errors, ErrorsPerBeat);
  localparam int unsigned PartWidth = index_width(Parts);
  localparam int unsigned BeatIndexWidth = index_width(ErrorBeats);
  localparam int unsigned LaneWidth = index_width(ErrorsPerBeat);
  localparam int unsigned BitsAddressWidth = index_width(2 * Places);
  localparam int unsigned ErrorsAddressWidth = index_width(2 * ErrorBeats);

  // Which of the two is written, which has started last, which is the eldest.
  logic write_q, run_q, eldest_q;
  logic [1:0] occupied_q, loaded_q;
  logic errors_q;
  logic [PlaceWidth-1:0] place_q;
  logic [PartWidth-1:0] part_q;
  logic [BeatIndexWidth-1:0] beat_q;
  logic takes, last_part, last_place, last_beat, next_run;

  assign ready_o = !occupied_q[write_q];
  assign takes = valid_i && ready_o;
  assign last_part = part_q == PartWidth'(Parts - 1);
  assign last_place = place_q == PlaceWidth'(Places - 1);
  assign last_beat = beat_q == BeatIndexWidth'(ErrorBeats - 1);
  assign next_run = !run_q;
  assign loaded_o = loaded_q[next_run];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      run_q <= next_run;
      loaded_q[next_run] <= 1'b0;
    end
    if (done_i) begin
      eldest_q <= !eldest_q;
      occupied_q[eldest_q] <= 1'b0;
    end
    if (takes && !errors_q) begin
      part_q <= last_part ? '0 : part_q + 1'b1;
      if (last_part) place_q <= last_place ? '0 : place_q + 1'b1;
      if (last_part && last_place) errors_q <= 1'b1;
    end
    if (takes && errors_q) begin
      beat_q <= last_beat ? '0 : beat_q + 1'b1;
      if (last_beat) begin
        errors_q <= 1'b0;
        write_q <= !write_q;
        occupied_q[write_q] <= 1'b1;
        loaded_q[write_q] <= 1'b1;
      end
    end
    if (!rst_ni) begin
      write_q <= 1'b0;
      run_q <= 1'b1;
      eldest_q <= 1'b0;
      occupied_q <= '0;
      loaded_q <= '0;
      errors_q <= 1'b0;
      part_q <= '0;
      place_q <= '0;
      beat_q <= '0;
    end
  end

  logic [Parts-1:0][BeatWidth-1:0] bits;

  for (genvar part = 0; part < Parts; part++) begin : gen_part
    ram_simple_dual #(
        .Width(BeatWidth),
        .Depth(2 * Places),
        .Style(RamDistributed)
    ) u_bits (
        .clk_i,
        .write_i(takes && !errors_q && part_q == PartWidth'(part)),
        .write_address_i((write_q ? BitsAddressWidth'(Places) : '0) + BitsAddressWidth'(place_q)),
        .write_data_i(data_i),
        .read_i(1'b1),
        .read_address_i((run_q ? BitsAddressWidth'(Places) : '0) + BitsAddressWidth'(place_i)),
        .read_data_o(bits[part])
    );
  end

  assign bits_o = Bits'(bits);

  logic [ErrorsPerBeat-1:0][ErrorWidth-1:0] errors;
  logic [LaneWidth-1:0] lane_q;

  ram_simple_dual #(
      .Width(BeatWidth),
      .Depth(2 * ErrorBeats)
  ) u_errors (
      .clk_i,
      .write_i(takes && errors_q),
      .write_address_i((write_q ? ErrorsAddressWidth'(ErrorBeats) : '0) + ErrorsAddressWidth'(beat_q)),
      .write_data_i(data_i),
      .read_i,
      .read_address_i((eldest_q ? ErrorsAddressWidth'(ErrorBeats) : '0) + ErrorsAddressWidth'(error_index_i >> LaneWidth)),
      .read_data_o(errors)
  );

  always_ff @(posedge clk_i) if (read_i) lane_q <= LaneWidth'(error_index_i);

  assign error_o = $signed(errors[lane_q]);

  logic unused;
  assign unused = ^bits;

  `RINGMILL_ASSERT(StartsLoaded, start_i |-> loaded_o, clk_i, !rst_ni)
  `RINGMILL_ASSERT(DoneOnce, done_i |-> occupied_q[eldest_q], clk_i, !rst_ni)

  if (BeatWidth % ErrorWidth != 0 || 2 ** LaneWidth != ErrorsPerBeat || Places < 2) begin : gen_check_sizes
    $error("job_memory: errors of a power of two fill a beat");
  end

endmodule
