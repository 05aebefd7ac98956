// What the Comba machines have in common: the sizes of digits and words, the time of an access to the memory, and where a
// job's numbers lie (docs/machines/comba.md).

package comba_pkg;

  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned DigitWidth = 16;
  localparam int unsigned WordWidth = 64;
  localparam int unsigned WordDigits = WordWidth / DigitWidth;
  localparam int unsigned AddressWidth = 32;
  localparam int unsigned CountWidth = 16;
  // Cycles of a read or a write of a word (paper 5, section VI). The request holds; a read's word is there in the last one.
  localparam int unsigned AccessCycles = 2;

  // ChaCha20: bits of a key and of a block.
  localparam int unsigned SeedWidth = 256;
  localparam int unsigned BlockWidth = 512;
  localparam int unsigned BlockDigits = BlockWidth / DigitWidth;
  // Digits of the sum below the modulus that the quotient is made from, and of the quotient that are cut off besides.
  localparam int unsigned GuardDigits = 4;
  // Digits of a sum above the modulus and a factor: of twice the number of terms.
  localparam int unsigned ExtraDigits = 2;
  /* verilator lint_on UNUSEDPARAM */

  // An encryption: sizes, and addresses of words. Numbers are blocks of words, the lowest first.
  typedef struct packed {
    logic [CountWidth-1:0]   terms;      // products of the sum
    logic [CountWidth-1:0]   blocks;     // of an element and of the modulus
    logic [AddressWidth-1:0] stride;     // words of an element
    logic [AddressWidth-1:0] elements;   // terms * stride words
    logic [AddressWidth-1:0] factors;    // a block for each term
    logic [AddressWidth-1:0] modulus;    // blocks
    logic [AddressWidth-1:0] reciprocal; // a block
    logic [AddressWidth-1:0] sum;        // blocks + 1, and a word; a signed addend in the lowest block and a word
    logic [AddressWidth-1:0] high;       // the part of the sum whose block has the quotient
    logic [AddressWidth-1:0] quotient;   // two blocks and a word
    logic [AddressWidth-1:0] product;    // blocks + 1, and a word
    logic [AddressWidth-1:0] first;      // blocks: the sum without the product
    logic [AddressWidth-1:0] second;     // blocks: and without the modulus
  } job_t;

  // An encryption by the systolic machine. The stream has, digit after digit, the noise; for each pass and each of its rows a
  // factor and a correction; the reciprocal.
  typedef struct packed {
    logic [SeedWidth-1:0]    seed;
    logic [CountWidth-1:0]   passes;
    logic [CountWidth-1:0]   blocks;       // ChaCha20 blocks of an element
    logic [AddressWidth-1:0] pass_blocks;  // of all rows
    logic [AddressWidth-1:0] stream;
    logic [AddressWidth-1:0] modulus;      // blocks of digits, and a word
    logic [AddressWidth-1:0] result;       // as many
  } systolic_job_t;

  // What a pass does with the columns: adds them, twice each, to the noise or to the sum before; has them as they are;
  // subtracts them from the sum.
  typedef enum logic [1:0] {
    SumFirst,
    SumAdd,
    SumQuotient,
    SumSubtract
  } sum_mode_e;

endpackage
