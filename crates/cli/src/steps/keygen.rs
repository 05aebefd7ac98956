use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::{EvaluationKeys, Plan};
use ringmill_fv::Context;
use ringmill_fv::format::Access;
use serde::Serialize;

use super::messages;
use crate::arguments::KeygenArguments;
use crate::device::{self, Devices};
use crate::error::CliError;
use crate::files::{self, Content};
use crate::input::{Digesting, check_inputs};
use crate::keys::{self, KeySet};
use crate::progress::timed;
use crate::report::{Table, bytes, print_either, seconds};
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    parameters: String,
    device: String,
    seconds: f64,
    files: Vec<Written>,
}

#[derive(Serialize)]
struct Written {
    path: PathBuf,
    bytes: u64,
    what: &'static str,
}

/// Makes a secret key and the keys for others.
pub fn run(arguments: &KeygenArguments) -> Result<(), CliError> {
    check_inputs(&arguments.inputs())?;
    let report = arguments.device.device.run(Keygen(arguments))?;
    print_either(arguments.json, &report, || {
        let mut table = Table::new();
        table.heading(&format!(
            "keys for {}, made in {}",
            report.parameters,
            seconds(report.seconds)
        ));
        for key in &report.files {
            table.row(
                &key.path.display().to_string(),
                format!("{:>10}  {}", bytes(key.bytes), key.what),
            );
        }
        table.to_text()
    })
}

struct Keygen<'a>(&'a KeygenArguments);

impl device::Job for Keygen<'_> {
    type Output = Report;

    fn run<F: Devices>(self, devices: &F) -> Result<Report, CliError> {
        let Self(arguments) = self;
        let directory = &arguments.out_dir;
        let paths = ["public.key", "evaluation.key", "secret.key"].map(|name| directory.join(name));
        // The plan first: a wrong file must not leave a directory behind.
        let (context, plan) = match &arguments.circuit {
            Some(circuit) => {
                let session = Session::open(devices, circuit, &arguments.params)?;
                (session.context, Some(session.plan))
            }
            None => (devices.context(messages::parameters(&arguments.params)?)?, None),
        };
        if directory.is_file() {
            let error = io::Error::new(io::ErrorKind::NotADirectory, "is a file; name a directory");
            return Err(CliError::io(directory, error));
        }
        fs::create_dir_all(directory).map_err(|error| CliError::io(directory, error))?;
        for path in &paths {
            files::check_output(path, arguments.force, Content::Binary)?;
        }
        let mut written = Vec::new();
        let result = timed("making keys", || {
            write_keys(&context, plan.as_ref(), &paths, &mut written)
        });
        match result {
            Ok(((), seconds)) => Ok(Report {
                parameters: context.parameters().name().to_owned(),
                device: devices.name(),
                seconds,
                files: written,
            }),
            Err(error) => {
                // Keys are of use together only.
                for key in &written {
                    let _ = fs::remove_file(&key.path);
                }
                Err(error)
            }
        }
    }
}

/// Writes the secret and the public key, and for a plan the evaluation key.
fn write_keys<D: Device>(
    context: &Context<D>,
    plan: Option<&Plan>,
    paths: &[PathBuf; 3],
    written: &mut Vec<Written>,
) -> Result<(), CliError> {
    let seed = Seed::random()?;
    let secret = context.generate_secret_key(&seed.derive("secret key", 0))?;
    let mut note = |path: &Path, bytes, what| {
        written.push(Written {
            path: path.to_path_buf(),
            bytes,
            what,
        });
    };
    let [public_path, evaluation_path, secret_path] = paths;
    let public = context.generate_public_key(&secret, &seed.derive("public key", 0))?;
    let (set, size) = files::write(public_path, Access::Public, |out| {
        let mut out = Digesting::new(out);
        context.write_public_key(&mut out, &public)?;
        Ok(KeySet(out.digest()))
    })?;
    note(public_path, size, "for whoever encrypts");
    drop(public);
    if let Some(plan) = plan {
        let seed = seed.derive("evaluation keys", 0);
        let evaluation = EvaluationKeys::generate(plan, context, &secret, &seed)?;
        let ((), size) = files::write(evaluation_path, Access::Public, |out| {
            keys::write(out, context, &evaluation)?;
            Ok(set.write(out, context.parameters())?)
        })?;
        note(evaluation_path, size, "for whoever evaluates");
    }
    let ((), size) = files::write(secret_path, Access::Private, |out| {
        context.write_secret_key(&mut *out, &secret)?;
        Ok(set.write(out, context.parameters())?)
    })?;
    note(secret_path, size, "SECRET: for whoever decrypts, nobody else");
    Ok(())
}
