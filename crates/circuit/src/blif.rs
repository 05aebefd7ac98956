//! Circuits of tables: the Berkeley Logic Interchange Format.
//!
//! BLIF (University of California, Berkeley, 1992) is the text in which synthesis tools such as Yosys and ABC
//! write networks of logic:
//!
//! ```text
//! .model adder            # a comment
//! .inputs a b carry
//! .outputs sum \
//!          next           # a line that goes on
//! .names a b carry sum    # a table: its inputs, then its output
//! 001 1
//! 010 1
//! 100 1
//! 111 1
//! .names a b carry next
//! 11- 1                   # 1 for any carry
//! 1-1 1
//! -11 1
//! .end
//! ```
//!
//! The rows of a table are the inputs for which its output is 1, or, if they end in 0, for which it is 0.
//! A table without rows is 0. Tables come in any order. A `.subckt` is a copy of another model of the file; the
//! first model is the circuit. [`read`] refuses what has memory (`.latch`), cells of a library (`.gate`) and
//! don't-cares of the environment (`.exdc`).
//!
//! **Ports.** Names are gathered as in [`aiger`](crate::aiger): `a[0]`, `a[1]` and so on are the port `a`. All
//! inputs are private.
//!
//! **Tables** are written with the least AND depth, and then with few ANDs: of up to four inputs with the
//! fewest that are possible at that depth, of up to eight as polynomials over GF(2) of the inputs or their
//! complements, of more as they stand, as sums of products. Then XORs and multiplexers that are spread over
//! several tables are found as in [`aiger`](crate::aiger).

mod cover;
mod error;
mod flat;
mod function;
mod lines;
mod model;
mod read;

pub use error::BlifError;
pub use flat::MAX_COPIED_BYTES;
pub use read::read;
