//! Jobs by the library alone: in memory and through files, watched, stopped and gone on with.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod columns;
mod job_files;
mod memory;
mod messages;
mod observer;
mod owners;
mod programs;
mod refusals;
mod totals;

use std::sync::OnceLock;

use ringmill::{Job, Optimise, Planning, circuits};

/// A job on eight bits, planned once.
fn and8() -> &'static Job {
    static JOB: OnceLock<Job> = OnceLock::new();
    JOB.get_or_init(|| {
        let circuit = circuits::by_name("and8").unwrap();
        Planning::new().optimise(Optimise::Off).plan(&circuit).unwrap()
    })
}

/// A table of two columns and the column of their ANDs.
fn and_table(records: usize) -> (String, String) {
    let (mut table, mut expected) = ("a,b\n".to_owned(), "and\n".to_owned());
    for i in 0..records {
        let (a, b) = (i * 37 % 256, i * 101 % 253);
        table.push_str(&format!("{a},{b}\n"));
        expected.push_str(&format!("{}\n", a & b));
    }
    (table, expected)
}
