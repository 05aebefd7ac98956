use ringmill::{KeyFile, SigningKey};
use serde::Serialize;

use crate::arguments::SigningKeyArguments;
use crate::error::CliError;
use crate::progress::Terminal;
use crate::report::{Table, bytes, print_either};

#[derive(Serialize)]
struct Report {
    /// The verifying key in hexadecimal.
    verifying_key: String,
    files: Vec<KeyFile>,
}

/// Makes a key that an evaluator signs results with.
pub fn run(arguments: &SigningKeyArguments) -> Result<(), CliError> {
    let key = SigningKey::generate()?;
    let files = key.save(&arguments.out_dir, arguments.force, &Terminal::default())?;
    let report = Report {
        verifying_key: key.verifying_key().to_string(),
        files,
    };
    print_either(arguments.json, &report, || {
        let mut table = Table::new();
        table.heading(&format!(
            "a signing key; its verifying key is {}",
            report.verifying_key
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
