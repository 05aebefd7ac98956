//! Devices that record what they do, and how long the core takes for it.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use ringmill::Error;
use ringmill::device::Ring;
use ringmill::platform::Platform;
use ringmill_rtl::core::{Configuration, Counts, MemoryTiming, OperationLog, Timed};

use crate::error::CliError;

/// A platform with one device, which records what it is asked to do.
pub struct Recorded<P: Platform> {
    platform: P,
    log: Arc<OperationLog>,
    device: Mutex<Option<Arc<Timed<P::Device>>>>,
}

impl<P: Platform> Recorded<P> {
    pub fn new(platform: P) -> Arc<Self> {
        Arc::new(Self {
            platform,
            log: Arc::default(),
            device: Mutex::default(),
        })
    }

    /// What the device did.
    pub fn log(&self) -> &OperationLog {
        &self.log
    }

    /// The device, if it was opened.
    pub fn device(&self) -> Option<Arc<Timed<P::Device>>> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<P: Platform> Platform for Recorded<P> {
    type Device = Timed<P::Device>;

    fn name(&self) -> String {
        self.platform.name()
    }

    fn hardware(&self) -> String {
        self.platform.hardware()
    }

    fn memory(&self) -> Option<u64> {
        self.platform.memory()
    }

    fn open(&self, ring: &Ring) -> Result<Arc<Self::Device>, Error> {
        let mut opened = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = &*opened {
            return Ok(Arc::clone(device));
        }
        let device = Arc::into_inner(self.platform.open(ring)?);
        let device = device.ok_or_else(|| Error::Usage(format!("{} is in use", self.name())))?;
        let device = Arc::new(Timed::new(device, Arc::clone(&self.log)));
        *opened = Some(Arc::clone(&device));
        Ok(device)
    }
}

/// The counters of all operations, on all of the processor's threads.
pub fn counts(
    log: &OperationLog,
    configuration: Configuration,
    memory: MemoryTiming,
) -> Result<Counts, CliError> {
    let operations = log.operations();
    let counts = operations.par_iter().map(|(operation, times)| {
        let counts = operation.counts(configuration, memory)?;
        Ok::<_, CliError>(counts.times(*times))
    });
    let mut sum = Counts::default();
    for counts in counts.collect::<Result<Vec<_>, _>>()? {
        sum += counts;
    }
    Ok(sum)
}
