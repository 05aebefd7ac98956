//! Where a GPU's time goes, by its own clock.

use std::collections::BTreeMap;

use ringmill::platform::KernelTime;
use serde::Serialize;

use crate::report::{columns, seconds};

/// One line of the result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    kernel: String,
    launches: u64,
    /// Of all launches together, on the GPU.
    seconds: f64,
    /// The part of all kernels' seconds.
    share: f64,
}

/// The times of some devices, added up for each kernel, the longest first.
pub fn rows(times: Vec<KernelTime>) -> Vec<Row> {
    let all: f64 = times.iter().map(|time| time.seconds).sum();
    let mut by_kernel = BTreeMap::<String, (u64, f64)>::new();
    for time in times {
        let (launches, seconds) = by_kernel.entry(time.entry).or_default();
        *launches += time.launches;
        *seconds += time.seconds;
    }
    let row = |(kernel, (launches, seconds))| Row {
        kernel,
        launches,
        seconds,
        share: seconds / all,
    };
    let mut rows: Vec<Row> = by_kernel.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    rows
}

/// As a table for people.
pub fn text(rows: &[Row]) -> String {
    let row = |row: &Row| {
        vec![
            row.kernel.clone(),
            row.launches.to_string(),
            seconds(row.seconds),
            seconds(row.seconds / row.launches as f64),
            format!("{:.1} %", 100.0 * row.share),
        ]
    };
    let header = ["kernel", "launches", "on the GPU", "each", "share"];
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    columns(&header, 1..5, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_up() {
        let time = |entry: &str, launches, seconds| KernelTime {
            entry: entry.to_owned(),
            launches,
            seconds,
        };
        let rows = rows(vec![
            time("sum", 3, 0.5),
            time("dot", 2, 2.0),
            time("sum", 1, 1.0),
            time("copy", 5, 0.5),
        ]);
        let found: Vec<_> = rows
            .iter()
            .map(|row| (&*row.kernel, row.launches, row.seconds, row.share))
            .collect();
        assert_eq!(
            found,
            [
                ("dot", 2, 2.0, 0.5),
                ("sum", 4, 1.5, 0.375),
                ("copy", 5, 0.5, 0.125)
            ]
        );
        assert!(text(&rows).contains("37.5 %"));
    }
}
