//! Quantiles of raw output.

use std::collections::BTreeMap;
use std::error::Error;

use crate::chain::QUANTITIES;

/// The depths that are told.
const DEPTHS: [usize; 7] = [1, 2, 4, 8, 16, 32, 44];

/// Per cent of the values.
const QUANTILES: [usize; 7] = [0, 1, 10, 50, 90, 99, 100];

/// Prints a line for each quantity at each depth.
pub fn print(shape: &str, form: &str, files: &[String]) -> Result<(), Box<dyn Error>> {
    let mut found: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            let mut fields = line.split(',').skip(1);
            // Lines without a depth are headings, and keys that failed.
            let Some(Ok(depth)) = fields.next().map(str::parse) else {
                continue;
            };
            for (place, value) in fields.skip(1).enumerate() {
                found.entry((depth, place)).or_default().push(value.parse()?);
            }
        }
    }
    let names = QUANTILES.map(|quantile| format!("p{quantile}"));
    println!("shape,form,depth,quantity,values,{}", names.join(","));
    for ((depth, place), mut values) in found {
        if !DEPTHS.contains(&depth) {
            continue;
        }
        values.sort_by(f64::total_cmp);
        let at = |quantile| values[(values.len() - 1) * quantile / 100];
        let quantiles = QUANTILES.map(|quantile| format!("{:.2}", at(quantile)));
        let (name, count) = (QUANTITIES[place], values.len());
        println!("{shape},{form},{depth},{name},{count},{}", quantiles.join(","));
    }
    Ok(())
}
