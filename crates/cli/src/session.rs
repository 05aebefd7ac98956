//! From names and files to plans and contexts.

use std::path::Path;

use ringmill_circuit::Circuit;
use ringmill_device::Device;
use ringmill_engine::{
    Choice, InputKey, Loading, OutputSource, Plan, PlanError, Planner, Recipe, available_memory,
};
use ringmill_fv::format::FormatError;
use ringmill_fv::{Context, Parameters, SecurityLevel};

use crate::arguments::{MemoryChoice, ParameterChoice, Secrecy};
use crate::calibration::calibration;
use crate::circuits::{CircuitChoice, Named};
use crate::device::Devices;
use crate::error::CliError;
use crate::files;
use crate::input::is_standard;
use crate::optimising::{self, Optimise, watched};
use crate::report::bytes;

/// A circuit, how it is evaluated, and what with.
pub struct Session<D: Device> {
    /// The circuit.
    pub named: Named,
    /// Its plan: a function of circuit, parameters and recipe, so that files need not hold it.
    pub plan: Plan,
    /// The parameters on a device.
    pub context: Context<D>,
}

impl<D: Device> Session<D> {
    /// With the parameters and the recipe in a file.
    pub fn open(
        devices: &impl Devices<Device = D>,
        choice: &CircuitChoice,
        params: &Path,
    ) -> Result<Self, CliError> {
        Self::open_and_plan(devices, choice, params, Planner::plan_exactly)
    }

    /// The same, to be evaluated on inputs from a file within a memory ([`within`]).
    pub fn open_within(
        devices: &impl Devices<Device = D>,
        choice: &CircuitChoice,
        params: &Path,
        (memory, inputs): (&MemoryChoice, &Path),
    ) -> Result<Self, CliError> {
        let session =
            Self::open_and_plan(devices, choice, params, |planner, circuit, parameters, recipe| {
                let planner = planner.clone().with_loading(loading(inputs));
                within(planner, memory, devices, |planner| {
                    planner.plan_exactly(circuit, parameters, recipe)
                })
            })?;
        let aside = session.plan.prediction().memory;
        if let (Some(directory), true) = (&memory.spill_dir, aside.written > 0) {
            eprintln!(
                "note: memory has no room for all values; each batch puts about {} aside in {}, and reads {} from there",
                bytes(aside.written),
                directory.display(),
                bytes(aside.read)
            );
        }
        Ok(session)
    }

    fn open_and_plan(
        devices: &impl Devices<Device = D>,
        choice: &CircuitChoice,
        params: &Path,
        plan: impl FnOnce(&Planner, &Circuit, &Parameters, &Recipe) -> Result<Plan, PlanError>,
    ) -> Result<Self, CliError> {
        let (parameters, recipe) = files::read(params, |input| {
            let parameters = Parameters::read(&mut *input)?;
            let recipe = Recipe::read(input, &parameters).map_err(|error| match error {
                FormatError::Truncated => FormatError::BadValue {
                    field: "plan",
                    problem:
                        "there is none or it is cut off; make the file anew with `ringmill params --circuit`"
                            .to_owned(),
                },
                error => error,
            })?;
            Ok((parameters, recipe))
        })?;
        warn(&parameters);
        let mut named = choice.build()?;
        let of_file = |error| CliError::plan_of_file(params, &named.name, error);
        if recipe.variant.is_some() {
            let evaluated = watched(|progress| {
                let evaluated = recipe.evaluated(&named.circuit, progress)?;
                Ok(evaluated.into_owned())
            });
            named.circuit = evaluated.map_err(of_file)?;
        }
        let planner = Planner::new(level(&parameters));
        let plan = plan(&planner, &named.circuit, &parameters, &recipe);
        let plan = plan.map_err(|error| CliError::plan_of_file(params, &named.name, error))?;
        Self::new(devices, named, plan)
    }

    /// With the parameters of a plan. Says if the device has less memory than an evaluation will take.
    pub fn new(devices: &impl Devices<Device = D>, named: Named, plan: Plan) -> Result<Self, CliError> {
        let context = devices.context(plan.parameters().clone())?;
        let needed = plan.prediction().memory.peak;
        match context.device().memory() {
            Some(memory) if memory < needed => eprintln!(
                "note: an evaluation of {} takes about {}, and {} has {}; what does not fit is kept in the host's memory",
                named.name,
                bytes(needed),
                context.device().name(),
                bytes(memory)
            ),
            _ => (),
        }
        Ok(Self { named, plan, context })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.named.circuit
    }
}

