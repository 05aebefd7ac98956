use std::time::Instant;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_fv::{Context, FvError, Parameters, PrimeRule, SecurityLevel};
use ringmill_ring::Domain;
use serde::{Deserialize, Serialize};

use crate::ProductForm;
use crate::execute::workers::for_each;
use crate::fv::candidates::Candidate;
use crate::fv::operation_costs::OperationCosts;

/// Work, counted in limbs of n words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Transforms of a limb.
    pub transforms: f64,
    /// Transforms of a limb of a narrow prime ([`ringmill_fv::Parameters::are_narrow`]).
    pub narrow_transforms: f64,
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
            narrow_transforms: self.narrow_transforms + other.narrow_transforms,
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
            narrow_transforms: self.narrow_transforms * times,
            passes: self.passes * times,
            conversions: self.conversions * times,
        }
    }
}

/// See [`Calibration::DIMENSIONS`].
const DIMENSIONS: [usize; 4] = [4096, 8192, 16384, 32768];

/// How fast a device is when all threads of a pool use it at once, as they do while a plan is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// In each of [`Calibration::DIMENSIONS`]: what fits a cache in one does not in another.
    pub rates: [Rates; DIMENSIONS.len()],
    /// What a transform of a narrow prime takes of the time of others: 1, or less on a device that has kernels for them. Not
    /// measured, so that noise of a measurement does not choose parameters.
    pub narrow: f64,
}

/// Nanoseconds for each word, on one of the threads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
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
        let typical = Rates {
            transform: 0.42,
            pass: 0.8,
            conversion: 0.35,
        };
        Self {
            rates: [typical; DIMENSIONS.len()],
            narrow: 1.0,
        }
    }
}

/// Runs of a measurement, of which the fastest counts: what else the machine does makes runs slower, never
/// faster.
const RUNS: usize = 7;
/// Nanoseconds a word that nothing is taken to be below: times that are differences can come out as 0.
const LEAST: f64 = 1e-6;
/// How many times the time of a quiet machine shows that another one was measured.
const DISTURBED: f64 = 1.5;
/// Special primes of the parameters that are measured with.
const SPECIAL: usize = 2;

impl Calibration {
    /// The dimensions that are measured in; larger ones are taken to be like the largest of them.
    pub const DIMENSIONS: [usize; 4] = DIMENSIONS;

    /// Measures a device, given what opens it for a set of parameters: first transforms, passes and conversions by
    /// themselves, then products of ciphertexts, which are made of these and decide how long they really take.
    /// Takes some seconds.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure<D: Device, E: From<FvError>>(
        open: impl Fn(Parameters) -> Result<Context<D>, E>,
    ) -> Result<Self, E> {
        let mut calibration = Self::default();
        for (rates, n) in calibration.rates.iter_mut().zip(Self::DIMENSIONS) {
            if let Some(parameters) = typical(n)? {
                let context = open(parameters)?;
                *rates = Rates::measure(&context)?;
                calibration.narrow = context.device().narrow_transform_time();
            }
        }
        Ok(calibration)
    }

    /// Whether the device is far faster now, in the smallest dimension, than this says: then it was measured while
    /// something else used the machine. Takes some hundredths of a second.
    ///
    /// # Errors
    /// If the device fails.
    pub fn was_disturbed<D: Device, E: From<FvError>>(
        &self,
        open: impl Fn(Parameters) -> Result<Context<D>, E>,
    ) -> Result<bool, E> {
        let n = Self::DIMENSIONS[0];
        let Some(parameters) = typical(n)? else {
            return Ok(false);
        };
        let work = product_work(&parameters)?;
        let now = Rates::measure(&open(parameters)?)?;
        Ok(now.seconds(&work, 1.0, n) * DISTURBED < self.rates(n).seconds(&work, 1.0, n))
    }

    /// The rates in dimension n.
    fn rates(&self, n: usize) -> &Rates {
        let place = Self::DIMENSIONS.iter().rposition(|measured| *measured <= n);
        &self.rates[place.unwrap_or(0)]
    }

    /// Whether narrow primes have faster transforms than others.
    #[must_use]
    pub(crate) fn has_fast_narrow_primes(&self) -> bool {
        self.narrow < 1.0
    }

    /// Seconds that work takes in dimension n on one thread, while the others are busy too.
    #[must_use]
    pub fn seconds(&self, work: &Work, n: usize) -> f64 {
        self.rates(n).seconds(work, self.narrow, n)
    }
}

