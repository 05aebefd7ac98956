mod opening;

use std::path::PathBuf;
use std::sync::Arc;

use ringmill_circuit::Circuit;
use ringmill_circuit::optimise::{Tell, Variant, front};
use ringmill_engine::{
    Choice, InputKey, InputPacking, Loading, OutputSource, Plan, PlanError, Planner, ProductForm,
    SlotSharing, available_memory, choose,
};
use ringmill_fv::{Parameters, PrimeRule, SecurityLevel};

use crate::calibration::calibration;
use crate::circuits::NamedCircuit;
use crate::former::FormerJob;
use crate::job::Job;
use crate::observer::{Progress, Running, Shared, Stage};
use crate::platform::{Cpu, Platform};
use crate::policy::Policy;
use crate::{Error, Observer};

/// The variants of a circuit that are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Optimise {
    /// The circuit as it is and optimised ones; the one that is predicted to be fastest is taken.
    #[default]
    Auto,
    /// The circuit as it is.
    Off,
    /// The variant with the fewest products.
    LeastProducts,
    /// The variant of the least depth.
    LeastDepth,
}

/// log2 of the probability of failure where results are shared.
const SHARED_FAILURE: f64 = -128.0;

/// How a circuit is planned: everything has a default, and [`Job::plan`] takes them all.
///
/// ```
/// use ringmill::{Optimise, Planning, circuits};
///
/// # fn main() -> Result<(), ringmill::Error> {
/// let circuit = circuits::by_name("and8")?;
/// let job = Planning::new().optimise(Optimise::Off).batch_records(1000).plan(&circuit)?;
/// assert!(job.plan_details().records() >= 1000);
/// println!("{}", job.plan_details().explain());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Planning {
    security: SecurityLevel,
    preset: Option<String>,
    form: Option<ProductForm>,
    prime_rule: PrimeRule,
    records: Option<usize>,
    batch_records: Option<usize>,
    input_key: InputKey,
    further_levels: u32,
    former: Option<FormerJob>,
    packing: Option<InputPacking>,
    slot_sharing: SlotSharing,
    shared_results: bool,
    loading: Loading,
    optimise: Optimise,
    memory: Option<u64>,
    spill_directory: Option<PathBuf>,
    recalibrate: bool,
    policy: Policy,
    observer: Shared,
}

impl Default for Planning {
    fn default() -> Self {
        Self {
            security: SecurityLevel::Bits128,
            preset: None,
            form: None,
            prime_rule: PrimeRule::Transform,
            records: None,
            batch_records: None,
            input_key: InputKey::Public,
            further_levels: 0,
            former: None,
            packing: None,
            slot_sharing: SlotSharing::Auto,
            shared_results: false,
            loading: Loading::AtOnce,
            optimise: Optimise::Auto,
            memory: None,
            spill_directory: None,
            recalibrate: false,
            policy: Policy::default(),
            observer: Arc::new(()),
        }
    }
}

impl Planning {
    /// Begins with the defaults: 128 bits of security, inputs encrypted with either key, the variant of the circuit
    /// and the parameters that are predicted to be fastest, the memory that this process can have.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bits of security that the smallest parameters must have.
    #[must_use]
    pub fn security(mut self, security: SecurityLevel) -> Self {
        self.security = security;
        self
    }

    /// Takes parameters by name, instead of choosing them. Those of the papers are insecure, and a note says so each
    /// time that they are used.
    #[must_use]
    pub fn preset(mut self, name: Option<impl Into<String>>) -> Self {
        self.preset = name.map(Into::into);
        self
    }

    /// How products are computed; whichever is predicted to be faster if this is `None`.
    #[must_use]
    pub fn form(mut self, form: Option<ProductForm>) -> Self {
        self.form = form;
        self
    }

    /// Chooses primes that follow this rule too, so that a machine of `hdl/` could compute with them.
    #[must_use]
    pub fn prime_rule(mut self, rule: PrimeRule) -> Self {
        self.prime_rule = rule;
        self
    }

