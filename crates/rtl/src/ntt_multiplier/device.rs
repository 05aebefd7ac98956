use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::{CpuDevice, CpuPoly};
use ringmill_device::{Device, DeviceError, SecretPoly, delegate, refusals};
use ringmill_ring::{Domain, NegacyclicRing, Ring};

use super::{Host, JobTimes, Link, MachineProgram, Shape, Simulation, Statistics};
use crate::RtlError;

/// The machine as a device, used as in the paper: the machine does [`Device::multiply_fixed`], and the host's CPU does
/// everything else. Polynomials are in the host's memory.
///
/// Products are over one prime of 22 to 32 bits, with one or two factors. The device refuses anything else and never
/// computes it elsewhere. The machine keeps the factors until it gets others. It does the jobs of several threads one
/// after another.
pub struct RtlDevice {
    cpu: CpuDevice,
    /// The positions from [`MachineProgram::positions`].
    positions: Vec<usize>,
    machine: Mutex<Simulated>,
}

/// The state that one thread uses at a time.
struct Simulated {
    host: Host,
    statistics: Statistics,
    times: Vec<JobTimes>,
    loaded: Option<Loaded>,
}

/// The loaded prime and fixed polynomials, in the ring's order. The polynomials may be secret keys.
type Loaded = (Modulus, Vec<Secret<Vec<u64>>>);

impl RtlDevice {
    /// Makes a machine for Z\[x\]/(x^n + 1) at the end of a link, and a CPU device with this kernel beside it.
    ///
    /// # Errors
    /// [`RtlError::NotBuilt`] if this build has no such machine; [`RtlError::Ring`] if there is no such
    /// ring.
    pub fn new(shape: Shape, link: Link, kernel: Simd) -> Result<Self, RtlError> {
        let ring = Ring::from(NegacyclicRing::new(shape.n())?);
        Ok(Self {
            cpu: CpuDevice::new(&ring, kernel),
            positions: MachineProgram::positions(shape, &ring)?,
            machine: Mutex::new(Simulated {
                host: Host::new(Simulation::new(shape)?, link)?,
                statistics: Statistics::default(),
                times: Vec::new(),
                loaded: None,
            }),
        })
    }

    /// What the machine has done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.lock().statistics
    }

    /// The times of each job of the last batch.
    #[must_use]
    pub fn last_times(&self) -> Vec<JobTimes> {
        self.lock().times.clone()
    }

    /// Replaces the link between the host and the machine.
    pub fn set_link(&self, link: Link) {
        self.lock().host.set_link(link);
    }

    /// The machine's shape.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.lock().host.shape()
    }

    /// The link.
    #[must_use]
    pub fn link(&self) -> Link {
        *self.lock().host.link()
    }

    /// Locks the machine. A panic in another thread leaves no machine half-configured, because `loaded` is
    /// set last.
    fn lock(&self) -> MutexGuard<'_, Simulated> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unsupported(&self, need: String) -> DeviceError {
        DeviceError::Unsupported {
            device: self.name(),
            need,
        }
    }

    /// The prime of a batch and its factors, if the machine can multiply them; `None` for an empty batch.
    fn prime(&self, batch: &[CpuPoly], factors: &[&CpuPoly]) -> Result<Option<Modulus>, DeviceError> {
        let Some(first) = batch.first() else {
            return Ok(None);
        };
        if factors.len() > 2 {
            return Err(self.unsupported(format!("products with 1 or 2 factors, not {}", factors.len())));
        }
        match self.cpu.basis(first).moduli() {
            [q] if (22..=32).contains(&q.bits()) => Ok(Some(*q)),
            [q] => Err(self.unsupported(format!("a prime of 22 to 32 bits, not one of {}", q.bits()))),
            limbs => Err(self.unsupported(format!("polynomials over one prime, not {}", limbs.len()))),
        }
    }

    fn run(&self, batch: &[CpuPoly], factors: &[&CpuPoly]) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        refusals::multiply_fixed(self, batch, factors)?;
        let Some(q) = self.prime(batch, factors)? else {
            return Ok(Vec::new());
        };
        let basis = Basis::new(&[q])?;
        let mut fixed = Vec::with_capacity(factors.len());
        for factor in factors {
            // Factors may have further limbs and may be secret keys.
            let limb = SecretPoly::new(&self.cpu, self.cpu.restrict(factor, &basis)?);
            fixed.push(limb.download()?);
        }
        let mut words = Secret::with_capacity(batch.len() * self.positions.len());
        for a in batch {
            let a = Secret::new(self.cpu.download(a)?);
            // The residues have at most 32 bits.
            a.iter().for_each(|&word| words.push(word as u32));
        }
        let results = self.multiply(&q, fixed, &words);
        let results = results.map_err(|error| DeviceError::Failed {
            device: self.name(),
            problem: error.to_string(),
        })?;
        let n = self.positions.len();
        let upload = |words: &[u32]| {
            let words = Secret::collect(words.iter().map(|&word| word.into()));
            self.cpu.upload(&basis, Domain::Coefficient, &words)
        };
        let jobs = results.chunks_exact(n * factors.len());
        jobs.map(|job| job.chunks_exact(n).map(upload).collect())
            .collect()
    }

    /// Lets the machine multiply; loads the factors first if the machine does not have them.
    fn multiply(
        &self,
        q: &Modulus,
        fixed: Vec<Secret<Vec<u64>>>,
        words: &[u32],
    ) -> Result<Secret<Vec<u32>>, RtlError> {
        let products = fixed.len();
        let mut machine = self.lock();
        let machine = &mut *machine;
        let has = |(prime, loaded): &Loaded| prime == q && loaded.starts_with(&fixed);
        if !machine.loaded.as_ref().is_some_and(has) {
            machine.loaded = None;
            let mut program = match machine.host.program() {
                Some(program) if program.unit().modulus() == q => program.clone(),
                _ => MachineProgram::new(machine.host.shape(), q)?,
            };
            for (which, fixed) in fixed.iter().enumerate() {
                let values = self.positions.iter().map(|&position| fixed[position]);
                program.set_operand(which, &Secret::collect(values))?;
            }
            machine.host.load(&program)?;
            machine.loaded = Some((*q, fixed));
            machine.statistics.loads += 1;
        }
        machine.host.clear()?;
        let batch = machine.host.run(words, products)?;
        let counters = machine.host.counters()?;
        machine.statistics.add(&batch, products, &counters);
        machine.times = batch.times;
        Ok(Secret::new(batch.words))
    }
}

impl Device for RtlDevice {
    type Poly = CpuPoly;

    fn name(&self) -> String {
        format!("rtl:ntt-multiplier (n = {})", self.positions.len())
    }

    fn multiply_fixed(
        &self,
        batch: Vec<CpuPoly>,
        factors: &[&CpuPoly],
    ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        let results = self.run(&batch, factors);
        batch.into_iter().for_each(|a| self.cpu.wipe(a));
        results
    }

    // The host does everything else.
    delegate!(self.cpu: ring, memory, narrow_transform_time, basis, domain, upload, download, copy, wipe, finish, hint_idle, prefetch, release);
    delegate!(self.cpu: restrict, concat_limbs, transform, sum, sub, negate, inner_product, inner_products, automorphism);
    delegate!(self.cpu: lift, lifts, scale, rescale, decompose, decompose_base_two, extend_by_p);
    delegate!(self.cpu: key_switch_grouped, key_switch, relinearize, rotate, rotated_sums);
}

impl fmt::Debug for RtlDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RtlDevice")
            .field("cpu", &self.cpu)
            .field("statistics", &self.statistics())
            .finish_non_exhaustive()
    }
}
