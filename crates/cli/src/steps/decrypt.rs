use ringmill_fv::FvError;
use ringmill_fv::format::{Access, FormatError};
use serde::Serialize;

use crate::arguments::DecryptArguments;
use crate::circuits::output_bits;
use crate::encryption::decrypt_records;
use crate::error::CliError;
use crate::files;
use crate::progress::timed;
use crate::records::record_bytes;
use crate::report::{print_either, seconds};
use crate::session::{context, read_parameters};

#[derive(Serialize)]
struct Report {
    records: usize,
    seconds: f64,
    noise_log2: f64,
    margin_bits: f64,
    file: String,
    file_bytes: u64,
}

/// Decrypts results.
pub fn run(arguments: &DecryptArguments) -> Result<(), CliError> {
    arguments.output.check()?;
    let circuit = arguments.circuit.build()?;
    let context = context(read_parameters(&arguments.params)?)?;
    let key = files::read(&arguments.secret_key, |input| context.read_secret_key(input))?;
    let results = files::read(&arguments.input, |input| context.read_ciphertexts(input))?;
    let width = output_bits(&circuit);
    if results.is_empty() || results.len() % width != 0 {
        return Err(CliError::data(
            &arguments.input,
            format!(
                "{} ciphertexts are not results of {}, which have {width} for each batch; name their circuit",
                results.len(),
                arguments.circuit.name()
            ),
        ));
    }
    let decrypted = timed("decrypting", || decrypt_records(&context, &key, &results, width));
    let (decrypted, seconds_taken) = decrypted.map_err(|error| match error {
        CliError::Fv(error) => CliError::in_file(&arguments.input, error),
        error => error,
    })?;
    let size = record_bytes(width);
    let most = decrypted.bytes.len() / size;
    let records = arguments
        .records
        .map_or(most, |records| usize::try_from(records).unwrap_or(usize::MAX));
    if records > most {
        return Err(CliError::Usage(format!(
            "--records {records}: these results hold only {most}"
        )));
    }
    let bytes = &decrypted.bytes[..records * size];
    let file_bytes = arguments.output.write(Access::Public, |out| {
        out.write_all(bytes)
            .map_err(|error| FvError::Format(FormatError::Io(error)))
    })?;
    let report = Report {
        records,
        seconds: seconds_taken,
        noise_log2: decrypted.noise,
        margin_bits: -1.0 - decrypted.noise,
        file: arguments.output.path.display().to_string(),
        file_bytes,
    };
    print_either(arguments.json, &report, || {
        format!(
            "{} records decrypted in {}, written to {}; {:.1} bits of noise margin were left\n",
            report.records,
            seconds(report.seconds),
            report.file,
            report.margin_bits
        )
    })
}
