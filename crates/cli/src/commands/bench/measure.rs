use std::time::Instant;

use ringmill_arith::Basis;
use ringmill_arith::sampling::{Stream, uniform};
use ringmill_device::Device;
use ringmill_fv::Domain;
use serde::Serialize;

use super::jobs::seed;
use crate::error::CliError;

/// Times of repeated runs, in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Times {
    /// Half of the runs took less.
    pub median: f64,
    /// The fastest run.
    pub min: f64,
    /// The slowest run.
    pub max: f64,
    /// How many there were.
    pub runs: usize,
}

impl Times {
    /// Runs a job once to warm up and then `runs` times.
    pub fn of<T>(runs: usize, mut job: impl FnMut() -> Result<T, CliError>) -> Result<Self, CliError> {
        job()?;
        let times = (0..runs.max(1)).map(|_| {
            let start = Instant::now();
            let result = job()?;
            let time = start.elapsed().as_secs_f64();
            drop(result);
            Ok(time)
        });
        Ok(Self::from_list(times.collect::<Result<_, CliError>>()?))
    }

    /// The same until a device has done what a job asks of it.
    pub fn on<T>(
        device: &impl Device,
        runs: usize,
        mut job: impl FnMut() -> Result<T, CliError>,
    ) -> Result<Self, CliError> {
        Self::of(runs, || {
            let result = job()?;
            device.finish()?;
            Ok(result)
        })
    }

    /// The times of one operation, of several in each run.
    pub fn per(self, operations: usize) -> Self {
        let count = operations as f64;
        Self {
            median: self.median / count,
            min: self.min / count,
            max: self.max / count,
            runs: self.runs,
        }
    }

    /// Of times taken elsewhere, at least one.
    pub fn from_list(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |i: usize| times.get(i).copied().unwrap_or_default();
        let (low, high) = (at(times.len().saturating_sub(1) / 2), at(times.len() / 2));
        Self {
            median: (low + high) / 2.0,
            min: at(0),
            max: at(times.len().saturating_sub(1)),
            runs: times.len(),
        }
    }
}

/// An operand to measure with: uniform words over a basis.
pub fn uniform_poly<D: Device>(device: &D, basis: &Basis, domain: Domain) -> Result<D::Poly, CliError> {
    let n = device.ring().n();
    let mut stream = Stream::new(&seed("operands"));
    let mut words = vec![0; n * basis.len()];
    for (limb, q) in words.chunks_exact_mut(n).zip(basis.moduli()) {
        uniform(&mut stream, q, limb);
    }
    Ok(device.upload(basis, domain, &words)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let times = Times::from_list(vec![3.0, 1.0, 2.0, 10.0]);
        assert_eq!(
            (times.median, times.min, times.max, times.runs),
            (2.5, 1.0, 10.0, 4)
        );
        assert_eq!(Times::from_list(vec![3.0, 1.0, 2.0]).median, 2.0);
        let one = times.per(2);
        assert_eq!((one.median, one.min, one.max, one.runs), (1.25, 0.5, 5.0, 4));
        let mut runs = 0;
        let times = Times::of(3, || {
            runs += 1;
            Ok(())
        });
        assert_eq!((times.unwrap().runs, runs), (3, 4));
    }
}
