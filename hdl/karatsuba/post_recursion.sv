// A recursion of Karatsuba's method after the products (paper 4, section 3.3.4): from the products of the lower halves, of the
// upper halves and of the sums, of 2 Half coefficients each (the last is zero), the product of twice the length,
//
//     low = [L0, L1 + S0 - L0 - H0],  high = [H0 + S1 - L1 - H1, H1]
//
// all modulo 2^(Chunks * Width). Coefficients are streams of chunks, the lowest first, those of several polynomials side by side in
// lanes. The lower and the upper coefficients of a product are two streams. There is room for three more products while the
// ones before leave.
//
// Ports: clk_i, rst_ni; valid_i and data_i, for each of the three products (L, H, S) its lower and its upper stream, which has no
// gap; valid_o with first_o, low_o and high_o, for 2 Half * Chunks cycles without a gap.
// Latency: 4 from the first chunk of the last of the six streams to the first one out. Results follow each other without a
// gap if the streams do.

`include "assertions.svh"

module post_recursion
  import ringmill_pkg::*;
#(
    parameter int unsigned Half = 5,
    parameter int unsigned Chunks = 5,
    parameter int unsigned Width = 30,
    parameter int unsigned Lanes = 4
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic [2:0][1:0]                         valid_i,
    input  logic [2:0][1:0][Lanes-1:0][Width-1:0]   data_i,
    output logic                                    valid_o,
    output logic                                    first_o,
    output logic           [Lanes-1:0][Width-1:0]   low_o,
    output logic           [Lanes-1:0][Width-1:0]   high_o
);

  localparam int unsigned Length = Half * Chunks;
  localparam int unsigned AddressWidth = index_width(2 * Length);
  localparam int unsigned IndexWidth = index_width(Length);
  localparam int unsigned ChunkWidth = index_width(Chunks);

  // What is there of each stream, in the two buffers: some or all of it.
  logic [2:0][1:0][1:0] begun;
  logic [2:0][1:0][Lanes-1:0][Width-1:0] word;
  logic reading_q, upper_q, buffer_q;
  logic [IndexWidth-1:0] index_q;
  logic last, ends;
  logic [1:0] ready;
  logic [AddressWidth-1:0] read_address;

  always_comb begin
    ready = '1;
    for (int unsigned product = 0; product < 3; product++) ready &= begun[product][0] & begun[product][1];
  end

  assign last = index_q == IndexWidth'(Length - 1);
  assign ends = reading_q && upper_q && last;
  assign read_address = (buffer_q ? AddressWidth'(Length) : '0) + AddressWidth'(index_q);

  always_ff @(posedge clk_i) begin
    if (reading_q) begin
      index_q <= last ? '0 : index_q + 1'b1;
      if (last) upper_q <= !upper_q;
      if (ends) begin
        reading_q <= ready[!buffer_q];
        buffer_q <= !buffer_q;
      end
    end else begin
      reading_q <= ready[buffer_q];
    end
    if (!rst_ni) begin
      reading_q <= 1'b0;
      upper_q <= 1'b0;
      buffer_q <= 1'b0;
      index_q <= '0;
    end
  end

  for (genvar product = 0; product < 3; product++) begin : gen_product
    for (genvar part = 0; part < 2; part++) begin : gen_part
      logic [IndexWidth-1:0] write_q;
      logic write_buffer_q;
      logic [1:0] full_q;
      logic written, leaves;

      assign written = valid_i[product][part] && write_q == IndexWidth'(Length - 1);
      // The words below have left for the last time.
      assign leaves = reading_q && upper_q && buffer_q == write_buffer_q && index_q > write_q;

      always_comb begin
        begun[product][part] = full_q;
        if (write_q != '0) begun[product][part][write_buffer_q] = 1'b1;
      end

      always_ff @(posedge clk_i) begin
        if (ends) full_q[buffer_q] <= 1'b0;
        if (valid_i[product][part]) write_q <= written ? '0 : write_q + 1'b1;
        if (written) begin
          write_buffer_q <= !write_buffer_q;
          full_q[write_buffer_q] <= 1'b1;
        end
        if (!rst_ni) begin
          write_q <= '0;
          write_buffer_q <= 1'b0;
          full_q <= '0;
        end
      end

      ram_simple_dual #(
          .Width(Lanes * Width),
          .Depth(2 * Length)
      ) u_memory (
          .clk_i,
          .write_i(valid_i[product][part]),
          .write_address_i((write_buffer_q ? AddressWidth'(Length) : '0) + AddressWidth'(write_q)),
          .write_data_i(data_i[product][part]),
          .read_i(reading_q),
          .read_address_i(read_address),
          .read_data_o(word[product][part])
      );

      `RINGMILL_ASSERT(Room, valid_i[product][part] |-> !full_q[write_buffer_q] || leaves, clk_i, !rst_ni)
    end
  end

  // The chunks that were read, and where in a coefficient they are.
  logic adding_q, adding_upper_q, adding_first_q;
  logic [ChunkWidth-1:0] chunk_q;

  always_ff @(posedge clk_i) begin
    adding_q <= reading_q;
    adding_upper_q <= upper_q;
    adding_first_q <= reading_q && !upper_q && index_q == '0;
    if (adding_q) chunk_q <= chunk_q == ChunkWidth'(Chunks - 1) ? '0 : chunk_q + 1'b1;
    valid_o <= adding_q;
    first_o <= adding_first_q;
    if (!rst_ni) begin
      adding_q <= 1'b0;
      adding_first_q <= 1'b0;
      chunk_q <= '0;
      valid_o <= 1'b0;
      first_o <= 1'b0;
    end
  end

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    // Two chunks more than two, or less: and a carry from -2 to 1.
    logic signed [Width+2:0] total;
    logic signed [2:0] carry_q;
    logic [Width-1:0] plus, beside, minus, less, passed;

    // The middle product's half, and what it meets.
    always_comb begin
      if (adding_upper_q) begin
        plus = word[2][0][lane];
        beside = word[0][1][lane];
        minus = word[0][0][lane];
        less = word[1][0][lane];
        passed = word[1][1][lane];
      end else begin
        plus = word[2][1][lane];
        beside = word[1][0][lane];
        minus = word[0][1][lane];
        less = word[1][1][lane];
        passed = word[0][0][lane];
      end
    end

    assign total = $signed((Width + 3)'(plus)) + $signed((Width + 3)'(beside)) - $signed((Width + 3)'(minus))
        - $signed((Width + 3)'(less)) + (chunk_q == '0 ? (Width + 3)'(0) : (Width + 3)'(carry_q));

    always_ff @(posedge clk_i) begin
      if (adding_q) carry_q <= 3'(total >>> Width);
      low_o[lane] <= adding_upper_q ? total[Width-1:0] : passed;
      high_o[lane] <= adding_upper_q ? passed : total[Width-1:0];
    end
  end

  if (Half == 0 || Chunks == 0 || Width == 0 || Lanes == 0) begin : gen_check_sizes
    $error("post_recursion: at least one coefficient, chunk, bit and lane");
  end

endmodule
