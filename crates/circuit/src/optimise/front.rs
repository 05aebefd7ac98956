//! The search for variants worth having.

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

/// The most ANDs of a variant, as a multiple of the ANDs of the circuit given: what turning a ripple-carry
/// adder of 64 bits into a prefix adder takes, for an eighth of the depth.
const GROWTH: usize = 8;

/// Where one more round would go beyond that, as a round takes up to twice the ANDs.
const LAST_GROWTH: usize = GROWTH / 2;

/// What is told now and then which fraction is done, by any thread.
pub type Tell<'a> = &'a mut (dyn FnMut(f64) + Send);

/// How a chain of rounds lowers the depth: first by what costs little, then by all that helps.
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
/// The same on all machines: what bounds the work are counts, never time, and it does not matter which thread
/// is done first. `progress` is told now and then which fraction is done.
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

/// The variant of a circuit with this [digest](Circuit::digest), or `None` if [`front`] makes no such one. It is
/// looked for as there, but no further than needed.
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
    /// The digest of the only circuit that is looked for.
    wanted: Option<[u8; 32]>,
    found: OnceLock<Circuit>,
    watch: Mutex<Watch<'a>>,
}

/// Who is told, and which fraction of each stage is done.
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

    /// Makes circuits, among them all that are worth having, in an order that does not depend on threads. Fewer if the
    /// only one that is looked for is found.
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

    /// Makes a circuit shallower round by round, as long as that is possible and affordable; what comes by on the way.
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

    /// Keeps a circuit if it is the one that is looked for.
    fn look(&self, circuit: &Circuit) {
        if self.wanted.is_some_and(|wanted| wanted == circuit.digest()) {
            self.found.get_or_init(|| circuit.clone());
        }
    }

    fn is_over(&self) -> bool {
        self.found.get().is_some()
    }

    fn watch(&self) -> MutexGuard<'_, Watch<'a>> {
        // Whoever panicked left fractions that can be told.
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, fraction: f64) {
        (self.watch().tell)(fraction);
    }

    /// The fraction of a stage; the stages are taken to be equally long.
    fn tell_stage(&self, stage: usize, fraction: f64) {
        let watch = &mut *self.watch();
        watch.stages[stage] = watch.stages[stage].max(fraction);
        let mean = watch.stages.iter().sum::<f64>() / watch.stages.len() as f64;
        (watch.tell)(0.2 + 0.8 * mean);
    }
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

impl Measures {
    /// Whether a variant of a circuit of these measures may be as large as this.
    fn affords(self, circuit: &Circuit) -> bool {
        circuit.and_count() <= GROWTH * self.and_count
    }
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

    /// Takes a circuit in if none is as good, and drops those that are not as good as it.
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