    /// The records of the table: parameters are chosen for the least time for all of them, in however many batches. Unless
    /// this is said, they are the smallest that fit.
    #[must_use]
    pub fn records(mut self, records: usize) -> Self {
        self.records = Some(records);
        self
    }

    /// The records that a single batch must have room for.
    #[must_use]
    pub fn batch_records(mut self, records: usize) -> Self {
        self.batch_records = Some(records);
        self
    }

    /// The key that inputs will be encrypted with. A plan for the public key takes inputs under either.
    #[must_use]
    pub fn input_key(mut self, key: InputKey) -> Self {
        self.input_key = key;
        self
    }

    /// How private inputs come in ciphertexts. If this is `None`, a cipher's key comes as one record for all blocks, unless
    /// it does not fit or parameters are taken by name, and everything else a ciphertext for each wire.
    #[must_use]
    pub fn packing(mut self, packing: Option<InputPacking>) -> Self {
        self.packing = packing;
        self
    }

    /// Whether four records of bits share each slot. [`SlotSharing::Auto`], the default, lets them where that is predicted to
    /// take less time for the table ([`Planning::records`]).
    #[must_use]
    pub fn slot_sharing(mut self, sharing: SlotSharing) -> Self {
        self.slot_sharing = sharing;
        self
    }

    /// Whether results may be shared with others than the owner of the keys, and shall tell the owner nothing but
    /// themselves: decryption fails with a probability below 2^-128, and servers add encryptions of zero and drown the
    /// noise of results, for which they need the public key ([`Server::with_public_key`](crate::Server::with_public_key)).
    /// This takes a larger modulus. `SECURITY.md` says what it hides.
    #[must_use]
    pub fn shared_results(mut self, shared: bool) -> Self {
        self.shared_results = shared;
        self
    }

    /// Levels of products that results bear in later jobs, which go on with them ([`Planning::after`]). The modulus grows
    /// by as much as so many levels take.
    #[must_use]
    pub fn further_levels(mut self, levels: u32) -> Self {
        self.further_levels = levels;
        self
    }

    /// The private inputs are the results of another job, port by port: nothing is encrypted for this one. It has the
    /// other job's parameters and keys, and [`Server::evaluate_to`](crate::Server::evaluate_to) takes the file of its results.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if nothing can go on with that job's results.
    pub fn after<Q: Platform>(mut self, job: &Job<Q>) -> Result<Self, Error> {
        self.former = Some(FormerJob::new(job)?);
        Ok(self)
    }

    /// When inputs are in memory: all at once, or each when it is first used, from its file.
    #[must_use]
    pub fn loading(mut self, loading: Loading) -> Self {
        self.loading = loading;
        self
    }

    /// The variants of the circuit that are planned.
    #[must_use]
    pub fn optimise(mut self, optimise: Optimise) -> Self {
        self.optimise = optimise;
        self
    }

    /// Bytes that an evaluation may take; if this is `None`, what this process can have, or what a GPU has.
    #[must_use]
    pub fn memory(mut self, bytes: Option<u64>) -> Self {
        self.memory = bytes;
        self
    }

    /// A directory for values that memory has no room for. Without one, a job that needs more memory is refused.
    #[must_use]
    pub fn spill_directory(mut self, directory: Option<impl Into<PathBuf>>) -> Self {
        self.spill_directory = directory.map(Into::into);
        self
    }

    /// Whether to measure the device again, instead of using what was measured before.
    #[must_use]
    pub fn recalibrate(mut self, recalibrate: bool) -> Self {
        self.recalibrate = recalibrate;
        self
    }

    /// The policy for job files that are opened.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Whoever watches the planning and all that is done with the job.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Plans a circuit for this machine's processor.
    ///
    /// # Errors
    /// As [`Planning::plan_on`].
    pub fn plan(&self, circuit: &NamedCircuit) -> Result<Job, Error> {
        self.plan_on(&Arc::new(Cpu), circuit)
    }