/// How a circuit is to be planned, beside the choices of parameters.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// The variants to choose among.
    pub optimise: Optimise,
    /// The key that inputs are encrypted with.
    pub key: InputKey,
    /// When they are in memory.
    pub loading: Loading,
}

/// Plans a circuit or a variant as wished on the command line, by the calibration of a device, and warns if
/// the parameters are insecure.
pub fn plan(
    devices: &impl Devices,
    circuit: &Circuit,
    choice: &ParameterChoice,
    wishes: Wishes,
) -> Result<Choice, CliError> {
    let preset = choice.preset.as_deref().map(Parameters::preset).transpose()?;
    let security = preset.as_ref().map_or(choice.security.into(), level);
    let mut planner = Planner::new(security)
        .with_input_key(wishes.key)
        .with_loading(wishes.loading)
        .with_calibration(calibration(devices, choice.recalibrate)?);
    if let Some(records) = choice.records {
        planner = planner.with_records(records as usize);
    }
    if let Some(form) = choice.form.form() {
        planner = planner.with_form(form);
    }
    let records = choice.records.map_or(1, |records| records as usize);
    let choice = optimising::plan(circuit, wishes.optimise, records, |circuit| {
        within(
            planner.clone(),
            &choice.memory,
            devices,
            |planner| match &preset {
                None => planner.plan(circuit),
                Some(parameters) => planner.plan_with(circuit, parameters),
            },
        )
    })?;
    warn(choice.plan.parameters());
    check_private(&choice.plan)?;
    Ok(choice)
}

/// Refuses a plan that leaves nothing to do under encryption: nobody wants one.
fn check_private(plan: &Plan) -> Result<(), CliError> {
    let mut sources = plan.schedule().outputs().iter().flat_map(|port| &port.sources);
    if sources.any(|source| matches!(source, OutputSource::Encrypted(_))) {
        return Ok(());
    }
    Err(CliError::Usage(
        "no output of the circuit depends on a private input: all are constants, or follow from public inputs alone. \
         Is it the circuit that was meant, with the right choices of --then and --public?"
            .to_owned(),
    ))
}

/// When inputs from a file are in memory: what comes by standard input cannot be read again.
fn loading(inputs: &Path) -> Loading {
    if is_standard(inputs) {
        Loading::AtOnce
    } else {
        Loading::WhenUsed
    }
}

/// A plan that keeps to so many GiB, with values put aside if there is a directory for them. If nothing is said, to the
/// memory that this process can have, or to the devices' own if they have any and there is a plan that does.
pub fn within(
    mut planner: Planner,
    choice: &MemoryChoice,
    devices: &impl Devices,
    plan: impl Fn(&Planner) -> Result<Plan, PlanError>,
) -> Result<Plan, PlanError> {
    if let Some(directory) = &choice.spill_dir {
        planner = planner.with_directory(directory);
    }
    let limited = |limit| plan(&planner.clone().with_memory_limit(limit));
    match (choice.memory, devices.memory()) {
        (Some(memory), _) => limited((memory * f64::from(1 << 30)) as u64),
        (None, None) => available_memory().map_or_else(|| plan(&planner), limited),
        (None, Some(own)) => match limited(own) {
            // What does not fit is kept in the host's memory.
            Err(PlanError::TooMuchMemory { .. }) => plan(&planner),
            planned => planned,
        },
    }
}

impl From<Secrecy> for InputKey {
    fn from(secrecy: Secrecy) -> Self {
        match secrecy {
            Secrecy::Public => Self::Public,
            Secrecy::Secret => Self::Secret,
        }
    }
}

/// The level at which larger parameters are looked for when these do not fit.
fn level(parameters: &Parameters) -> SecurityLevel {
    parameters.security().standard.unwrap_or(SecurityLevel::Bits128)
}

/// Says on standard error what is wrong with the security of parameters, every time they are used.
pub fn warn(parameters: &Parameters) {
    if let Some(warning) = &parameters.security().warning {
        eprintln!(
            "warning: parameters {} are INSECURE: {warning}",
            parameters.name()
        );
    }
}
