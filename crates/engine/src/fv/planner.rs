use std::path::PathBuf;

use ringmill_circuit::{Aggregate, Circuit};
use ringmill_fv::{Parameters, PrimeRule, SecurityLevel};

use crate::error::PlanError;
use crate::fv::calibration::{Calibration, Rates};
use crate::fv::candidates::DIMENSIONS;
use crate::fv::former::FormerResults;
use crate::fv::misfit::{Misfit, Obstacle, RingMisfit};
use crate::fv::packed::InputPacking;
use crate::fv::placed::place;
use crate::fv::plan::Plan;
use crate::fv::prepared::Prepared;
use crate::fv::product_form::ProductForm;
use crate::fv::recipe::Recipe;
use crate::fv::rules::{Demand, InputKey};
use crate::fv::search::{Found, Search};
use crate::fv::select::Selection;
use crate::fv::sharing::SlotSharing;
use crate::fv::slot_maps::fermat_ring;
use crate::ir::origins::Origins;
use crate::ir::program::Program;
use crate::schedule::memory::Loading;

/// Makes plans for circuits.
///
/// ```
/// use ringmill_circuit::simon;
/// use ringmill_engine::Planner;
/// use ringmill_fv::SecurityLevel;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plan = Planner::new(SecurityLevel::Bits128).plan(&simon::decrypt_circuit()?)?;
/// assert_eq!(plan.parameters().n(), 32768);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Planner {
    pub(crate) security: SecurityLevel,
    pub(crate) records: usize,
    /// Records of the table that is planned for, if it is known.
    pub(crate) table: Option<usize>,
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) loading: Loading,
    pub(crate) log2_failure: f64,
    pub(crate) inputs: InputKey,
    pub(crate) flooding: bool,
    pub(crate) packing: InputPacking,
    pub(crate) former: Option<FormerResults>,
    pub(crate) further: u32,
    pub(crate) calibration: Calibration,
    pub(crate) forms: Vec<ProductForm>,
    pub(crate) prime_rule: PrimeRule,
    /// Of the output ports in order; none for a result for each record.
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) sharing: SlotSharing,
    /// Bits of margin beyond the reserve, for what the model does not see.
    pub(crate) room: f64,
}

/// Bits of tolerance beyond which a recipe is not one of this planner's.
const MOST_TOLERANCE: f64 = 64.0;

impl Planner {
    /// A planner for this security level: any number of records and bytes of memory, the threads of the
    /// current rayon pool, a probability of 2^-64 that any output is wrong, a typical machine.
    #[must_use]
    pub fn new(security: SecurityLevel) -> Self {
        Self {
            security,
            records: 1,
            table: None,
            threads: rayon::current_num_threads(),
            memory: None,
            directory: None,
            loading: Loading::AtOnce,
            log2_failure: -64.0,
            inputs: InputKey::Public,
            flooding: false,
            packing: InputPacking::Separate,
            former: None,
            further: 0,
            calibration: Calibration::default(),
            forms: ProductForm::ALL.to_vec(),
            prime_rule: PrimeRule::Transform,
            aggregates: Vec::new(),
            sharing: SlotSharing::default(),
            room: 0.0,
        }
    }

    /// Requires at least the given number of records in a batch.
    #[must_use]
    pub fn with_records(mut self, records: usize) -> Self {
        self.records = records;
        self
    }

    /// Plans for a table of so many records: larger rings than the smallest that fits are tried too, and the least time for
    /// all batches counts.
    #[must_use]
    pub fn with_table(mut self, records: usize) -> Self {
        self.table = Some(records);
        self
    }

    /// Plans for the given number of steps in progress at a time.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Keeps the predicted memory below the given number of bytes.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Puts values aside into a file in a directory where the memory limit leaves no room for them.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Predicts memory for inputs that are all there from the beginning, as is predicted otherwise too, or for
    /// inputs that are read when they are used ([`StoredWire`](crate::StoredWire)).
    #[must_use]
    pub fn with_loading(mut self, loading: Loading) -> Self {
        self.loading = loading;
        self
    }