    /// Plans a circuit by the speed of a platform's devices, which is measured at the first time and kept.
    ///
    /// # Errors
    /// [`ErrorKind::NoParameters`](crate::ErrorKind::NoParameters) if no parameters fit the circuit or the memory;
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for an unknown preset and for a circuit whose outputs depend on
    /// no private input.
    pub fn plan_on<P: Platform>(&self, platform: &Arc<P>, circuit: &NamedCircuit) -> Result<Job<P>, Error> {
        let preset = match &self.former {
            None => self.preset.as_deref().map(Parameters::preset).transpose()?,
            Some(former) => Some(former.parameters().clone()),
        };
        self.check_chain(circuit)?;
        let security = preset.as_ref().map_or(self.security, level);
        let mut planner = Planner::new(security)
            .with_input_key(self.input_key)
            .with_flooding(self.shared_results)
            .with_prime_rule(self.prime_rule)
            .with_loading(self.loading)
            .with_further_levels(self.further_levels)
            .with_slot_sharing(self.slot_sharing)
            .with_aggregates(circuit.aggregates())
            .with_calibration(calibration(&**platform, self.recalibrate, &*self.observer)?);
        if let Some(records) = self.records {
            planner = planner.with_table(records);
        }
        if let Some(records) = self.batch_records {
            planner = planner.with_records(records);
        }
        if let Some(form) = self.form {
            planner = planner.with_form(form);
        }
        if let Some(former) = &self.former {
            planner = planner.with_former(former.results());
        }
        if self.shared_results {
            planner = planner.with_log2_failure(SHARED_FAILURE);
        }
        let packed = self.packing.or_else(|| {
            let key = preset.is_none() && circuit.takes_only_a_key();
            key.then_some(InputPacking::Broadcast)
        });
        let plan = |packing| {
            let planner = planner.clone().with_packing(packing);
            self.choose(&circuit.circuit, |circuit| {
                self.within(planner.clone(), &**platform, |planner| match &preset {
                    None => planner.plan(circuit),
                    Some(parameters) => planner.plan_with(circuit, parameters),
                })
            })
        };
        let planned = plan(packed.unwrap_or_default());
        let (choice, evaluated) = match planned {
            // Taking a key apart adds noise.
            Err(_) if self.packing.is_none() && packed.is_some() => plan(InputPacking::Separate)?,
            planned => planned?,
        };
        check_private(&choice.plan)?;
        if let Some(former) = &self.former {
            former.check_keys(&circuit.name, &choice.plan)?;
        }
        let circuit = NamedCircuit {
            circuit: evaluated,
            ..circuit.clone()
        };
        let (points, chosen) = (choice.points, choice.chosen);
        Ok(Job::new(platform, circuit, choice.plan, &self.observer).with_points(points, chosen))
    }

    /// Sees that what is asked for suits a job before or after this one.
    fn check_chain(&self, circuit: &NamedCircuit) -> Result<(), Error> {
        let chained = self.former.is_some() || self.further_levels > 0;
        let refuse = |problem: &str| Err(Error::Usage(problem.to_owned()));
        if chained && self.form == Some(ProductForm::Bgv) {
            return refuse(
                "jobs that go on with results of others have products in the BFV form only (--form)",
            );
        }
        if self.further_levels > 0 && self.shared_results {
            return refuse(
                "--share-results drowns the noise of results, so that they bear nothing further; leave out \
                 --further-levels",
            );
        }
        let Some(former) = &self.former else {
            return Ok(());
        };
        if self.preset.is_some()
            || self
                .packing
                .is_some_and(|packing| packing != InputPacking::Separate)
        {
            return refuse(
                "--after: parameters and inputs are those of the job before; leave out --preset and --packing",
            );
        }
        former.check_ports(&circuit.name, &circuit.circuit)
    }

