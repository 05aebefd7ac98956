use ringmill_circuit::Visibility;
use ringmill_fv::format::Access;
use serde::Serialize;

use crate::arguments::EvalArguments;
use crate::circuits::input_bits;
use crate::error::CliError;
use crate::evaluation::{Work, evaluate};
use crate::files;
use crate::records::record_bytes;
use crate::report::{bytes, print_either, seconds};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    circuit: &'static str,
    /// Public records; none if the circuit has no public inputs.
    records: Option<usize>,
    batches: usize,
    ciphertexts: usize,
    seconds: f64,
    breakdown: Vec<Work>,
    file: String,
    file_bytes: u64,
}

/// Evaluates a circuit on encrypted inputs.
pub fn run(arguments: &EvalArguments) -> Result<(), CliError> {
    arguments.output.check()?;
    let session = Session::open(arguments.circuit, &arguments.params)?;
    let name = arguments.circuit.name();
    let public = input_bits(&session.circuit, Visibility::Public);
    let data = match (&arguments.data, public) {
        (None, 0) => None,
        (Some(path), 1..) => Some(files::read_records(path, record_bytes(public))?),
        (None, _) => {
            return Err(CliError::Usage(format!(
                "{name} has public inputs; give them with --data FILE"
            )));
        }
        (Some(_), 0) => {
            return Err(CliError::Usage(format!(
                "{name} has no public inputs; leave out --data"
            )));
        }
    };
    let context = &session.context;
    let key = files::read(&arguments.evaluation_key, |input| {
        context.read_relinearization_key(input)
    })?;
    let inputs = files::read(&arguments.key, |input| context.read_ciphertexts(input))?;
    let private = input_bits(&session.circuit, Visibility::Private);
    if inputs.is_empty() || inputs.len() % private != 0 {
        return Err(CliError::data(
            &arguments.key,
            format!(
                "{} ciphertexts are not the private inputs of {name}, which have {private} for each batch; \
                 encrypt for this circuit",
                inputs.len()
            ),
        ));
    }
    let evaluated = evaluate(&session, &key, data.as_ref().map(|data| data.as_slice()), inputs);
    let evaluated = evaluated.map_err(|error| error.in_inputs(&arguments.key))?;
    let file_bytes = arguments.output.write(Access::Public, |out| {
        context.write_ciphertexts(out, &evaluated.results)
    })?;
    let report = Report {
        circuit: name,
        records: data.map(|data| data.len() / record_bytes(public)),
        batches: evaluated.batches,
        ciphertexts: evaluated.results.len(),
        seconds: evaluated.seconds,
        breakdown: evaluated.work,
        file: arguments.output.path.display().to_string(),
        file_bytes,
    };
    print_either(arguments.json, &report, || {
        let records = report
            .records
            .map_or(String::new(), |records| format!(" for {records} records"));
        let hint = report.records.map_or(String::new(), |records| {
            format!("; decrypt with --records {records}")
        });
        format!(
            "evaluated{records} in {}, {} written to {}{hint}\n",
            seconds(report.seconds),
            bytes(report.file_bytes),
            report.file
        )
    })
}