    /// Allows any output of a batch to be wrong with this probability: a finite, negative logarithm.
    #[must_use]
    pub fn with_log2_failure(mut self, log2_failure: f64) -> Self {
        self.log2_failure = log2_failure;
        self
    }

    /// Plans for inputs encrypted under this key; [`InputKey::Public`] otherwise. Inputs encrypted under
    /// the public key must not be given to a plan for the secret one.
    #[must_use]
    pub fn with_input_key(mut self, inputs: InputKey) -> Self {
        self.inputs = inputs;
        self
    }

    /// Chooses primes that follow this rule too; [`PrimeRule::Transform`] otherwise.
    #[must_use]
    pub fn with_prime_rule(mut self, rule: PrimeRule) -> Self {
        self.prime_rule = rule;
        self
    }

    /// Plans for outputs whose noise is drowned before they are returned ([`Plan::log2_flood`]), so that it says
    /// nothing of the circuit and of the evaluator's data.
    #[must_use]
    pub fn with_flooding(mut self, flooding: bool) -> Self {
        self.flooding = flooding;
        self
    }

    /// Plans for private inputs that come packed; [`InputPacking::Separate`] otherwise.
    #[must_use]
    pub fn with_packing(mut self, packing: InputPacking) -> Self {
        self.packing = packing;
        self
    }

    /// Plans for private inputs that are the results of another plan, of the same parameters and keys. Products are in the
    /// BFV form then.
    #[must_use]
    pub fn with_former(mut self, former: FormerResults) -> Self {
        self.former = Some(former);
        self.with_form(ProductForm::Bfv)
    }

    /// Plans for results that bear so many levels of products more, in plans that go on with them. Products are in the BFV
    /// form then, unless there are none.
    #[must_use]
    pub fn with_further_levels(mut self, levels: u32) -> Self {
        self.further = levels;
        if levels > 0 {
            return self.with_form(ProductForm::Bfv);
        }
        self
    }

    /// Plans totals over the records of a batch, one for each output port in order; no aggregates plan a result for each
    /// record. Evaluating then takes a public input more: [`Plan::present`].
    #[must_use]
    pub fn with_aggregates(mut self, aggregates: Vec<Aggregate>) -> Self {
        self.aggregates = aggregates;
        self
    }

    /// Plans so that four records share each slot, or not; [`SlotSharing::Auto`] otherwise.
    #[must_use]
    pub fn with_slot_sharing(mut self, sharing: SlotSharing) -> Self {
        self.sharing = sharing;
        self
    }

    /// Predicts time by these measurements.
    #[must_use]
    pub fn with_calibration(mut self, calibration: Calibration) -> Self {
        self.calibration = calibration;
        self
    }

    /// Plans products in this form only; otherwise in the one that is predicted to take less time.
    #[must_use]
    pub fn with_form(mut self, form: ProductForm) -> Self {
        self.forms = vec![form];
        self
    }

    /// Plans with the smallest ring of the security level that the circuit fits, or with the one that is predicted to take
    /// the least time for a table ([`Planner::with_table`]), and there with the primes and the form that are predicted to
    /// take the least time.
    ///
    /// # Errors
    /// [`PlanError::NothingFits`] with the reason for each dimension; [`PlanError::TooMuchMemory`];
    /// [`PlanError::MixedRows`]; [`PlanError::BadDemand`]; [`PlanError::CannotShare`].
    pub fn plan(&self, circuit: &Circuit) -> Result<Plan, PlanError> {
        self.check()?;
        self.in_slots(|planner| planner.plan_anywhere(circuit))
    }

