//! Messages by way of the simulated NTT multiplier.

use std::sync::{Arc, OnceLock};

use ringmill_arith::{Modulus, Simd};
use ringmill_fv::{Context, Parameters};
use ringmill_ring::Ring;
use ringmill_rtl::ntt_multiplier::{Link, RtlDevice, Shape};

use crate::device::{DeviceChoice, Devices, Job};
use crate::error::CliError;
use crate::report::seconds;

/// The paper's machine and link.
#[derive(Default)]
struct NttMultiplier {
    /// The device that was opened, so that it can be asked what the machine did.
    opened: OnceLock<Arc<RtlDevice>>,
}

impl Devices for NttMultiplier {
    type Device = RtlDevice;

    fn name(&self) -> String {
        DeviceChoice::NttMultiplier.to_string()
    }

    fn hardware(&self) -> String {
        "simulated NTT multiplier".to_owned()
    }

    /// The device of the paper's ring, whichever is asked for: [`Context::new`] compares them.
    fn open(&self, _: &Ring) -> Result<Arc<RtlDevice>, CliError> {
        let device = RtlDevice::new(Shape::PAPER, Link::PAPER, Simd::from_environment()?)?;
        Ok(Arc::clone(self.opened.get_or_init(|| Arc::new(device))))
    }

    fn context(&self, parameters: Parameters) -> Result<Context<RtlDevice>, CliError> {
        let n = Shape::PAPER.n();
        let negacyclic = matches!(parameters.ring(), Ring::Negacyclic(_)) && parameters.n() == n;
        let fits = |q: &Modulus| (22..=32).contains(&q.bits());
        if !negacyclic || !matches!(parameters.q().moduli(), [q] if fits(q)) {
            return Err(CliError::Usage(format!(
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

/// Does a job with the paper's machine and link; says on standard error what the machine did.
pub fn run<J: Job>(job: J) -> Result<J::Output, CliError> {
    let machine = NttMultiplier::default();
    let output = job.run(&machine)?;
    if let Some(device) = machine.opened.get() {
        let (statistics, link) = (device.statistics(), device.link());
        eprintln!(
            "NTT multiplier: {} polynomials, {} products in {} cycles ({} at {} MHz), link {:.0} % busy",
            statistics.jobs,
            statistics.products,
            statistics.cycles,
            seconds(link.seconds(statistics.cycles)),
            link.clock_hertz / 1_000_000,
            100.0 * statistics.occupancy(&link, Shape::PAPER),
        );
    }
    Ok(output)
}
