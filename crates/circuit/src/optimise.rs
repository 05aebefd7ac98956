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
//!   lookup tables, by enumerating cuts (Cong and Wu; Mishchenko and others), and
//!   where that finds nothing by a flow (Cong and Ding).
//!
//! Only gates on bits are rewritten. Gates on rows, and what joins rows and bits, stay as they are, except
//! that equal ones are shared and constants folded; their products count towards the depth of the bits
//! that come from them.
//!
//! All this repeats until nothing improves. It takes seconds for circuits of
//! ten thousand gates, and grows about in proportion.

mod copy;
mod cover;
mod cuts;
mod narrow;
mod step;
mod trees;
mod truth;

use std::fmt;

use crate::{Circuit, CircuitError};
use cover::Cover;
use cuts::Search;
use trees::Factoring;

/// What an optimisation may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The most ANDs of the result, as a multiple of the ANDs of the circuit
    /// given. 1 or less asks for less depth only where it costs no ANDs.
    pub growth: f64,
}

impl Default for Limits {
    /// Eight times the ANDs, which is what turning a ripple-carry adder of 64
    /// bits into a prefix adder takes, for an eighth of the depth.
    fn default() -> Self {
        Self { growth: 8.0 }
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
    let settled = settle(circuit, Factoring::Even)?;
    keep_better(&mut best, settle(&settled, Factoring::Any)?);
    // Trees as given may have wires that polynomials are best written in, which flattening takes away.
    for start in [circuit, &settled] {
        lower_on(&mut best, start.clone(), most_ands)?;
    }
    // What narrow places bring often takes more ANDs, so they are for less depth alone.
    let cover = Cover::new(circuit, Search::Narrow);
    if let Some((open, finished)) = lower(&cover, best.and_depth(), most_ands)? {
        keep_better(&mut best, finished);
        lower_on(&mut best, open, most_ands)?;
    }
    let after = Measures::of(&best);
    Ok((best, Report { before, after }))
}

/// Rebuilds the trees until that improves nothing.
fn settle(circuit: &Circuit, factoring: Factoring) -> Result<Circuit, CircuitError> {
    let mut best = trees::rebuild(circuit, factoring)?;
    loop {
        let next = trees::rebuild(&best, factoring)?;
        if !keep_better(&mut best, next) {
            return Ok(best);
        }
    }
}

/// Makes a circuit shallower as long as that is possible; keeps the best.
fn lower_on(best: &mut Circuit, mut current: Circuit, most_ands: usize) -> Result<(), CircuitError> {
    loop {
        let cover = Cover::new(&current, Search::Joined);
        let Some((open, finished)) = lower(&cover, current.and_depth(), most_ands)? else {
            return Ok(());
        };
        keep_better(best, finished);
        current = open;
    }
}

/// A circuit of less depth than `below`, as shallow as one round of rewriting can make it with
/// at most so many ANDs, if that is possible: one to go on from, and the same
/// with all its common factors taken out.
fn lower(
    cover: &Cover<'_>,
    below: u32,
    most_ands: usize,
) -> Result<Option<(Circuit, Circuit)>, CircuitError> {
    let mut found = None;
    // Bisection for the least depth that is affordable: that is neither below
    // `open` nor, unless found already, from `closed` on.
    let (mut open, mut closed) = (cover.least_depth(), below);
    // The least depth first, which most often is the answer.
    let mut target = open;
    while open < closed {
        let candidate = settle(&cover.build(target)?, Factoring::Even)?;
        let finished = settle(&candidate, Factoring::Any)?;
        if finished.and_count() <= most_ands && candidate.and_depth() < closed {
            closed = candidate.and_depth().min(target);
            found = Some((candidate, finished));
        } else {
            open = target + 1;
        }
        target = (open + closed) / 2;
    }
    Ok(found)
}

/// Replaces a circuit by a better one; tells whether it did. Depth counts first,
/// then ANDs, then XORs, then all gates.
fn keep_better(best: &mut Circuit, candidate: Circuit) -> bool {
    let rank = |circuit: &Circuit| {
        let Measures {
            and_depth,
            and_count,
            xor_count,
        } = Measures::of(circuit);
        (and_depth, and_count, xor_count, circuit.gates().len())
    };
    let better = rank(&candidate) < rank(best);
    if better {
        *best = candidate;
    }
    better
}
