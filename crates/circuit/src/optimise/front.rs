//! Searches for useful variants.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;

use super::cover::Cover;
use super::cuts::Search as Effort;
use super::shrink::shrink;
use super::trees::{Factoring, settle};
use super::{Measures, Variant};
use crate::{Circuit, CircuitError};

/// The most ANDs of a variant, as a multiple of the ANDs of the given circuit. It is the factor by which a
/// ripple-carry adder of 64 bits grows when it becomes a prefix adder, for an eighth of the depth.
const GROWTH: usize = 8;

/// The growth beyond which one more round would exceed that limit, because a round takes up to twice the
/// ANDs.
const LAST_GROWTH: usize = GROWTH / 2;

/// A callback that is told from time to time, by any thread, the fraction of the work that is done.
pub type Tell<'a> = &'a mut (dyn FnMut(f64) + Send);

/// The stages in which a chain of rounds lowers the depth: first with cheap changes, then with all that
/// help.
const STAGES: [Effort; 2] = [
    Effort {
        products: 11,
        narrow: Some(4),
    },
    Effort {
        products: 256,
        narrow: Some(8),
    },
];

/// The number of gates for which a stage looks for cuts, in all its rounds together.
const MOST_GATES: usize = 250_000;

/// The number of gates from which on circuits get fewer variants and those of the last stage are not shrunk.
const LARGE: usize = 5_000;

/// The depth above which only the shallowest variant of a round is made, and large circuits are not
/// rewritten with wide polynomials. No ring has room for more levels.
const DEEP: u32 = 256;

/// The depth from which on affordable changes cannot bring large circuits to a depth for which a ring has
/// room.
const HOPELESS: u32 = 1024;

/// Finds the useful variants of a circuit. Neither another variant nor the circuit itself matches a variant
/// in both depth and ANDs. They come from the deepest, with the fewest ANDs, to the shallowest, and none has
/// more than eight times the ANDs of the circuit.
///
/// The result is the same on all machines: counts limit the work, never time, and it does not matter which
/// thread finishes first. `progress` is told from time to time the fraction of the work that is done.
///
/// # Errors
/// [`CircuitError::TooManyGates`] if a circuit grows beyond 2^32 gates.
pub fn front(circuit: &Circuit, progress: Tell<'_>) -> Result<Vec<Variant>, CircuitError> {
    let mut front = Front::new(circuit);
    for made in Search::new(circuit, None, progress).run(circuit)? {
        front.offer(made);
    }
    Ok(front.variants)
}

/// Finds the variant of a circuit with this [digest](Circuit::digest), or returns `None` if [`front`] makes
/// no such variant. The search is the same, but stops as soon as possible.
///
/// # Errors
/// [`CircuitError::TooManyGates`] if a circuit grows beyond 2^32 gates.
pub fn variant(
    circuit: &Circuit,
    digest: [u8; 32],
    progress: Tell<'_>,
) -> Result<Option<Circuit>, CircuitError> {
    let search = Search::new(circuit, Some(digest), progress);
    search.run(circuit)?;
    Ok(search.found.into_inner())
}

/// The search for variants, on all threads of the current rayon pool.
struct Search<'a> {
    given: Measures,
    /// The digest of the only wanted circuit, if there is one.
    wanted: Option<[u8; 32]>,
    found: OnceLock<Circuit>,
    watch: Mutex<Watch<'a>>,
}

