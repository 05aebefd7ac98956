//! The transform engines that `hw run` and `bench` know, at their sizes.

use ringmill_arith::Modulus;
use ringmill_arith::prime::primes_below;
use ringmill_ring::{FermatRing, PrimeRule};
use ringmill_rtl::ntt_engine::dedicated_read::{self, DedicatedRead, RingMultiplier};
use ringmill_rtl::ntt_engine::two_epoch::{self, Network, TwoEpoch};
use ringmill_rtl::ntt_engine::xor_banks::{self, RingKind, XorBanks};
use ringmill_rtl::ntt_engine::{Engine, Unit};
use ringmill_rtl::{Pipeline, RtlError};

use super::engine::{self, CACHED_NTT, HEPCLOUD, Published};
use crate::arguments::{HwRunArguments, TileNetwork};
use crate::error::CliError;

/// Simulates our engine.
pub fn run_fermat(arguments: &HwRunArguments) -> Result<(), CliError> {
    let n = if arguments.full { 32768 } else { 2048 };
    let n = arguments.n.map_or(n, |n| n as usize);
    let engine = fermat(n, units(arguments, 4, 16))?;
    run(&engine, HEPCLOUD, arguments)
}

/// Simulates paper 1's engine.
pub fn run_hepcloud(arguments: &HwRunArguments) -> Result<(), CliError> {
    let n = if arguments.full { 65536 } else { 1024 };
    let engine = hepcloud(n, units(arguments, 4, 16))?;
    run(&engine, HEPCLOUD, arguments)
}

/// Simulates paper 3's engine.
pub fn run_tiles(arguments: &HwRunArguments) -> Result<(), CliError> {
    let network = match arguments.network {
        TileNetwork::Ring => Network::Ring,
        TileNetwork::Transposer => Network::Transposer,
    };
    let engine = tiled(units(arguments, 16, 256), network)?;
    run(&engine, CACHED_NTT, arguments)
}

/// The units that were asked for, or those of the small or the full size.
fn units(arguments: &HwRunArguments, small: usize, full: usize) -> usize {
    let units = arguments.units.map(|units| units as usize);
    units.unwrap_or(if arguments.full { full } else { small })
}

fn run(engine: &impl Engine, paper: Published, arguments: &HwRunArguments) -> Result<(), CliError> {
    let paper = arguments.full.then_some(paper);
    engine::run(engine, paper, arguments.transforms, arguments.json)
}

/// Our engine for Fermat rings, with primes of 50 bits.
pub fn fermat(n: usize, units: usize) -> Result<XorBanks, CliError> {
    const WIDTH: u32 = 50;
    let prime = one(PrimeRule::Machine.primes(&FermatRing::new(n)?.into(), 1 << WIDTH, 1, &[])?)?;
    let shape = xor_banks::Shape::new(n, units, RingKind::Fermat)?;
    let latency = Pipeline::Deep.butterfly(WIDTH, PrimeRule::MACHINE_WORD, true);
    Ok(XorBanks::new(
        shape,
        &prime,
        WIDTH,
        PrimeRule::MACHINE_WORD,
        latency,
    )?)
}

/// Paper 1's engine, with primes of 30 bits.
pub fn hepcloud(n: usize, units: usize) -> Result<DedicatedRead, CliError> {
    const WIDTH: u32 = 30;
    const WORD: u32 = 16;
    let prime = one(primes_below(1 << WIDTH, 1 << 17, 1, &[])?)?;
    let shape = dedicated_read::Shape::new(n, units)?;
    let latency = Pipeline::Deep.butterfly(WIDTH, WORD, true);
    Ok(DedicatedRead::new(
        shape,
        Unit::new(&prime, WIDTH, WORD)?,
        latency,
    )?)
}

/// The cycles of a product modulo Phi_65535 by paper 1's engine at its full size.
pub fn hepcloud_product() -> Result<u64, CliError> {
    Ok(RingMultiplier::cycles(hepcloud(65536, 16)?.schedule()))
}

/// Paper 3's engine, with primes of 32 bits.
pub fn tiled(tiles: usize, network: Network) -> Result<TwoEpoch, CliError> {
    const WIDTH: u32 = 32;
    let prime = one(primes_below(1 << WIDTH, 1 << 17, 1, &[])?)?;
    let latency = Pipeline::Deep.butterfly(WIDTH, 2 * tiles.ilog2(), true);
    let schedule = two_epoch::Schedule::new(tiles, network, latency)?;
    Ok(TwoEpoch::new(schedule, &prime)?)
}

fn one(primes: Vec<Modulus>) -> Result<Modulus, CliError> {
    let prime = primes.into_iter().next();
    prime.ok_or_else(|| RtlError::NothingLoaded.into())
}
