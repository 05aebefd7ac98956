//! From names and files to plans and contexts.

use std::path::Path;
use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_circuit::Circuit;
use ringmill_device::CpuDevice;
use ringmill_engine::{InputKey, Plan, Planner, Recipe};
use ringmill_fv::format::FormatError;
use ringmill_fv::{Context, Parameters, SecurityLevel};

use crate::arguments::{ParameterChoice, Secrecy};
use crate::calibration::calibration;
use crate::circuits::{CircuitChoice, Named};
use crate::error::CliError;
use crate::files;

/// Parameters on the CPU.
pub type CpuContext = Context<CpuDevice>;

/// A circuit, how it is evaluated, and what with.
pub struct Session {
    /// The circuit.
    pub named: Named,
    /// Its plan: a function of circuit, parameters and recipe, so that files need not hold it.
    pub plan: Plan,
    /// The parameters on the CPU.
    pub context: CpuContext,
}

impl Session {
    /// With the parameters and the recipe in a file.
    pub fn open(choice: &CircuitChoice, params: &Path) -> Result<Self, CliError> {
        Self::open_within(choice, params, None)
    }

    /// The same, to be evaluated within so many GiB of memory.
    pub fn open_within(choice: &CircuitChoice, params: &Path, memory: Option<f64>) -> Result<Self, CliError> {
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
        let named = choice.build()?;
        let planner = within(Planner::new(level(&parameters)), memory);
        let plan = planner.plan_exactly(&named.circuit, &parameters, &recipe);
        let plan = plan.map_err(|error| CliError::plan_of_file(params, &named.name, error))?;
        Self::new(named, plan)
    }

    /// With the parameters of a plan.
    pub fn new(named: Named, plan: Plan) -> Result<Self, CliError> {
        let context = context(plan.parameters().clone())?;
        Ok(Self { named, plan, context })
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.named.circuit
    }
}

/// Plans a circuit as wished on the command line, by this machine's calibration, and warns if the
/// parameters are insecure.
pub fn plan(circuit: &Circuit, choice: &ParameterChoice, key: InputKey) -> Result<Plan, CliError> {
    let planner = |level| -> Result<Planner, CliError> {
        let mut planner = within(Planner::new(level), choice.memory)
            .with_input_key(key)
            .with_calibration(calibration(choice.recalibrate)?);
        if let Some(records) = choice.records {
            planner = planner.with_records(records as usize);
        }
        if let Some(form) = choice.form.form() {
            planner = planner.with_form(form);
        }
        Ok(planner)
    };
    let plan = match &choice.preset {
        None => planner(choice.security.into())?.plan(circuit)?,
        Some(name) => {
            let parameters = Parameters::preset(name)?;
            planner(level(&parameters))?.plan_with(circuit, &parameters)?
        }
    };
    warn(plan.parameters());
    Ok(plan)
}

/// The planner, kept to so many GiB.
fn within(planner: Planner, memory: Option<f64>) -> Planner {
    match memory {
        Some(memory) => planner.with_memory_limit((memory * f64::from(1 << 30)) as u64),
        None => planner,
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

/// A context on the CPU, with the kernel that the environment asks for.
pub fn context(parameters: Parameters) -> Result<CpuContext, CliError> {
    let device = CpuDevice::new(parameters.ring(), Kernel::from_environment()?);
    Ok(Context::new(parameters, Arc::new(device))?)
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