/// The callback, and the fraction of each stage that is done.
struct Watch<'a> {
    tell: Tell<'a>,
    stages: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(circuit: &Circuit, wanted: Option<[u8; 32]>, tell: Tell<'a>) -> Self {
        Self {
            given: Measures::of(circuit),
            wanted,
            found: OnceLock::new(),
            watch: Mutex::new(Watch {
                tell,
                stages: Vec::new(),
            }),
        }
    }

    /// Makes circuits, among them all useful ones, in an order that does not depend on threads. It makes
    /// fewer if it finds the only wanted circuit.
    fn run(&self, circuit: &Circuit) -> Result<Vec<Circuit>, CircuitError> {
        let (settled, lean) = rayon::join(
            || settle(&settle(circuit, Factoring::Even)?, Factoring::Any),
            || shrink(circuit, u32::MAX),
        );
        let (settled, mut lean) = (settled?, lean?);
        self.tell(0.1);
        let mut made = Vec::new();
        if Measures::of(&settled) != Measures::of(circuit) {
            let other = shrink(&settled, u32::MAX)?;
            made.push(settled);
            made.push(lean.clone());
            if other.and_count() < lean.and_count() {
                lean = other;
            }
        }
        made.iter().chain([&lean]).for_each(|circuit| self.look(circuit));
        let stages = match lean.and_depth() {
            _ if lean.gates().len() <= LARGE => &STAGES[..],
            HOPELESS.. => &[],
            DEEP.. => &STAGES[..1],
            _ => &STAGES[..],
        };
        self.watch().stages = vec![0.0; stages.len()];
        let lowered: Result<Vec<Vec<Circuit>>, _> = stages
            .par_iter()
            .enumerate()
            .map(|(stage, effort)| self.lower(lean.clone(), stage, *effort))
            .collect();
        made.extend(lowered?.into_iter().flatten());
        made.push(lean);
        Ok(made)
    }

    /// Makes a circuit shallower round by round, as long as that is possible and affordable, and returns the
    /// circuits on the way.
    fn lower(
        &self,
        mut current: Circuit,
        stage: usize,
        mut effort: Effort,
    ) -> Result<Vec<Circuit>, CircuitError> {
        let (mut made, mut gates) = (Vec::new(), 0);
        for round in 1.. {
            gates += current.gates().len();
            if gates > MOST_GATES
                || current.and_count() > LAST_GROWTH * self.given.and_count
                || self.is_over()
            {
                break;
            }
            let cover = Cover::new(&current, effort);
            let (least, depth) = (cover.least_depth(), current.and_depth());
            let large = current.gates().len() > LARGE;
            let shrunk = !large || effort.products == STAGES[0].products;
            let (targets, done) = (targets(least, depth, large), AtomicUsize::new(0));
            let one = |target: &u32| {
                let open = settle(&cover.build(*target)?, Factoring::Even)?;
                let mut finished = settle(&open, Factoring::Any)?;
                if shrunk {
                    finished = shrink(&finished, *target)?;
                }
                self.look(&finished);
                let done = done.fetch_add(1, Ordering::Relaxed) as f64 / targets.len() as f64;
                self.tell_stage(stage, 1.0 - (1.0 - done) / f64::from(round));
                Ok((open, finished))
            };
            let tried: Result<Vec<(Circuit, Circuit)>, CircuitError> = targets
                .par_iter()
                .take_any_while(|_| !self.is_over())
                .map(one)
                .collect();
            let mut next = None;
            for (open, finished) in tried? {
                if next.is_none() && self.given.affords(&finished) && open.and_depth() < depth {
                    next = Some(open);
                }
                made.push(finished);
            }
            let Some(shallower) = next else { break };
            current = shallower;
            // Places as wide as these are found at once or not at all.
            effort.narrow = effort.narrow.filter(|width| !large || *width <= 4);
        }
        Ok(made)
    }

    /// Keeps a circuit if it is the wanted one.
    fn look(&self, circuit: &Circuit) {
        if self.wanted.is_some_and(|wanted| wanted == circuit.digest()) {
            self.found.get_or_init(|| circuit.clone());
        }
    }

    fn is_over(&self) -> bool {
        self.found.get().is_some()
    }

    fn watch(&self) -> MutexGuard<'_, Watch<'a>> {
        // A thread that panicked left fractions that can still be reported.
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, fraction: f64) {
        (self.watch().tell)(fraction);
    }

    /// Reports the fraction of a stage; all stages count as equally long.
    fn tell_stage(&self, stage: usize, fraction: f64) {
        let watch = &mut *self.watch();
        watch.stages[stage] = watch.stages[stage].max(fraction);
        let mean = watch.stages.iter().sum::<f64>() / watch.stages.len() as f64;
        (watch.tell)(0.2 + 0.8 * mean);
    }
}

/// The depths at which variants are made, from `least` to below `depth`, in steps of a seventh, or of a
/// third for large circuits.
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

impl Measures {
    /// Whether a variant of a circuit with these measures may be as large as this one.
    fn affords(self, circuit: &Circuit) -> bool {
        circuit.and_count() <= GROWTH * self.and_count
    }
}

/// Variants of which none is as good as another in everything.
struct Front {
    given: Measures,
    /// The variants from the deepest on, with more and more ANDs.
    variants: Vec<Variant>,
}

impl Front {
    fn new(given: &Circuit) -> Self {
        Self {
            given: Measures::of(given),
            variants: Vec::new(),
        }
    }

    /// Accepts a circuit unless another one is as good, and drops those that are not better than it.
    fn offer(&mut self, circuit: Circuit) {
        let measures = Measures::of(&circuit);
        let mut known = self.variants.iter().map(|variant| variant.measures);
        let covered = measures.is_covered_by(self.given) || known.any(|known| measures.is_covered_by(known));
        if covered || !self.given.affords(&circuit) {
            return;
        }
        self.variants
            .retain(|known| !known.measures.is_covered_by(measures));
        self.variants.push(Variant { circuit, measures });
        self.variants
            .sort_by_key(|variant| Reverse(variant.measures.and_depth));
    }
}
