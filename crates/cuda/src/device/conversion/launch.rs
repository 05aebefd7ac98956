use ringmill_device::DeviceError;
use zerocopy::{Immutable, IntoBytes};

use super::source::{Missing, Source};
use super::{Conversion, ConversionJob, TOGETHER};
use crate::device::CudaDevice;
use crate::device::store::Task;
use crate::gpu::Address;
use crate::layout::layout;

/// The columns and groups of threads of a block: `COLUMNS` and `GROUPS` in `kernels/columns.cuh`.
pub(super) const COLUMNS: usize = 32;
const GROUPS: usize = 4;
/// The number of threads in a block.
pub(super) const THREADS: u32 = (COLUMNS * GROUPS) as u32;
/// The most conversions in a launch: `MOST_JOBS` in `kernels/convert.cuh`.
const MOST_JOBS: usize = 32;
/// The number of blocks that keeps a large GPU busy; with fewer, several blocks share the targets of a
/// column.
const BUSY: usize = 1024;

/// `Job` in `kernels/convert.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, IntoBytes, Immutable)]
struct Job {
    source: Source,
    to: Address,
    to_places: Address,
    primes: Address,
    weights: Address,
    turns: Address,
    own: Address,
    own_places: Address,
    own_factors: Address,
    targets: u32,
    unused: u32,
}

/// `ConvertParameters` in `kernels/convert.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct ConvertParameters {
    jobs: [Job; MOST_JOBS],
    n: u64,
    shares: u32,
    unused: u32,
}

layout! {
    "kernels/convert.cuh": Job { source, to, to_places, primes, weights, turns, own, own_places, own_factors, targets, unused }
    "kernels/convert.cuh": ConvertParameters { jobs, n, shares, unused }
}

impl Job {
    fn new(device: &CudaDevice, job: &ConversionJob<'_>) -> Result<Self, DeviceError> {
        let conversion: &Conversion = job.conversion;
        let tables = &conversion.tables;
        let place = |from: usize| tables.words.address() + 8 * from as u64;
        let (own, own_places) = match job.own {
            Some((own, basis)) => (own, device.places(&conversion.to, basis, Missing::Zero)?),
            None => (0, 0),
        };
        Ok(Self {
            source: conversion.sources.at(device, job.from)?,
            to: job.to.0,
            to_places: device.places(&conversion.to, job.to.1, Missing::Refused)?,
            primes: tables.primes.address(),
            weights: place(0),
            turns: place(tables.turns),
            own,
            own_places,
            own_factors: place(tables.own),
            targets: conversion.to.len() as u32,
            unused: 0,
        })
    }
}

impl CudaDevice {
    /// Runs any conversions together, in as few launches as their parameters allow.
    ///
    /// # Errors
    /// [`DeviceError::MissingLimb`] if a job's limbs lack a prime; other errors if the GPU fails.
    pub(in crate::device) fn convert(
        &self,
        task: &mut Task,
        jobs: &[ConversionJob<'_>],
    ) -> Result<(), DeviceError> {
        jobs.chunks(MOST_JOBS)
            .try_for_each(|jobs| self.convert_once(task, jobs))
    }

    /// Does the same for at most [`MOST_JOBS`] conversions.
    fn convert_once(&self, task: &mut Task, jobs: &[ConversionJob<'_>]) -> Result<(), DeviceError> {
        let targets = jobs.iter().map(|job| job.conversion.to.len()).max().unwrap_or(0);
        let many = jobs.iter().any(|job| job.conversion.sources.many());
        let columns = self.n().div_ceil(COLUMNS);
        let shares = BUSY
            .div_ceil(columns * jobs.len())
            .min(targets.div_ceil(TOGETHER * GROUPS));
        let mut parameters = ConvertParameters {
            jobs: [Job::default(); MOST_JOBS],
            n: self.n() as u64,
            shares: shares as u32,
            unused: 0,
        };
        for (to, job) in parameters.jobs.iter_mut().zip(jobs) {
            *to = Job::new(self, job)?;
        }
        let entry = self.entry(if many { "convert_many" } else { "convert" });
        let grid = [columns, shares, jobs.len()];
        // SAFETY: the structure is the kernel's. `Job::new` checked that all limbs are there, and the
        // callers vouch for this many words at the addresses. The tables live as long as the device, which
        // keeps every conversion.
        unsafe { task.launch(&entry, grid, THREADS, &parameters) }
    }
}
