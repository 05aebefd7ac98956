//! Tables that a step reads, and what is expected of them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use ringmill::{Table, TableFormat};

/// How a table is read or written.
#[derive(Debug, Args)]
pub struct TableChoice {
    /// csv, tsv, json (one object, or one array for a message, a line) or binary. Not needed for files whose names end
    /// in .csv, .tsv, .json, .jsonl, .ndjson or .bin; for all others and for standard input.
    #[arg(long, value_name = "FORMAT", value_parser = table_format)]
    pub format: Option<TableFormat>,
    /// The type of a column: bool, u8, i8 and so on in the port's width, hex, bools. May be repeated.
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Say nothing of columns that belong to no port; they are skipped in any case.
    #[arg(long)]
    pub ignore_extra: bool,
}

impl TableChoice {
    /// A table in a file, read as chosen.
    pub fn open(&self, path: &Path) -> Table {
        Table::open(path)
            .with_format(self.format)
            .with_types(&self.types)
            .ignoring_extra(self.ignore_extra)
    }
}

/// The format of a name.
pub fn table_format(name: &str) -> Result<TableFormat, String> {
    name.parse()
        .map_err(|error: <TableFormat as FromStr>::Err| error.to_string())
}

/// The order of the rows of a table.
#[derive(Debug, Args)]
pub struct OrderChoice {
    /// A column of clear keys, in the table and in that of --order: rows are put into the order that the keys have
    /// there, so that those of several owners match. All of the table is in memory then.
    #[arg(
        long,
        value_name = "COLUMN",
        requires = "order",
        conflicts_with_all = ["cipher_key", "cipher_key_file"]
    )]
    pub key: Option<String>,
    /// A table with the column of --key, a list that the owners share; its other columns are ignored. Both tables must
    /// have the same keys, each once.
    #[arg(long, value_name = "FILE", requires = "key")]
    pub order: Option<PathBuf>,
}

impl OrderChoice {
    /// A table in this order.
    pub fn apply(&self, table: Table) -> Table {
        match (&self.key, &self.order) {
            (Some(key), Some(order)) => table.in_order(key, Table::open(order)),
            _ => table,
        }
    }
}

/// Columns that go before the results.
#[derive(Debug, Args)]
pub struct CarriedChoice {
    /// Put this column of the table of --from before the results, row by row, as it is written there. May be repeated.
    /// For csv, tsv and json.
    #[arg(long, value_name = "COLUMN", requires = "from")]
    pub carry: Vec<String>,
    /// A table with the columns of --carry, as many rows as there are results, in the same order: the one that was
    /// encrypted, say. csv, tsv or json, by its name.
    #[arg(long, value_name = "FILE", requires = "carry")]
    pub from: Option<PathBuf>,
}

/// What results must be made of, and by whom.
#[derive(Debug, Args)]
pub struct OriginChoice {
    /// Accept only results that say that they were made of this file of encrypted inputs, by the plan of the job. May be
    /// repeated, in any order: the files of all owners, as `eval` had them.
    #[arg(long, value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// The table of public inputs that the results were made of, as `eval --data` had it.
    #[arg(
        long,
        value_name = "FILE",
        requires = "inputs",
        conflicts_with = "cipher_data"
    )]
    pub data: Option<PathBuf>,
    /// The cipher's data that the results were made of, as `transcipher --data` had them.
    #[arg(long, value_name = "FILE", requires = "inputs")]
    pub cipher_data: Option<PathBuf>,
    /// The first counter block, as `transcipher` had it.
    #[arg(long, value_name = "HEX", requires = "cipher_data")]
    pub counter: Option<String>,
    /// The table of other public inputs, as `transcipher` had it.
    #[arg(long, value_name = "FILE", requires = "cipher_data")]
    pub table: Option<PathBuf>,
    /// Accept only results that are signed with the key of an evaluator: its verifying.key.
    #[arg(long, value_name = "FILE")]
    pub signed_by: Option<PathBuf>,
}

impl OriginChoice {
    /// The options that may name a file to read.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, Option<&Path>)> {
        let files = [
            ("--data", &self.data),
            ("--cipher-data", &self.cipher_data),
            ("--table", &self.table),
            ("--signed-by", &self.signed_by),
        ];
        let files = files.into_iter().map(|(option, path)| (option, path.as_deref()));
        files.chain(each("--inputs", &self.inputs))
    }
}

/// An option that names several files.
pub fn each<'a>(option: &'a str, files: &'a [PathBuf]) -> impl Iterator<Item = (&'a str, Option<&'a Path>)> {
    files.iter().map(move |path| (option, Some(&**path)))
}
