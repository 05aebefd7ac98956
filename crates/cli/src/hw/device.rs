//! Messages by way of the simulated NTT multiplier.

use std::sync::Arc;

use ringmill_arith::{Kernel, Modulus};
use ringmill_fv::{Context, Parameters};
use ringmill_ring::Ring;
use ringmill_rtl::ntt_multiplier::{Link, RtlDevice, Shape};

use crate::device::Job;
use crate::error::CliError;
use crate::report::seconds;

/// Does a job with the paper's machine and link; says on standard error what the machine did.
pub fn run<J: Job>(parameters: Parameters, job: J) -> Result<J::Output, CliError> {
    let shape = Shape::PAPER;
    let negacyclic = matches!(parameters.ring(), Ring::Negacyclic(_)) && parameters.n() == shape.n();
    let fits = |q: &Modulus| (22..=32).contains(&q.bits());
    if !negacyclic || !matches!(parameters.q().moduli(), [q] if fits(q)) {
        return Err(CliError::Usage(format!(
            "--device rtl:ntt-multiplier computes modulo x^{} + 1 and one prime of 22 to 32 bits; {} has more or \
             another ring: make parameters with --preset n1024-q26",
            shape.n(),
            parameters.name(),
        )));
    }
    let device = RtlDevice::new(shape, Link::PAPER, Kernel::from_environment()?)?;
    let context = Context::new(parameters, Arc::new(device))?;
    let output = job.run(&context)?;
    let device = context.device();
    let (statistics, link) = (device.statistics(), device.link());
    eprintln!(
        "NTT multiplier: {} polynomials, {} products in {} cycles ({} at {} MHz), link {:.0} % busy",
        statistics.jobs,
        statistics.products,
        statistics.cycles,
        seconds(link.seconds(statistics.cycles)),
        link.clock_hertz / 1_000_000,
        100.0 * statistics.occupancy(&link, shape),
    );
    Ok(output)
}