    fn plan_anywhere(&self, circuit: &Circuit) -> Result<Plan, PlanError> {
        let (mut rejected, mut rings) = (Vec::new(), Vec::new());
        let mut best: Option<Plan> = None;
        let mut prepared = self.prepared(circuit, DIMENSIONS[0])?;
        for (index, n) in DIMENSIONS.into_iter().enumerate() {
            if index > 0 && !self.aggregates.is_empty() {
                prepared = self.prepared(circuit, n)?;
            }
            let found = match (Search::new(self, &prepared, n).run(), &best) {
                (Ok(found), _) => found,
                // There is a plan already.
                (Err(_), Some(_)) => break,
                (Err(error), None) => return Err(error),
            };
            match found {
                Found::Plan(plan) => match best.take() {
                    None => best = Some(*plan),
                    Some(smaller) if self.seconds_for_all(&plan) < self.seconds_for_all(&smaller) => {
                        rejected.push(self.slower(&smaller, &plan));
                        rejected.extend(smaller.rejected);
                        best = Some(*plan);
                    }
                    Some(smaller) => {
                        rejected.push(self.slower(&plan, &smaller));
                        best = Some(smaller);
                        break;
                    }
                },
                Found::Nothing { obstacle, tried } => {
                    rings.push(RingMisfit { n, obstacle });
                    rejected.extend(tried);
                }
            }
            // Two batches or more might be one of a larger ring.
            if best.as_ref().is_some_and(|best| self.batches(best) < 2) {
                break;
            }
        }
        let Some(mut best) = best else {
            return Err(self.misfit(circuit, &prepared.program, rings));
        };
        best.rejected.splice(0..0, rejected);
        Ok(best)
    }

