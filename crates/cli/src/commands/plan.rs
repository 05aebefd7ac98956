use std::path::Path;
use std::sync::Arc;

use ringmill::files::Content;
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Job, Loading, NamedCircuit};
use serde::Serialize;

use super::messages;
use crate::arguments::{PlanArguments, check_inputs};
use crate::error::CliError;
use crate::points::{self, PointSummary};
use crate::progress::Terminal;
use crate::report::{bytes, print_beside};
use crate::summary::{ParameterSummary, PlanSummary};

#[derive(Serialize)]
struct Report {
    circuit: String,
    parameters: ParameterSummary,
    plan: PlanSummary,
    /// The reason why the parameters are insecure, if they are.
    insecure: Option<String>,
    /// The circuit and what the optimiser made of it.
    points: Vec<PointSummary>,
    /// Bytes that the device has of its own.
    device_memory: Option<u64>,
    /// The parameters that were not taken, the best of them first.
    not_taken: Vec<NotTaken>,
    file: Option<String>,
    file_bytes: Option<u64>,
}

#[derive(Serialize)]
struct NotTaken {
    parameters: String,
    reason: String,
}

/// Plans a circuit, and writes its job; without a circuit the parameters of a preset.
pub fn run(arguments: &PlanArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.choice.memory.check()?;
    if let Some(output) = arguments.file() {
        output.check(Content::Binary)?;
    }
    if let Some(plan) = arguments.program.plan(arguments.choice.security)? {
        return messages::plan::program(arguments, &plan);
    }
    let Some(circuit) = arguments.function.build()? else {
        return messages::plan::run(arguments);
    };
    let platform = arguments.device.open(&Terminal::default())?;
    platform.run(MakePlan(circuit, arguments))
}

struct MakePlan<'a>(NamedCircuit, &'a PlanArguments);

impl PlatformTask for MakePlan<'_> {
    type Output = ();
    type Error = CliError;

    fn run<P: Platform>(self, platform: &Arc<P>) -> Result<(), CliError> {
        let Self(circuit, arguments) = self;
        let planning = arguments.choice.planning(Arc::new(Terminal::default()));
        let planning = planning
            .optimise(arguments.function.circuit.optimise.into())
            .input_key(arguments.input_key.into())
            .packing(arguments.packing.map(Into::into))
            .shared_results(arguments.share_results)
            .loading(Loading::WhenUsed);
        let job = planning.plan_on(platform, &circuit)?;
        let file_bytes = arguments.file().map(|output| job.write(&output)).transpose()?;
        let report = Report::new(&job, arguments, file_bytes)?;
        let output = arguments.output.as_deref().unwrap_or(Path::new(""));
        print_beside(output, arguments.json, &report, || {
            report.text(&job.plan_details().explain(), &platform.name())
        })
    }
}

impl Report {
    fn new<P: Platform>(
        job: &Job<P>,
        arguments: &PlanArguments,
        file_bytes: Option<u64>,
    ) -> Result<Self, CliError> {
        let plan = job.plan_details();
        let rejected = plan.rejected().iter().map(|rejection| NotTaken {
            parameters: rejection.name.clone(),
            reason: rejection.reason.clone(),
        });
        Ok(Self {
            circuit: job.name().to_owned(),
            parameters: ParameterSummary::new(job.parameters()),
            plan: PlanSummary::new(plan)?,
            insecure: job.parameters().security().warning.clone(),
            points: points::summary(job.points()),
            device_memory: job.platform().memory(),
            not_taken: rejected.collect(),
            file: arguments.output.as_ref().map(|path| path.display().to_string()),
            file_bytes,
        })
    }

    fn text(&self, explained: &str, device: &str) -> String {
        let written = self.file.as_ref();
        let written = written.map_or(String::new(), |file| format!("written to {file}\n"));
        let memory = self.device_memory.map_or(String::new(), |memory| {
            format!("{device} has {} of its own memory\n", bytes(memory))
        });
        format!(
            "{}\n{}{}{memory}{written}",
            explained.trim_end(),
            points::text(&self.points),
            self.plan.line()
        )
    }
}
