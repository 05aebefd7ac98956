// The schedule of ntt_multiplier_pkg for every N = 2^k up to 2^MaxBits and every number of units: no slot has two
// words in one bank, the words of a pair are in the banks that the class tells, and each pair has one bank of even
// parity.
//
// Places and slots are written down once more, as the package's header defines them. All of it is combinational.

module ntt_multiplier_pkg_formal
  import ntt_multiplier_pkg::*;
#(
    parameter int unsigned MaxBits = 12
) (
    input logic [MaxBits-1:0] first_i,
    input logic [MaxBits-1:0] second_i
);

  for (genvar k = 2; k <= int'(MaxBits); k++) begin : gen_length
    for (genvar b = 1; b < k; b++) begin : gen_banks
      localparam int unsigned N = 1 << k;
      localparam int unsigned Units = 1 << (b - 1);
      localparam int unsigned BankBits = bank_bits(Units);

      function automatic logic [BankBits-1:0] bank_of(logic [k-1:0] index);
        logic [BankBits-1:0] bank;
        bank = '0;
        for (int unsigned m = 0; m < k; m++) bank[m%BankBits] = bank[m%BankBits] ^ index[m];
        return bank;
      endfunction

      logic [k-1:0] first;
      logic [k-1:0] second;
      logic [BankBits-1:0] bank;
      assign first = first_i[k-1:0];
      assign second = second_i[k-1:0];
      assign bank = bank_of(first);

      for (genvar step = 0; step < int'(step_count(N)); step++) begin : gen_step
        localparam logic [k-1:0] Window = k'((Units * 2 - 1) << window_start(N, Units, step));
        localparam logic [k-1:0] Pair = k'(1) << step_bit(N, step);
        localparam logic [BankBits-1:0] Class = BankBits'(1) << step_class(N, Units, step);
        logic same_slot;
        assign same_slot = (first & ~Window) == (second & ~Window);
        always_comb begin
          DistinctBanks: assert (!same_slot || first == second || bank_of(second) != bank);
          PairInSlot: assert ((Pair & ~Window) == '0);
          PairInClass: assert ((bank_of(first ^ Pair) ^ bank) == Class);
        end
      end

      always_comb begin
        OwnBank: assert (^bank || own_bank(32'(bank) / 2) == 32'(bank));
      end
    end
  end

  logic unused;
  assign unused = ^{first_i, second_i};

endmodule
