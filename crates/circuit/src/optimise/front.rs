//! The search for variants worth having.

use std::cmp::Reverse;

use super::cover::Cover;
use super::cuts::Search;
use super::shrink::shrink;
use super::trees::{Factoring, settle};
use super::{Measures, Variant};
use crate::{Circuit, CircuitError};

/// The most ANDs of a variant, as a multiple of the ANDs of the circuit given: what turning a ripple-carry
/// adder of 64 bits into a prefix adder takes, for an eighth of the depth.
const GROWTH: usize = 8;

/// Where one more round would go beyond that, as a round takes up to twice the ANDs.
const LAST_GROWTH: usize = GROWTH / 2;

/// How a chain of rounds lowers the depth: first by what costs little, then by all that helps.
const STAGES: [Search; 2] = [
    Search {
        products: 11,
        narrow: Some(4),
    },
    Search {
        products: 256,
        narrow: Some(8),
    },
];

/// The gates that a stage looks for cuts of, in all its rounds together.
const MOST_GATES: usize = 250_000;

/// Gates from which on circuits get fewer variants, and those of the last stage are not shrunk.
const LARGE: usize = 5_000;

/// The depth above which only the shallowest variant of a round is made, and large circuits are not rewritten by
/// wide polynomials: more levels than any ring has room for.
const DEEP: u32 = 256;

/// The depth from which large circuits are not brought to what a ring has room for by what is affordable.
const HOPELESS: u32 = 1024;

/// The variants of a circuit that are worth having: none is both as shallow and as small in ANDs as another
/// one, nor as the circuit itself. From the deepest, with the fewest ANDs, to the shallowest; none has more
/// than eight times the ANDs of the circuit.
///
/// The same on all machines: what bounds the work are counts, never time. `progress` is told now and then
/// which fraction is done.
///
/// # Errors
/// [`CircuitError::TooManyGates`] if a circuit grows beyond 2^32 gates.
pub fn front(circuit: &Circuit, progress: &mut dyn FnMut(f64)) -> Result<Vec<Variant>, CircuitError> {
    let mut front = Front::new(circuit);
    let settled = settle(&settle(circuit, Factoring::Even)?, Factoring::Any)?;
    let mut lean = shrink(circuit, u32::MAX)?;
    progress(0.1);
    if Measures::of(&settled) != Measures::of(circuit) {
        let other = shrink(&settled, u32::MAX)?;
        front.offer(settled);
        front.offer(lean.clone());
        if other.and_count() < lean.and_count() {
            lean = other;
        }
    }
    let stages = match lean.and_depth() {
        _ if lean.gates().len() <= LARGE => &STAGES[..],
        HOPELESS.. => &[],
        DEEP.. => &STAGES[..1],
        _ => &STAGES[..],
    };
    for (stage, &search) in stages.iter().enumerate() {
        let mut progress = |fraction: f64| {
            progress(0.2 + 0.8 * (stage as f64 + fraction) / stages.len() as f64);
        };
        progress(0.0);
        lower(&mut front, lean.clone(), search, &mut progress)?;
    }
    front.offer(lean);
    Ok(front.variants)
}

/// Makes a circuit shallower round by round, as long as that is possible and affordable, and offers what
/// comes by on the way.
fn lower(
    front: &mut Front,
    mut current: Circuit,
    mut search: Search,
    progress: &mut dyn FnMut(f64),
) -> Result<(), CircuitError> {
    let mut gates = 0;
    for round in 1.. {
        gates += current.gates().len();
        if gates > MOST_GATES || current.and_count() > LAST_GROWTH * front.given.and_count {
            break;
        }
        let cover = Cover::new(&current, search);
        let (least, depth) = (cover.least_depth(), current.and_depth());
        let large = current.gates().len() > LARGE;
        let mut next = None;
        let targets = targets(least, depth, large);
        for (done, target) in targets.iter().enumerate() {
            let open = settle(&cover.build(*target)?, Factoring::Even)?;
            let mut finished = settle(&open, Factoring::Any)?;
            if !large || search.products == STAGES[0].products {
                finished = shrink(&finished, *target)?;
            }
            if front.affords(&finished) && next.is_none() && open.and_depth() < depth {
                next = Some(open);
            }
            front.offer(finished);
            progress(1.0 - (1.0 - done as f64 / targets.len() as f64) / f64::from(round));
        }
        let Some(shallower) = next else { break };
        current = shallower;
        // Places as wide as these are found at once or not at all.
        search.narrow = search.narrow.filter(|width| !large || *width <= 4);
    }
    Ok(())
}

/// The depths from `least` up to `depth`, that not among them, at which variants are made: in steps of a
/// seventh, or a third for large circuits.
fn targets(least: u32, depth: u32, large: bool) -> Vec<u32> {
    let step = if large { 3 } else { 7 };
    let next = |target: &u32| Some(target + (target / step).max(1));
    let shallow = std::iter::successors(Some(least), next).take_while(|target| *target < depth);
    shallow
        .enumerate()
        .take_while(|(place, target)| *place == 0 || *target <= DEEP)
        .map(|(_, target)| target)
        .collect()
}

/// Variants none of which is as good as another one in everything.
struct Front {
    given: Measures,
    /// From the deepest on, with more and more ANDs.
    variants: Vec<Variant>,
}

impl Front {
    fn new(given: &Circuit) -> Self {
        Self {
            given: Measures::of(given),
            variants: Vec::new(),
        }
    }

    fn affords(&self, circuit: &Circuit) -> bool {
        circuit.and_count() <= GROWTH * self.given.and_count
    }

    /// Takes a circuit in if none is as good, and drops those that are not as good as it.
    fn offer(&mut self, circuit: Circuit) {
        let measures = Measures::of(&circuit);
        let mut known = self.variants.iter().map(|variant| variant.measures);
        let covered = measures.is_covered_by(self.given) || known.any(|known| measures.is_covered_by(known));
        if covered || !self.affords(&circuit) {
            return;
        }
        self.variants
            .retain(|known| !known.measures.is_covered_by(measures));
        self.variants.push(Variant { circuit, measures });
        self.variants
            .sort_by_key(|variant| Reverse(variant.measures.and_depth));
    }
}
