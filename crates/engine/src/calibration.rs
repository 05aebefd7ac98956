use std::time::Instant;

use ringmill_arith::Basis;
use ringmill_device::{Device, DeviceError};
use ringmill_ring::{Domain, FermatRing, Ring};
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Work, counted in limbs of n words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Transforms of a limb.
    pub transforms: f64,
    /// Passes over a limb with a modular product or sum for each word.
    pub passes: f64,
    /// Passes of the conversion between bases: for each pair of a source and a target limb.
    pub conversions: f64,
}

impl std::ops::Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            transforms: self.transforms + other.transforms,
            passes: self.passes + other.passes,
            conversions: self.conversions + other.conversions,
        }
    }
}

impl std::ops::Mul<f64> for Work {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            transforms: self.transforms * times,
            passes: self.passes * times,
            conversions: self.conversions * times,
        }
    }
}

/// How fast a device is: nanoseconds for each word, asked by one thread, with operands that come from memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Of a transform, for each binary digit of n.
    pub transform: f64,
    /// Of a pass.
    pub pass: f64,
    /// Of a conversion.
    pub conversion: f64,
}

impl Default for Calibration {
    /// Of a server core of 2021 with AVX2: good enough to choose parameters by, as only ratios count.
    fn default() -> Self {
        Self {
            transform: 0.42,
            pass: 0.8,
            conversion: 0.35,
        }
    }
}

/// The dimension and limbs of the measurement: operands larger than a second-level cache.
const DIMENSION: usize = 16384;
const LIMBS: usize = 8;
/// Runs, of which the median counts.
const RUNS: usize = 9;
/// Nanoseconds a word that nothing is taken to be below: times that are differences can come out as 0.
const LEAST: f64 = 1e-6;

impl Calibration {
    /// The ring to measure a device in.
    ///
    /// # Errors
    /// Never: the dimension is a Fermat ring's.
    pub fn ring() -> Result<Ring, EngineError> {
        Ok(Ring::from(FermatRing::new(DIMENSION)?))
    }

    /// Measures a device, in a fraction of a second; in [`Calibration::ring`] operands are of the size that
    /// matters.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure(device: &impl Device) -> Result<Self, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        match pool {
            Ok(pool) => pool.install(|| Self::measure_here(device)),
            Err(_) => Self::measure_here(device),
        }
    }

    /// The same in the current pool.
    fn measure_here(device: &impl Device) -> Result<Self, EngineError> {
        let n = device.ring().n();
        let basis = Basis::new(&device.ring().primes(1 << 50, 2 * LIMBS, &[])?)?;
        let (q, extension) = (basis.prefix(LIMBS)?, basis.slice(LIMBS..2 * LIMBS)?);
        let words: Vec<u64> = (0..LIMBS * n).map(|i| (i as u64) << 20).collect();
        let poly = device.upload(&q, Domain::Coefficient, &words)?;
        let other = device.transform(device.copy(&poly)?, Domain::Evaluation)?;
        let copy = median(device, || device.copy(&poly))?;
        let transform = median(device, || {
            device.transform(device.copy(&poly)?, Domain::Evaluation)
        })?;
        let pass = median(device, || device.dot(&[(&other, &other)], Domain::Evaluation))?;
        let lift = median(device, || device.lift(&poly, &extension, Domain::Coefficient))?;
        let words = (LIMBS * n) as f64;
        Ok(Self {
            transform: ((transform - copy) / words / f64::from(n.ilog2())).max(LEAST),
            pass: (pass / words).max(LEAST),
            conversion: ((lift - copy) / words / LIMBS as f64).max(LEAST),
        })
    }

    /// What each of so many threads sees of a device that they share, as they do a card: to each, operations
    /// take so many times longer.
    #[must_use]
    pub fn shared_by(self, threads: usize) -> Self {
        let times = threads as f64;
        Self {
            transform: self.transform * times,
            pass: self.pass * times,
            conversion: self.conversion * times,
        }
    }

    /// Seconds that work takes in dimension n on one thread.
    #[must_use]
    pub fn seconds(&self, work: &Work, n: usize) -> f64 {
        let log = f64::from(n.max(2).ilog2());
        let each = work.transforms * self.transform * log
            + work.passes * self.pass
            + work.conversions * self.conversion;
        each * n as f64 * 1e-9
    }
}

/// Median time of an operation, in nanoseconds, until the device has done it.
fn median<D: Device>(
    device: &D,
    mut operation: impl FnMut() -> Result<D::Poly, DeviceError>,
) -> Result<f64, DeviceError> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        let result = operation()?;
        device.finish()?;
        times.push(start.elapsed().as_nanos() as f64);
        drop(result);
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

#[cfg(test)]
mod tests {
    use ringmill_arith::Kernel;
    use ringmill_device::CpuDevice;

    use super::*;

    #[test]
    fn work_adds_up_and_takes_time() {
        let work = Work {
            transforms: 1.0,
            passes: 2.0,
            conversions: 4.0,
        };
        let calibration = Calibration {
            transform: 1.0,
            pass: 10.0,
            conversion: 100.0,
        };
        let twice = work + work;
        assert_eq!(twice, work * 2.0);
        // 12 digits, 2 passes of 10, 4 conversions of 100, for 4096 words.
        let seconds = calibration.seconds(&work, 4096);
        assert!((seconds - 432.0 * 4096.0 * 1e-9).abs() < 1e-12);
        assert!((calibration.seconds(&twice, 4096) - 2.0 * seconds).abs() < 1e-12);
        let shared = calibration.shared_by(3).seconds(&work, 4096);
        assert!((shared - 3.0 * seconds).abs() < 1e-12);
    }
    /// In a small ring, as the measurement takes any.
    #[test]
    fn devices_are_measured() {
        let ring = Ring::from(FermatRing::new(2048).unwrap());
        let calibration = Calibration::measure(&CpuDevice::new(&ring, Kernel::Portable)).unwrap();
        for nanoseconds in [calibration.transform, calibration.pass, calibration.conversion] {
            assert!(nanoseconds.is_finite() && nanoseconds >= LEAST);
        }
    }
}