/// Parameters such as the planner would try in dimension n, if there are any.
fn typical(n: usize) -> Result<Option<Parameters>, FvError> {
    let level = SecurityLevel::Bits128;
    let candidates = Candidate::all(level, n, ProductForm::Bfv, PrimeRule::Transform);
    let candidate = candidates.iter().rfind(|candidate| candidate.special <= SPECIAL);
    let parameters = candidate.map(|candidate| Parameters::new(&candidate.spec(level)));
    parameters.transpose()
}

impl Rates {
    /// Measures a device on all threads of the current pool.
    fn measure<D: Device>(context: &Context<D>) -> Result<Self, FvError> {
        let (parts, parameters) = (Self::of_parts(context)?, context.parameters());
        let predicted = parts.seconds(&product_work(parameters)?, 1.0, parameters.n());
        let scale = product_seconds(context)? / predicted;
        Ok(Self {
            transform: parts.transform * scale,
            pass: parts.pass * scale,
            conversion: parts.conversion * scale,
        })
    }

    /// Transforms, passes and conversions by themselves.
    fn of_parts<D: Device>(context: &Context<D>) -> Result<Self, FvError> {
        let (device, parameters) = (context.device(), context.parameters());
        let (n, q) = (parameters.n(), parameters.q_at(parameters.levels())?);
        let extension = parameters.auxiliary();
        // Below any of the primes.
        let words: Vec<u64> = (0..q.len() * n).map(|i| i as u64).collect();
        let poly = device.upload(&q, Domain::Coefficient, &words)?;
        let other = device.transform(device.copy(&poly)?, Domain::Evaluation)?;
        let time = |operation: &(dyn Fn() -> Result<D::Poly, FvError> + Sync)| {
            fastest(device, rayon::current_num_threads(), operation)
        };
        let copy = time(&|| Ok(device.copy(&poly)?))?;
        let transform = time(&|| Ok(device.transform(device.copy(&poly)?, Domain::Evaluation)?))?;
        let pass = time(&|| Ok(device.inner_product(&[(&other, &other)], Domain::Evaluation)?))?;
        let lift = time(&|| Ok(device.lift(&poly, extension, Domain::Coefficient)?))?;
        let each = |seconds: f64, count: f64| (seconds * 1e9 / (q.len() * n) as f64 / count).max(LEAST);
        Ok(Self {
            transform: each(transform - copy, f64::from(n.ilog2())),
            pass: each(pass, 1.0),
            conversion: each(lift - copy, extension.len() as f64),
        })
    }

    /// All three.
    #[must_use]
    pub fn all(&self) -> [f64; 3] {
        [self.transform, self.pass, self.conversion]
    }

    fn seconds(&self, work: &Work, narrow: f64, n: usize) -> f64 {
        let log = f64::from(n.max(2).ilog2());
        let transforms = work.transforms + work.narrow_transforms * narrow;
        let each =
            transforms * self.transform * log + work.passes * self.pass + work.conversions * self.conversion;
        each * n as f64 * 1e-9
    }
}

/// The level that products are measured at: most of a plan's are somewhat below the highest one.
fn level(parameters: &Parameters) -> usize {
    (parameters.levels() * 2).div_ceil(3)
}

/// What a product of two ciphertexts is made of, with both factors' preparation.
fn product_work(parameters: &Parameters) -> Result<Work, FvError> {
    let level = level(parameters);
    Ok(OperationCosts::new(parameters, 0)?.product(level, level))
}

