// What the parts of the Karatsuba pipeline agree on: sizes (paper 4, sections 3.3.2 to 3.3.4), and where products of leaves go.

package karatsuba_pkg;

  /* verilator lint_off UNUSEDPARAM */
  // A polynomial of five coefficients, a leaf, of which a piece has eight.
  localparam int unsigned LeafCoefficients = 5;
  localparam int unsigned PieceCoefficients = 8 * LeafCoefficients;
  localparam int unsigned Chunks = 5;
  localparam int unsigned LeafLength = LeafCoefficients * Chunks;
  localparam int unsigned PieceLength = PieceCoefficients * Chunks;
  // Pieces whose products become one, and its words: chunks of all polynomials' coefficients.
  localparam int unsigned GroupPieces = 9;
  localparam int unsigned ResultWords = 2 * 4 * PieceLength;
  localparam int unsigned Encryptions = 4;
  localparam int unsigned BinaryWidth = 10;
  localparam int unsigned ResultWidth = 30;
  localparam int unsigned Multipliers = 4;
  /* verilator lint_on UNUSEDPARAM */

  // The first recursion after the products has three units.
  typedef enum logic [1:0] {
    ProductLower,
    ProductUpper,
    ProductSum
  } product_e;

  typedef struct packed {
    logic [1:0] unit;
    product_e   product;
  } target_t;

endpackage
