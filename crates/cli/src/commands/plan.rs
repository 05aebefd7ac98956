use std::sync::Arc;

use ringmill::files::Content;
use ringmill::platform::{Platform, PlatformTask};
use ringmill::{Job, JobFile, Loading, NamedCircuit, Planning, Policy};
use serde::Serialize;

use super::messages;
use crate::arguments::{PlanArguments, check_inputs};
use crate::error::CliError;
use crate::points::{self, PointSummary};
use crate::progress::Terminal;
use crate::report::{Table, bytes, print_beside};
use crate::summary::{ParameterSummary, PlanSummary, TableCost};

#[derive(Serialize)]
struct Report {
    circuit: String,
    parameters: ParameterSummary,
    plan: PlanSummary,
    /// What a table of --records costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableCost>,
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
    if let Some(output) = arguments.output.file() {
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
            .further_levels(arguments.further_levels)
            .loading(Loading::WhenUsed);
        let planning = match &arguments.after {
            None => planning,
            Some(path) => {
                let former = JobFile::open(path)?;
                // The parameters were accepted when that job was made.
                let opening = Planning::new().policy(Policy::allow_insecure());
                planning.after(&opening.open_on(platform, &former)?)?
            }
        };
        let job = planning.plan_on(platform, &circuit)?;
        let file_bytes = arguments
            .output
            .file()
            .map(|output| job.write(&output))
            .transpose()?;
        let report = Report::new(&job, arguments, file_bytes)?;
        print_beside(arguments.output.path(), arguments.json, &report, || {
            let explained = arguments.explain.then(|| job.plan_details().explain());
            report.text(explained.as_deref(), &platform.name())
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
        let summary = PlanSummary::new(plan)?;
        Ok(Self {
            circuit: job.name().to_owned(),
            parameters: ParameterSummary::new(job.parameters()),
            table: arguments.choice.records.map(|records| summary.of_table(records)),
            plan: summary,
            insecure: job.parameters().security().warning.clone(),
            points: points::summary(job.points()),
            device_memory: job.platform().memory(),
            not_taken: rejected.collect(),
            file: arguments.output.name(),
            file_bytes,
        })
    }

    fn text(&self, explained: Option<&str>, device: &str) -> String {
        let (plan, mut table) = (&self.plan, Table::new());
        let circuit = format!(
            "{}: {} products, depth {}",
            self.circuit, plan.products, plan.depth
        );
        table.row("circuit", circuit);
        self.parameters.short_row(&mut table);
        plan.rows(&mut table, self.table.as_ref().map(|cost| cost.records));
        if let Some(memory) = self.device_memory {
            table.row("device", format!("{device} with {} of memory", bytes(memory)));
        }
        let details = match explained {
            Some(explained) => format!("\n{}\n{}", explained.trim_end(), points::text(&self.points)),
            None => String::new(),
        };
        let hint = match explained {
            Some(_) => "",
            None => "--explain shows the levels, the noise, and what was not taken\n",
        };
        let written = self.file.as_ref();
        let written = written.map_or(String::new(), |file| format!("written to {file}\n"));
        format!("{}{details}{written}{hint}", table.to_text())
    }
}
