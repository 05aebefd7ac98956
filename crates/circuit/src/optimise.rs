//! Making circuits shallower and smaller.
//!
//! What encrypted evaluation pays for is first the AND depth, then the number
//! of ANDs. [`optimise`] lowers both, in this order, without changing what the
//! circuit computes or its ports:
//!
//! * constants are folded, equal gates shared, dead ones and double negations
//!   dropped ([`Builder`](crate::Builder) does this whenever it writes gates);
//! * trees of ANDs and of XORs are flattened, terms that cancel are dropped,
//!   common factors taken out (`a b + a c` is `a (b + c)`), and the trees built
//!   anew, shallow operands first;
//! * functions of up to eight wires, anywhere in the circuit, are written as
//!   polynomials over GF(2) where that is shallower. Carry chains turn into
//!   prefix adders this way, and the S-box of AES into polynomials of degree 7
//!   at depth 3. The depth-reducing rewritings of Carpov, Aubry and Sirdey ("A
//!   multi-start heuristic for multiplicative depth minimization of Boolean
//!   circuits", 2017) move one AND at a time past an XOR; a polynomial is where
//!   all such moves within its wires lead. The wires are found as in mapping to
//!   lookup tables, by enumerating cuts (Cong and Wu; Mishchenko and others).
//!
//! All this repeats until nothing improves. It takes seconds for circuits of a
//! hundred thousand gates.

mod copy;
mod cover;
mod cuts;
mod trees;
mod truth;

use std::fmt;

use crate::{Circuit, CircuitError};
use cover::Cover;

/// What an optimisation may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most ANDs of the result, as a multiple of the ANDs of the circuit
    /// given. 1 or less asks for less depth only where it costs no ANDs.
    pub growth: f64,
}

impl Default for Limits {
    /// Six times the ANDs: a prefix adder of 64 bits has that many times the
    /// ANDs of a ripple-carry adder, for a tenth of the depth.
    fn default() -> Self {
        Self { growth: 6.0 }
    }
}

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
    /// Measures a circuit as it is, with its dead gates.
    #[must_use]
    pub fn of(circuit: &Circuit) -> Self {
        Self {
            and_depth: circuit.and_depth(),
            and_count: circuit.and_count(),
            xor_count: circuit.xor_count(),
        }
    }

    /// Whether these are better than others: depth first, then ANDs, then XORs.
    fn better_than(&self, other: &Self) -> bool {
        let key = |measures: &Self| (measures.and_depth, measures.and_count, measures.xor_count);
        key(self) < key(other)
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

/// What an optimisation brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The circuit given.
    pub before: Measures,
    /// The circuit returned. Never worse than `before` in the order of depth,
    /// ANDs, XORs.
    pub after: Measures,
}

/// Optimises a circuit within the default [`Limits`]. Deterministic.
///
/// The result has the same ports, bit by bit, and computes the same; its gates
/// come in about the same order.
///
/// # Errors
///
/// [`CircuitError::TooManyGates`] if the circuit grows beyond 2^32 gates.
pub fn optimise(circuit: &Circuit) -> Result<(Circuit, Report), CircuitError> {
    optimise_within(circuit, Limits::default())
}

/// As [`optimise`], within given limits.
///
/// # Errors
///
/// As [`optimise`].
pub fn optimise_within(circuit: &Circuit, limits: Limits) -> Result<(Circuit, Report), CircuitError> {
    let before = Measures::of(circuit);
    let most_ands = (before.and_count as f64 * limits.growth.max(1.0)) as usize;
    let mut best = circuit.clone();
    keep_better(&mut best, settle(circuit)?);
    while let Some(shallower) = lower(&best, most_ands)? {
        best = shallower;
    }
    let after = Measures::of(&best);
    Ok((best, Report { before, after }))
}

/// Rebuilds the trees until that improves nothing.
fn settle(circuit: &Circuit) -> Result<Circuit, CircuitError> {
    let mut best = trees::rebuild(circuit)?;
    loop {
        let next = trees::rebuild(&best)?;
        if !keep_better(&mut best, next) {
            return Ok(best);
        }
    }
}

/// A shallower circuit with at most so many ANDs, as shallow as one round of
/// rewriting can make it, or nothing.
fn lower(circuit: &Circuit, most_ands: usize) -> Result<Option<Circuit>, CircuitError> {
    let depth = circuit.and_depth();
    let cover = Cover::new(circuit);
    let mut found = None;
    // Bisection for the least depth that is affordable: `open` might be,
    // everything from `depth` on is not of interest.
    let (mut open, mut closed) = (cover.least_depth(), depth);
    while open < closed {
        // The least depth first, which most often is the answer.
        let target = if found.is_none() && closed == depth {
            open
        } else {
            (open + closed) / 2
        };
        let candidate = settle(&cover.build(target)?)?;
        if candidate.and_count() <= most_ands && candidate.and_depth() < closed {
            closed = candidate.and_depth().min(target);
            found = Some(candidate);
        } else {
            open = target + 1;
        }
    }
    Ok(found)
}

/// Replaces a circuit by a better one; tells whether it did.
fn keep_better(best: &mut Circuit, candidate: Circuit) -> bool {
    let better = Measures::of(&candidate).better_than(&Measures::of(best));
    if better {
        *best = candidate;
    }
    better
}
