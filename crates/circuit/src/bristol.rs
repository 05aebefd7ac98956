//! Circuits as text: Bristol Fashion, and the older Bristol Format.
//!
//! Bristol Fashion is the usual format for exchanging circuits for multi-party computation
//! (<https://nigelsmart.github.io/MPC-Circuits/>; the header of SCALE-MAMBA's `Circuit.h` defines it). Three
//! lines of header,
//!
//! ```text
//! gates wires
//! values-in  width width ...
//! values-out width width ...
//! ```
//!
//! are followed by one line per gate: the number of wires read, the number of
//! wires written, those wires, and the operation.
//!
//! | line | meaning |
//! |---|---|
//! | `2 1 a b c XOR` | `c = a + b` over GF(2) |
//! | `2 1 a b c AND` | `c = a b` |
//! | `1 1 a c INV` | `c = 1 + a` |
//! | `1 1 v c EQ` | `c` is the constant `v`, 0 or 1 |
//! | `1 1 a c EQW` | `c = a` |
//! | `2n n a1 .. an b1 .. bn c1 .. cn MAND` | `ci = ai bi` |
//!
//! Input values occupy the first wires in order, output values the last ones, and gates read only wires that
//! earlier lines write. The older format differs only in its header: the second line holds three numbers,
//! the widths of two inputs (0 for an absent one) and of one output, and there is no third line. [`read`]
//! tells them apart by that third line.
//!
//! Neither format names values or says who knows them; [`Ports`] does. By convention, which the published
//! circuits follow, a number has its least significant bit first, as a [`Word`](crate::Word) has.

mod error;
mod gate_line;
mod header;
mod read;
mod text;
mod write;

pub use crate::text::{MAX_INPUT_BITS, MAX_TEXT_BYTES};
pub use error::BristolError;
pub use read::{Ports, read};
pub use write::write;
