//! Planning among variants of a circuit.

use std::borrow::Cow;

use ringmill_circuit::Circuit;
use ringmill_circuit::optimise::{self, Measures, Tell, Variant};

use crate::{Plan, PlanError, Recipe};

/// Which variant of a circuit a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantChoice {
    /// Its AND depth, which tells the variants of a circuit apart.
    pub depth: u32,
    /// Its [digest](Circuit::digest).
    pub digest: [u8; 32],
}

impl VariantChoice {
    /// That names this variant.
    #[must_use]
    pub fn of(variant: &Variant) -> Self {
        Self {
            depth: variant.measures.and_depth,
            digest: variant.circuit.digest(),
        }
    }
}

impl Recipe {
    /// The circuit that is evaluated, given the one that the recipe is for: itself, or the variant that was
    /// chosen, which is looked for anew. `progress` is told now and then which fraction of that is done.
    ///
    /// # Errors
    /// [`PlanError::OtherCircuit`]; [`PlanError::OtherOptimiser`]; [`PlanError::Circuit`].
    pub fn evaluated<'a>(
        &self,
        given: &'a Circuit,
        progress: Tell<'_>,
    ) -> Result<Cow<'a, Circuit>, PlanError> {
        if given.digest() != self.circuit {
            return Err(PlanError::OtherCircuit);
        }
        let Some(wanted) = self.variant else {
            return Ok(Cow::Borrowed(given));
        };
        let depth = wanted.depth;
        match optimise::variant(given, wanted.digest, progress)? {
            Some(variant) if variant.and_depth() == depth => Ok(Cow::Owned(variant)),
            _ => Err(PlanError::OtherOptimiser { depth }),
        }
    }
}

/// A plan chosen among those for variants of a circuit.
#[derive(Debug)]
pub struct Choice {
    /// The plan; its recipe names the variant.
    pub plan: Plan,
    /// The circuits that there were to choose from, in the order given.
    pub points: Vec<Point>,
    /// Which of the points the plan is for.
    pub chosen: usize,
}

/// A circuit that there was to choose, as it is or a variant of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Whether it is a variant that the optimiser made.
    pub optimised: bool,
    /// Its measures.
    pub measures: Measures,
    /// The result of planning it.
    pub outcome: Outcome,
}

/// The result of planning a circuit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// There is a plan.
    Planned {
        /// Dimension of the ring.
        n: usize,
        /// Records in a batch.
        records: usize,
        /// Seconds predicted for a batch.
        seconds: f64,
    },
    /// No parameters fit.
    Refused,
    /// It was not tried, for want of hope.
    NotTried,
}

/// How many circuits are planned in full, not counting those that nothing fits.
const MOST_PLANNED: usize = 4;

/// How many times the estimate of the best circuit another one's may be to be planned at all.
const MOST_ESTIMATE: f64 = 4.0;

/// Plans the circuits that are likely to be best, and takes the plan that is predicted to take the least time
/// for so many records. `None` among the variants is the circuit as it is, which is taken unless another is
/// faster. Where the first choice does not fit, the shallowest is tried next: what that one needs no other
/// can do without.
///
/// # Errors
/// Those of `plan` for the shallowest circuit, or for the only one.
pub fn choose(
    given: &Circuit,
    variants: &[Option<&Variant>],
    records: usize,
    plan: impl Fn(&Circuit) -> Result<Plan, PlanError>,
) -> Result<Choice, PlanError> {
    let mut search = Search::new(given, variants, records);
    while let Some(place) = search.next() {
        let variant = variants[place];
        let planned = plan(variant.map_or(given, |variant| &variant.circuit));
        search.note(place, planned, |recipe| {
            recipe.circuit = given.digest();
            recipe.variant = variant.map(VariantChoice::of);
        })?;
    }
    search.finish()
}

/// Circuits while they are planned.
struct Search {
    points: Vec<Point>,
    /// Those that are yet to be planned, the most promising last.
    open: Vec<usize>,
    /// The least estimate.
    least: f64,
    records: usize,
    planned: usize,
    best: Option<(f64, usize, Plan)>,
    failure: Option<PlanError>,
}

impl Search {
    fn new(given: &Circuit, variants: &[Option<&Variant>], records: usize) -> Self {
        let points = variants.iter().map(|variant| Point {
            optimised: variant.is_some(),
            measures: variant.map_or_else(|| Measures::of(given), |variant| variant.measures),
            outcome: Outcome::NotTried,
        });
        let points: Vec<Point> = points.collect();
        let mut open: Vec<usize> = (0..points.len()).collect();
        open.sort_by(|a, b| estimate(&points[*b]).total_cmp(&estimate(&points[*a])));
        Self {
            least: open.last().map_or(0.0, |place| estimate(&points[*place])),
            points,
            open,
            records: records.max(1),
            planned: 0,
            best: None,
            failure: None,
        }
    }

    /// The next circuit worth planning.
    fn next(&mut self) -> Option<usize> {
        let place = self.open.pop()?;
        let hopeless = estimate(&self.points[place]) > MOST_ESTIMATE * self.least;
        let enough = self.planned >= MOST_PLANNED || hopeless;
        (self.best.is_none() || !enough).then_some(place)
    }

    fn note(
        &mut self,
        place: usize,
        planned: Result<Plan, PlanError>,
        name: impl FnOnce(&mut Recipe),
    ) -> Result<(), PlanError> {
        match planned {
            Ok(mut plan) => {
                name(&mut plan.recipe);
                self.planned += 1;
                self.take(place, plan);
            }
            Err(
                error @ (PlanError::NothingFits(_)
                | PlanError::DoesNotFit(_)
                | PlanError::TooMuchMemory { .. }),
            ) => self.refuse(place, error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn take(&mut self, place: usize, plan: Plan) {
        let seconds = plan.prediction().seconds();
        self.points[place].outcome = Outcome::Planned {
            n: plan.parameters().n(),
            records: plan.records(),
            seconds,
        };
        let all = seconds * self.records.div_ceil(plan.records().max(1)) as f64;
        let is_given = !self.points[place].optimised;
        let best = self.best.as_ref();
        if best.is_none_or(|(least, ..)| all < *least || (is_given && all == *least)) {
            self.best = Some((all, place, plan));
        }
    }

    /// Goes on with the shallowest circuit, and not with those at least as deep as this one.
    fn refuse(&mut self, place: usize, error: PlanError) {
        self.points[place].outcome = Outcome::Refused;
        let depth = |place: &usize| self.points[*place].measures.and_depth;
        if !matches!(error, PlanError::TooMuchMemory { .. }) {
            let refused = depth(&place);
            self.open.retain(|other| depth(other) < refused);
        }
        let shallowest = (0..self.open.len()).min_by_key(|index| depth(&self.open[*index]));
        if let Some(index) = shallowest {
            let next = self.open.remove(index);
            self.open.push(next);
        }
        self.failure = Some(error);
    }

    fn finish(self) -> Result<Choice, PlanError> {
        match (self.best, self.failure) {
            (Some((_, chosen, plan)), _) => Ok(Choice {
                plan,
                points: self.points,
                chosen,
            }),
            (None, Some(error)) => Err(error),
            (None, None) => Err(PlanError::Broken(
                "no variant of the circuit was tried".to_owned(),
            )),
        }
    }
}

/// About how much a circuit costs: dimension and limbs both grow with the depth.
fn estimate(point: &Point) -> f64 {
    let depth = f64::from(point.measures.and_depth.max(1));
    // Sums cost little beside products, but something.
    let operations = point.measures.and_count as f64 + point.measures.xor_count as f64 / 64.0;
    operations * depth * depth
}
