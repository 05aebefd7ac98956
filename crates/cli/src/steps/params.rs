use std::path::Path;

use ringmill_circuit::Circuit;
use ringmill_engine::{Choice, Loading};
use ringmill_fv::format::Access;
use serde::Serialize;

use super::messages;
use crate::arguments::ParamsArguments;
use crate::device::{self, Devices};
use crate::error::CliError;
use crate::files::{self, Content};
use crate::input::check_inputs;
use crate::optimising::{self, Optimise, PointSummary};
use crate::report::{bytes, print_beside};
use crate::session::{self, Wishes};
use crate::summary::{ParameterSummary, PlanSummary};

#[derive(Serialize)]
struct Report {
    circuit: String,
    parameters: ParameterSummary,
    plan: PlanSummary,
    /// The circuit and what the optimiser made of it.
    points: Vec<PointSummary>,
    /// Bytes that the device has of its own.
    device_memory: Option<u64>,
    /// What was not taken, the best of them first.
    not_taken: Vec<NotTaken>,
    file: Option<String>,
    file_bytes: Option<u64>,
}

#[derive(Serialize)]
struct NotTaken {
    parameters: String,
    reason: String,
}

/// Plans a circuit, and writes parameters and recipe; without a circuit the parameters of a preset.
pub fn run(arguments: &ParamsArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.choice.memory.check()?;
    if let Some(path) = &arguments.output {
        files::check_output(path, arguments.force, Content::Binary)?;
    }
    let Some(circuit) = &arguments.circuit else {
        return messages::params::run(arguments);
    };
    let named = circuit.build()?;
    let job = MakePlan(&named.circuit, circuit.optimise, arguments);
    let (choice, device_memory) = arguments.device.device.run(job)?;
    let plan = &choice.plan;
    let parameters = plan.parameters();
    let file_bytes = match &arguments.output {
        None => None,
        Some(path) => {
            let written = files::write(path, Access::Public, |mut out| {
                parameters.write(&mut out)?;
                Ok(plan.recipe().write(out, parameters)?)
            });
            Some(written?.1)
        }
    };
    let rejected = plan.rejected().iter().map(|rejection| NotTaken {
        parameters: rejection.name.clone(),
        reason: rejection.reason.clone(),
    });
    let report = Report {
        circuit: named.name,
        parameters: ParameterSummary::new(parameters),
        plan: PlanSummary::new(plan),
        points: optimising::summary(&choice),
        device_memory,
        not_taken: rejected.collect(),
        file: arguments.output.as_ref().map(|path| path.display().to_string()),
        file_bytes,
    };
    let output = arguments.output.as_deref().unwrap_or(Path::new(""));
    print_beside(output, arguments.json, &report, || {
        let written = report.file.as_ref();
        let written = written.map_or(String::new(), |file| format!("written to {file}\n"));
        let memory = report.device_memory.map_or(String::new(), |memory| {
            format!(
                "{} has {} of its own memory\n",
                arguments.device.device,
                bytes(memory)
            )
        });
        format!(
            "{}\n{}{}{memory}{written}",
            plan.explain().trim_end(),
            optimising::text(&report.points),
            report.plan.line()
        )
    })
}

struct MakePlan<'a>(&'a Circuit, Optimise, &'a ParamsArguments);

impl device::Job for MakePlan<'_> {
    /// With the bytes that the device has of its own.
    type Output = (Choice, Option<u64>);

    fn run<F: Devices>(self, devices: &F) -> Result<Self::Output, CliError> {
        let Self(circuit, optimise, arguments) = self;
        let wishes = Wishes {
            optimise,
            key: arguments.input_key.into(),
            loading: Loading::WhenUsed,
        };
        let planned = session::plan(devices, circuit, &arguments.choice, wishes)?;
        Ok((planned, devices.memory()))
    }
}
