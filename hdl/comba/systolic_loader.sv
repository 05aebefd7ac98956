// Hands the digits of a stream to the registers that they are for: the noise; each row's factor and correction; or a factor
// of two rows.
//
// Ports: clk_i, rst_ni; start_i, with noise_i if the noise comes first, or wide_i if there is only the factor of rows 0 and 1;
// busy_o; valid_i, ready_o, of the stream; noise_shift_o, factor_shift_o, correction_shift_o: the stream's digit is for that
// one.
// Cycles: one for each digit.

`include "assertions.svh"

module systolic_loader
  import ringmill_pkg::*;
#(
    parameter int unsigned Rows = 24,
    parameter int unsigned Taps = 59,
    parameter int unsigned CorrectionDigits = 67
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,
    input  logic            noise_i,
    input  logic            wide_i,
    output logic            busy_o,
    input  logic            valid_i,
    output logic            ready_o,
    output logic            noise_shift_o,
    output logic [Rows-1:0] factor_shift_o,
    output logic [Rows-1:0] correction_shift_o
);

  localparam int unsigned LongestDigits = Taps > CorrectionDigits ? Taps : CorrectionDigits;
  localparam int unsigned LeftWidth = index_width(LongestDigits + 1);
  localparam int unsigned RowWidth = index_width(Rows);

  typedef enum logic [1:0] {
    Idle,
    Noise,
    Factor,
    Correction
  } target_e;

  target_e target_q;
  logic wide_q;
  logic [RowWidth-1:0] row_q;
  logic [LeftWidth-1:0] left_q;
  logic takes;

  assign busy_o = target_q != Idle;
  assign ready_o = busy_o;
  assign takes = valid_i && ready_o;
  assign noise_shift_o = takes && target_q == Noise;

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    assign factor_shift_o[row] = takes && target_q == Factor && row_q == RowWidth'(row);
    assign correction_shift_o[row] = takes && target_q == Correction && row_q == RowWidth'(row);
  end

  always_ff @(posedge clk_i) begin
    if (takes) left_q <= left_q - 1'b1;
    if (takes && left_q == 1) begin
      case (target_q)
        Factor: begin
          if (wide_q) begin
            row_q <= row_q + 1'b1;
            left_q <= LeftWidth'(Taps);
            if (row_q == RowWidth'(1)) target_q <= Idle;
          end else begin
            target_q <= Correction;
            left_q <= LeftWidth'(CorrectionDigits);
          end
        end
        Correction: begin
          row_q <= row_q + 1'b1;
          left_q <= LeftWidth'(Taps);
          target_q <= row_q == RowWidth'(Rows - 1) ? Idle : Factor;
        end
        default: begin
          target_q <= Factor;
          left_q <= LeftWidth'(Taps);
        end
      endcase
    end
    if (start_i) begin
      target_q <= noise_i ? Noise : Factor;
      left_q <= noise_i ? LeftWidth'(CorrectionDigits) : LeftWidth'(Taps);
      wide_q <= wide_i;
      row_q <= '0;
    end
    if (!rst_ni) target_q <= Idle;
  end

  `RINGMILL_ASSERT(NotWhileBusy, start_i |-> !busy_o && !(noise_i && wide_i), clk_i, !rst_ni)

  if (Rows < 2 || Taps == 0 || CorrectionDigits == 0) begin : gen_check_sizes
    $error("systolic_loader: two rows at least, and a digit for each register");
  end

endmodule
