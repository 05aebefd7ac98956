use std::path::Path;

use ringmill_circuit::Visibility;
use ringmill_device::Device;

use crate::arguments::EvalArguments;
use crate::device::{self, Devices};
use crate::error::CliError;
use crate::input::check_inputs;
use crate::keys::Evaluator;
use crate::serving::{Job, Public};
use crate::session::Session;
use crate::tables::{self, Table, input_schema};

/// Evaluates a circuit on encrypted inputs.
pub fn run(arguments: &EvalArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    arguments.memory.check()?;
    arguments.output.check()?;
    arguments.device.device.run(Eval(arguments))
}

struct Eval<'a>(&'a EvalArguments);

impl device::Job for Eval<'_> {
    type Output = ();

    fn run<F: Devices>(self, devices: &F) -> Result<(), CliError> {
        let Self(arguments) = self;
        let (circuit, params) = (&arguments.circuit, &arguments.params);
        let session = Session::open_within(devices, circuit, params, (&arguments.memory, &arguments.input))?;
        let public = match (&arguments.data, has_public(&session)) {
            (None, false) => None,
            (Some(path), true) => Some(public_table(&session, arguments, path)?),
            (None, true) => {
                return Err(CliError::Usage(format!(
                    "{} has public inputs; give them with --data FILE",
                    session.named.name
                )));
            }
            (Some(_), false) => {
                return Err(CliError::Usage(format!(
                    "{} has no public inputs; leave out --data",
                    session.named.name
                )));
            }
        };
        let evaluator = Evaluator::read(&arguments.evaluation_key, &session.context)?;
        let job = Job {
            session: &session,
            device: devices.name(),
            evaluator: &evaluator,
            evaluation_key: &arguments.evaluation_key,
            private: &arguments.input,
            public,
        };
        job.run(&arguments.output, arguments.json)
    }
}

fn has_public<D: Device>(session: &Session<D>) -> bool {
    let mut ports = session.plan.schedule().inputs().iter();
    ports.any(|port| port.visibility == Visibility::Public)
}

fn public_table<'a, D: Device>(
    session: &Session<D>,
    arguments: &'a EvalArguments,
    path: &'a Path,
) -> Result<Public<'a>, CliError> {
    let schema = input_schema(session.circuit(), Visibility::Public, &arguments.table.types)?;
    let records = session.plan.records();
    let table = Table::open(path, &arguments.table, schema.clone(), records)?;
    Ok(Public {
        path,
        meter: table.meter(),
        batches: Box::new(table.map(move |batch| {
            let batch = batch?;
            Ok((batch.records, tables::values(&schema, batch)))
        })),
    })
}