/// Seconds of such a product on one of the current pool's threads, all of which are busy with others.
fn product_seconds<D: Device>(context: &Context<D>) -> Result<f64, FvError> {
    let level = level(context.parameters());
    let seed = Seed::from_bytes([1; 32]);
    let secret = context.generate_secret_key(&seed.derive("secret", 0))?;
    let key = context.generate_relinearization_key(&secret, &seed.derive("relinearization", 0))?;
    let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
    let encrypt = |i| context.encrypt_with_secret(&secret, &plaintext, level, &seed.derive("operand", i));
    let (a, b) = (encrypt(0)?, encrypt(1)?);
    // Results are kept until all are there, as they are by a plan's steps.
    fastest(context.device(), 2 * rayon::current_num_threads(), &|| {
        context.multiply_relinearize([&a, &b], &key, level, Domain::Coefficient)
    })
}

/// The least time that an operation takes on one thread, in seconds, when it is done so many times by all of them.
fn fastest<D: Device, T: Send>(
    device: &D,
    times: usize,
    operation: &(dyn Fn() -> Result<T, FvError> + Sync),
) -> Result<f64, FvError> {
    let each = rayon::current_num_threads().min(times) as f64 / times as f64;
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let results = for_each(times, |_| operation())?;
        device.finish()?;
        fastest = fastest.min(start.elapsed().as_secs_f64() * each);
        drop(results);
    }
    Ok(fastest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ringmill_arith::Simd;
    use ringmill_cpu::CpuDevice;

    use super::*;

    #[test]
    fn work_adds_up_and_takes_time() {
        let work = Work {
            transforms: 1.0,
            narrow_transforms: 3.0,
            passes: 2.0,
            conversions: 4.0,
        };
        let rates = |transform| Rates {
            transform,
            pass: 10.0,
            conversion: 100.0,
        };
        let calibration = Calibration {
            rates: [1.0, 2.0, 3.0, 4.0].map(rates),
            narrow: 0.5,
        };
        let twice = work + work;
        assert_eq!(twice, work * 2.0);
        // 12 digits times 1 and 3/2, 2 passes of 10, 4 conversions of 100, for 4096 words.
        let seconds = calibration.seconds(&work, 4096);
        assert!((seconds - 450.0 * 4096.0 * 1e-9).abs() < 1e-12);
        assert!((calibration.seconds(&twice, 4096) - 2.0 * seconds).abs() < 1e-12);
        // Between dimensions, below and above them all.
        let rate = |n| calibration.rates(n).transform;
        assert_eq!(
            [256, 8191, 8192, 32768, 131_072].map(rate),
            [1.0, 1.0, 2.0, 4.0, 4.0]
        );
    }

    fn open(parameters: Parameters) -> Result<Context<CpuDevice>, FvError> {
        let device = CpuDevice::new(parameters.ring(), Simd::Portable);
        Context::new(parameters, Arc::new(device))
    }

    #[test]
    fn a_measurement_of_a_busy_machine_is_noticed() {
        let calibration = |nanoseconds| Calibration {
            rates: [Rates {
                transform: nanoseconds,
                pass: nanoseconds,
                conversion: nanoseconds,
            }; DIMENSIONS.len()],
            narrow: 1.0,
        };
        assert!(calibration(1e4).was_disturbed(open).unwrap());
        assert!(!calibration(1e-3).was_disturbed(open).unwrap());
    }

    #[test]
    fn devices_are_measured() {
        let context = open(typical(4096).unwrap().unwrap()).unwrap();
        let rates = Rates::measure(&context).unwrap();
        for nanoseconds in rates.all() {
            assert!(nanoseconds.is_finite() && nanoseconds > 0.0);
        }
        // Rates predict what they were made from.
        let predicted = rates.seconds(&product_work(context.parameters()).unwrap(), 1.0, 4096);
        assert!((1e-5..1.0).contains(&predicted), "{predicted}");
        for n in Calibration::DIMENSIONS {
            assert_eq!(typical(n).unwrap().map(|parameters| parameters.n()), Some(n));
        }
    }
}
