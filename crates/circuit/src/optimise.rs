//! Makes circuits shallower and smaller.
//!
//! The cost of encrypted evaluation lies in the AND depth, which decides the size of everything, and in the
//! number of ANDs. [`front`] looks for variants of a circuit between the least ANDs and the least depth. No
//! variant changes the function or the ports of the circuit. The best one depends on the evaluator, so a
//! planner chooses among them.
//!
//! * Constants are folded, equal gates shared, dead ones and double negations dropped
//!   ([`Builder`](crate::Builder) does this whenever it writes gates).
//! * Trees of ANDs and of XORs are flattened, terms that cancel are dropped, common factors taken out
//!   (`a b + a c` is `a (b + c)`), and the trees rebuilt, shallow operands first.
//! * Functions of up to four wires are written with the fewest possible products, where that saves some: the
//!   majority `a b + a c + b c` is `(a + b)(a + c) + a`. This is cut rewriting with classification by affine
//!   equivalence (Testa, Soeken, Amarù and De Micheli, DAC 2019). A ripple-carry adder of five gates a bit
//!   keeps one AND a bit.
//! * Functions of up to eight wires are written as polynomials over GF(2) where a wanted depth requires
//!   that, and nowhere else: every wire has a depth by which it is due, and gates that are in time stay.
//!   This turns carry chains into prefix adders, and the S-box of AES into polynomials of degree 7 at
//!   depth 3. Carpov, Aubry and Sirdey ("A multi-start heuristic for multiplicative depth minimization of
//!   Boolean circuits", 2017) move one AND at a time past an XOR; Häner and Soeken ("Lowering the T-depth of
//!   quantum circuits by reducing the multiplicative depth of logic networks", 2020) rewrite cuts. All such
//!   moves within a polynomial's wires lead to that polynomial. The wires are found as in mapping to lookup
//!   tables, by enumerating cuts (Cong and Wu; Mishchenko and others), and where that finds nothing by a
//!   flow (Cong and Ding).
//! * The cost of duplication is treated in two stages: first only polynomials of few products are allowed,
//!   then all. So the S-box first becomes a little shallower for a little more, and only then a lot
//!   shallower for a lot more.
//!
//! Only gates on bits are rewritten. Gates on rows, and those that convert between rows and bits, stay as
//! they are, except that equal ones are shared and constants folded. Their products count towards the depth
//! of the bits that come from them.
//!
//! The search is the same on every machine: counts of rounds and gates limit it, never time. It takes
//! seconds for ten thousand gates and grows about in proportion.

mod affine;
mod copy;
mod cover;
mod cuts;
mod exclusive;
mod front;
mod narrow;
mod shrink;
mod small_cuts;
mod step;
mod trees;
mod truth;

use std::fmt;

use crate::Circuit;
pub(crate) use affine::{ARGUMENTS, Function};
pub(crate) use exclusive::with_sums;
pub use front::{Tell, front, variant};

/// The measures of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// The most ANDs on any path to an output.
    pub and_depth: u32,
    /// The number of ANDs.
    pub and_count: usize,
    /// The number of XORs.
    pub xor_count: usize,
}

impl Measures {
    /// Measures a circuit as it is, including its dead gates.
    #[must_use]
    pub fn of(circuit: &Circuit) -> Self {
        Self {
            and_depth: circuit.and_depth(),
            and_count: circuit.and_count(),
            xor_count: circuit.xor_count(),
        }
    }
}

impl Measures {
    /// Whether something with the other measures has no more depth and no more ANDs.
    fn is_covered_by(self, other: Self) -> bool {
        other.and_depth <= self.and_depth && other.and_count <= self.and_count
    }
}

impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            and_depth,
            and_count,
            xor_count,
        } = self;
        write!(f, "AND depth {and_depth}, {and_count} ANDs, {xor_count} XORs")
    }
}

/// A circuit that computes the same function as another one.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The circuit, with the same ports.
    pub circuit: Circuit,
    /// Its measures. The depth tells variants of one circuit apart.
    pub measures: Measures,
}
