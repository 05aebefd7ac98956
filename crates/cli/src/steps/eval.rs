use ringmill_circuit::Visibility;
use ringmill_device::Device;
use ringmill_records::ReadOptions;

use crate::arguments::EvalArguments;
use crate::device::{self, Devices};
use crate::error::CliError;
use crate::files;
use crate::keys;
use crate::serving::{Job, PublicBatches};
use crate::session::Session;
use crate::tables::{self, blame, input_schema};

/// Evaluates a circuit on encrypted inputs.
pub fn run(arguments: &EvalArguments) -> Result<(), CliError> {
    arguments.output.check()?;
    arguments.device.device.run(Eval(arguments))
}

struct Eval<'a>(&'a EvalArguments);

impl device::Job for Eval<'_> {
    type Output = ();

    fn run<F: Devices>(self, devices: &F) -> Result<(), CliError> {
        let Self(arguments) = self;
        let (circuit, params) = (&arguments.circuit, &arguments.params);
        let session = Session::open_within(devices, circuit, params, arguments.memory)?;
        let public = match (&arguments.data, has_public(&session)) {
            (None, false) => None,
            (Some(path), true) => Some((path.as_path(), public_table(&session, arguments, path)?)),
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
        let context = &session.context;
        let keys = files::read(&arguments.evaluation_key, |input| keys::read(input, context))?;
        let job = Job {
            session: &session,
            device: devices.name(),
            keys: &keys,
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
    arguments: &EvalArguments,
    path: &'a std::path::Path,
) -> Result<PublicBatches<'a>, CliError> {
    let schema = input_schema(session.circuit(), Visibility::Public, &arguments.table.types)?;
    let options = ReadOptions {
        ignore_extra: arguments.table.ignore_extra,
        ..ReadOptions::default()
    };
    let records = session.plan.records();
    let table = tables::open(path, arguments.table.format, schema.clone(), records, options)?;
    Ok(Box::new(table.map(move |batch| {
        let batch = batch.map_err(|error| blame(path, error))?;
        Ok((batch.records, tables::values(&schema, batch)))
    })))
}
