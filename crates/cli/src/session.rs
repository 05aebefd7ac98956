//! From names and files to plans and contexts.

use std::path::Path;
use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_circuit::Circuit;
use ringmill_device::CpuDevice;
use ringmill_engine::{Plan, Planner};
use ringmill_fv::{Context, Parameters, SecurityLevel};

use crate::arguments::ParameterChoice;
use crate::circuits::CircuitName;
use crate::error::CliError;
use crate::files;

/// Parameters on the CPU.
pub type CpuContext = Context<CpuDevice>;

/// A circuit, how it is evaluated, and what with.
pub struct Session {
    /// The circuit.
    pub circuit: Circuit,
    /// Its plan: a function of the circuit and the parameters, so that files need not hold it.
    pub plan: Plan,
    /// The parameters on the CPU.
    pub context: CpuContext,
}

impl Session {
    /// With the parameters in a file.
    pub fn open(circuit: CircuitName, params: &Path) -> Result<Self, CliError> {
        let parameters = read_parameters(params)?;
        let circuit = circuit.build()?;
        let plan = Planner::new(level(&parameters)).plan_with(&circuit, &parameters)?;
        Self::new(circuit, plan)
    }

    /// With the parameters of a plan.
    pub fn new(circuit: Circuit, plan: Plan) -> Result<Self, CliError> {
        let context = context(plan.parameters().clone())?;
        Ok(Self {
            circuit,
            plan,
            context,
        })
    }
}

/// Plans a circuit with the parameters chosen on the command line, and warns if they are insecure.
pub fn plan(circuit: &Circuit, choice: &ParameterChoice) -> Result<Plan, CliError> {
    let plan = match &choice.preset {
        None => Planner::new(choice.security.into()).plan(circuit)?,
        Some(name) => {
            let parameters = Parameters::preset(name)?;
            warn(&parameters);
            return Ok(Planner::new(level(&parameters)).plan_with(circuit, &parameters)?);
        }
    };
    warn(plan.parameters());
    Ok(plan)
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

/// Reads parameters, and warns if they are insecure.
pub fn read_parameters(path: &Path) -> Result<Parameters, CliError> {
    let parameters = files::read(path, |input| Parameters::read(input))?;
    warn(&parameters);
    Ok(parameters)
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
