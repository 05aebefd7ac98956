//! Simulated machines.

use std::sync::{Arc, OnceLock};

use ringmill_arith::{Modulus, Simd};
use ringmill_fv::{Context, Parameters};
use ringmill_ring::Ring;
use ringmill_rtl::core::{Configuration, CoreDevice, EngineKind, Simulation};
use ringmill_rtl::ntt_multiplier::{Link, RtlDevice, Shape};

use super::{DeviceName, Platform};
use crate::Error;
use crate::units::seconds;

/// The NTT multiplier of paper 2 with the paper's link, simulated.
#[derive(Default)]
pub struct NttMultiplier {
    /// The device that was opened, so that it can be asked what the machine did.
    opened: OnceLock<Arc<RtlDevice>>,
}

impl std::fmt::Debug for NttMultiplier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NttMultiplier")
    }
}

impl NttMultiplier {
    /// Sums up in a line how the machine was used; `None` if it was not.
    pub(super) fn account(&self) -> Option<String> {
        let device = self.opened.get()?;
        let (statistics, link) = (device.statistics(), device.link());
        Some(format!(
            "NTT multiplier: {} polynomials, {} products in {} cycles ({} at {} MHz), link {:.0} % busy",
            statistics.jobs,
            statistics.products,
            statistics.cycles,
            seconds(link.seconds(statistics.cycles)),
            link.clock_hertz / 1_000_000,
            100.0 * statistics.occupancy(&link, Shape::PAPER),
        ))
    }
}

impl Platform for NttMultiplier {
    type Device = RtlDevice;

    fn name(&self) -> String {
        DeviceName::NttMultiplier.to_string()
    }

    fn hardware(&self) -> String {
        "simulated NTT multiplier".to_owned()
    }

    /// The device of the paper's ring, whichever is asked for: [`Context::new`] compares them.
    fn open(&self, _: &Ring) -> Result<Arc<RtlDevice>, Error> {
        let device = RtlDevice::new(Shape::PAPER, Link::PAPER, Simd::from_environment()?)?;
        Ok(Arc::clone(self.opened.get_or_init(|| Arc::new(device))))
    }

    fn context(&self, parameters: Parameters) -> Result<Context<RtlDevice>, Error> {
        let n = Shape::PAPER.n();
        let negacyclic = matches!(parameters.ring(), Ring::Negacyclic(_)) && parameters.n() == n;
        let fits = |q: &Modulus| (22..=32).contains(&q.bits());
        if !negacyclic || !matches!(parameters.q().moduli(), [q] if fits(q)) {
            return Err(Error::Usage(format!(
                "--device {} computes modulo x^{n} + 1 and one prime of 22 to 32 bits; {} has more or another ring: make \
                 parameters with --preset n1024-q26",
                self.name(),
                parameters.name(),
            )));
        }
        let device = self.open(parameters.ring())?;
        Ok(Context::new(parameters, device)?)
    }
}

/// The core, simulated.
#[derive(Debug, Clone, Copy, Default)]
pub struct Core;

impl Core {
    /// Bytes of the simulated memory. The host has as much of it as was written to.
    const MEMORY: u64 = 1 << 34;

    fn configuration(ring: &Ring) -> Result<Configuration, Error> {
        let mut built = Simulation::configurations();
        built.retain(|core| core.sizes().engine == EngineKind::XorBanks);
        let fermat = matches!(ring, Ring::Fermat(_));
        let fitting = built.iter().find(|core| fermat && core.n() == ring.n());
        fitting.copied().ok_or_else(|| {
            let sizes: Vec<String> = built.iter().map(|core| core.n().to_string()).collect();
            Error::Usage(format!(
                "--device {} has no core for this ring of n = {}, only for Fermat rings of n = {}: choose such parameters, \
                 or build it with the feature rtl-full for n = 32768",
                DeviceName::Core,
                ring.n(),
                sizes.join(", "),
            ))
        })
    }
}

impl Platform for Core {
    type Device = CoreDevice<Simulation>;

    fn name(&self) -> String {
        DeviceName::Core.to_string()
    }

    fn hardware(&self) -> String {
        "simulated core".to_owned()
    }

    fn memory(&self) -> Option<u64> {
        Some(Self::MEMORY)
    }

    fn open(&self, ring: &Ring) -> Result<Arc<CoreDevice<Simulation>>, Error> {
        let simulation = Simulation::new(Self::configuration(ring)?, 0, Self::MEMORY)?;
        Ok(Arc::new(CoreDevice::new(simulation)?))
    }
}