    /// The circuit in a ring.
    fn prepared<'a>(&self, circuit: &'a Circuit, n: usize) -> Result<Prepared<'a>, PlanError> {
        match self.sharing {
            SlotSharing::Always => Prepared::shared(circuit),
            SlotSharing::Auto | SlotSharing::Never => Prepared::new(circuit, &self.aggregates, n),
        }
    }

    fn misfit(&self, circuit: &Circuit, program: &Program, rings: Vec<RingMisfit>) -> PlanError {
        let plain = (!self.aggregates.is_empty()).then(|| Prepared::plain(circuit).ok());
        PlanError::NothingFits(Box::new(Misfit {
            bits: self.security.bits(),
            depth: program.depth() + self.further,
            without_totals: plain.flatten().map(|plain| plain.program.depth()),
            optimised: false,
            rings,
        }))
    }

    /// Checks that what is asked for means something.
    fn check(&self) -> Result<(), PlanError> {
        let failure = self.log2_failure;
        let bad = |what, value, expected| {
            Err(PlanError::BadDemand {
                what,
                value,
                expected,
            })
        };
        if !(failure.is_finite() && failure < 0.0) {
            return bad(
                "log2 of the probability of failure",
                failure,
                "negative and finite",
            );
        }
        for nanoseconds in self.calibration.rates.iter().flat_map(Rates::all) {
            if !(nanoseconds.is_finite() && nanoseconds >= 0.0) {
                return bad(
                    "a time of the calibration",
                    nanoseconds,
                    "finite and not negative",
                );
            }
        }
        Ok(())
    }

    /// The terms that a program's noise must meet.
    pub(crate) fn demand(&self, program: &Program) -> Demand {
        Demand {
            log2_failure: self.log2_failure,
            ciphertexts: program.encrypted_outputs().count(),
            inputs: self.inputs,
            flooding: self.flooding,
            unpacking: None,
            former: self.former,
            further: self.further,
            related: self.is_chained() || Origins::has_squares(&program.operations),
        }
    }

    /// Plans with exactly these parameters, secure or not.
    ///
    /// # Errors
    /// [`PlanError::DoesNotFit`], [`PlanError::TooFewRecords`], [`PlanError::NotBinary`],
    /// [`PlanError::NoBitSlots`], [`PlanError::TooMuchMemory`], [`PlanError::MixedRows`], [`PlanError::BadDemand`],
    /// [`PlanError::CannotShare`].
    pub fn plan_with(&self, circuit: &Circuit, parameters: &Parameters) -> Result<Plan, PlanError> {
        self.check()?;
        self.in_slots(|planner| planner.plan_there(circuit, parameters))
    }

    /// Whether inputs are results of another plan, or results inputs of others.
    pub(crate) fn is_chained(&self) -> bool {
        self.former.is_some() || self.further > 0
    }

    fn plan_there(&self, circuit: &Circuit, parameters: &Parameters) -> Result<Plan, PlanError> {
        fermat_ring(parameters)?;
        let prepared = self.prepared(circuit, parameters.n())?;
        let placed = place(&prepared, parameters, (self.packing, self.is_chained()))?;
        let mut best: Option<Plan> = None;
        let mut failure = None;
        for form in &self.forms {
            let planned = self
                .require_depth(&prepared.program, parameters, *form)
                .and_then(|()| Selection::new(self, &prepared, &placed, parameters, *form)?.plan());
            match planned {
                Ok(plan) => best = Some(cheaper(best, plan)),
                Err(error) => failure = Some(closer(failure, error)),
            }
        }
        match (best, failure) {
            (Some(plan), _) => Ok(plan),
            (None, Some(PlanError::DoesNotFit(mut shortfall))) => {
                shortfall.needed = DIMENSIONS.into_iter().filter(|n| *n > parameters.n()).find(|n| {
                    let prepared = self.prepared(circuit, *n);
                    let found = prepared.and_then(|prepared| Search::new(self, &prepared, *n).run());
                    matches!(found, Ok(Found::Plan(_)))
                });
                Err(PlanError::DoesNotFit(shortfall))
            }
            (None, Some(error)) => Err(error),
            (None, None) => Err(self.misfit(circuit, &prepared.program, Vec::new())),
        }
    }

    /// Plans as a recipe says, which was made with the same circuit and parameters; the circuit is the one that
    /// [`Recipe::evaluated`] returns. The plan is the same,
    /// but for the order of its steps. Security, form, tolerance, key, packing and probability of failure of the
    /// planner itself do not matter.
    ///
    /// # Errors
    /// [`PlanError::OtherCircuit`]; [`PlanError::OtherAggregates`]; those of [`Planner::plan_with`], [`PlanError::BadDemand`] for a recipe with
    /// numbers that no plan has too.
    pub fn plan_exactly(
        &self,
        circuit: &Circuit,
        parameters: &Parameters,
        recipe: &Recipe,
    ) -> Result<Plan, PlanError> {
        recipe.check(circuit)?;
        if !(0.0..=MOST_TOLERANCE).contains(&recipe.tolerance) {
            return Err(PlanError::BadDemand {
                what: "the tolerance of the recipe",
                value: recipe.tolerance,
                expected: "0 to 64 bits",
            });
        }
        let planner = self
            .clone()
            .with_input_key(recipe.input_key)
            .with_log2_failure(recipe.log2_failure)
            .with_flooding(recipe.flooding)
            .with_packing(recipe.packing)
            .with_slot_sharing(match recipe.shared {
                true => SlotSharing::Always,
                false => SlotSharing::Never,
            })
            .with_further_levels(recipe.further);
        let planner = match recipe.former {
            Some(former) => planner.with_former(former),
            None => planner,
        };
        planner.check()?;
        fermat_ring(parameters)?;
        if recipe.shared {
            planner.require_sharing()?;
        }
        let prepared = planner.prepared(circuit, parameters.n())?;
        if prepared.aggregates != recipe.aggregates {
            return Err(PlanError::OtherAggregates);
        }
        let placed = place(&prepared, parameters, (recipe.packing, planner.is_chained()))?;
        let selection = Selection::new(&planner, &prepared, &placed, parameters, recipe.form)?;
        let mut plan = selection.plan_exactly(recipe.tolerance)?;
        (plan.recipe.circuit, plan.recipe.variant) = (recipe.circuit, recipe.variant);
        Ok(plan)
    }
}

fn cheaper(best: Option<Plan>, plan: Plan) -> Plan {
    match best {
        Some(best) if best.prediction().work <= plan.prediction().work => best,
        _ => plan,
    }
}

/// The error of the form in which more products fit.
fn closer(first: Option<PlanError>, second: PlanError) -> PlanError {
    match first {
        Some(first) if Obstacle::of(&first).closeness() >= Obstacle::of(&second).closeness() => first,
        _ => second,
    }
}