    /// A plan that keeps to the memory, with values put aside if there is a directory for them. If nothing is said, to
    /// the memory that this process can have, or to the devices' own if they have any and there is a plan that does.
    fn within(
        &self,
        mut planner: Planner,
        platform: &impl Platform,
        plan: impl Fn(&Planner) -> Result<Plan, PlanError>,
    ) -> Result<Plan, PlanError> {
        if let Some(directory) = &self.spill_directory {
            planner = planner.with_directory(directory);
        }
        let limited = |limit| plan(&planner.clone().with_memory_limit(limit));
        match (self.memory, platform.memory()) {
            (Some(memory), _) => limited(memory),
            (None, None) => available_memory().map_or_else(|| plan(&planner), limited),
            (None, Some(own)) => match limited(own) {
                // What does not fit is kept in the host's memory.
                Err(PlanError::TooMuchMemory { .. }) => plan(&planner),
                planned => planned,
            },
        }
    }

    /// Plans the circuit or a variant, whichever is predicted to take the least time; with the circuit that is planned.
    fn choose(
        &self,
        circuit: &Circuit,
        plan: impl Fn(&Circuit) -> Result<Plan, PlanError>,
    ) -> Result<(Choice, Circuit), Error> {
        let variants = match self.optimise {
            Optimise::Off => Vec::new(),
            _ => self
                .optimising(|tell| front(circuit, tell))
                .map_err(PlanError::from)?,
        };
        // From the deepest to the shallowest; what is as good as the circuit itself is not among them.
        let mut points: Vec<Option<&Variant>> = vec![None];
        points.extend(variants.iter().map(Some));
        let products = |point: &Option<&Variant>| {
            point.map_or(circuit.and_count(), |variant| variant.measures.and_count)
        };
        let depth = |point: &Option<&Variant>| {
            point.map_or(circuit.and_depth(), |variant| variant.measures.and_depth)
        };
        match self.optimise {
            Optimise::Auto | Optimise::Off => (),
            Optimise::LeastProducts => points = points.into_iter().min_by_key(products).into_iter().collect(),
            Optimise::LeastDepth => points = points.into_iter().min_by_key(depth).into_iter().collect(),
        }
        let _running = Running::begin(&*self.observer, Stage::Planning);
        let choice = choose(circuit, &points, self.records.unwrap_or(1), plan);
        let choice = choice.map_err(|error| match self.optimise {
            Optimise::Off | Optimise::LeastProducts => error,
            Optimise::Auto | Optimise::LeastDepth => error.after_optimising(),
        })?;
        let evaluated = match points.get(choice.chosen) {
            Some(Some(variant)) => variant.circuit.clone(),
            _ => circuit.clone(),
        };
        Ok((choice, evaluated))
    }

    /// Does what the optimiser is needed for.
    fn optimising<T>(&self, job: impl FnOnce(Tell<'_>) -> T) -> T {
        let running = Running::begin(&*self.observer, Stage::Optimising);
        job(&mut |fraction| running.tell(Progress::of(fraction)))
    }
}

/// Refuses a plan that leaves nothing to do under encryption: nobody wants one.
fn check_private(plan: &Plan) -> Result<(), Error> {
    let mut sources = plan.schedule().outputs().iter().flat_map(|port| &port.sources);
    if sources.any(|source| matches!(source, OutputSource::Encrypted(_))) {
        return Ok(());
    }
    Err(Error::Usage(
        "no output of the circuit depends on a private input: all are constants, or follow from public inputs alone. \
         Is it the circuit that was meant, with the right choices of --then and --public?"
            .to_owned(),
    ))
}

/// The level at which larger parameters are looked for when these do not fit.
fn level(parameters: &Parameters) -> SecurityLevel {
    parameters.security().standard.unwrap_or(SecurityLevel::Bits128)
}

/// Notes what is wrong with the security of parameters, every time they are used.
pub fn warn_if_insecure(parameters: &Parameters, observer: &dyn Observer) {
    if let Some(warning) = &parameters.security().warning {
        observer.note(&format!(
            "warning: parameters {} are INSECURE: {warning}",
            parameters.name()
        ));
    }
}
