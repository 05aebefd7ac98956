//! Paper 1: the HEPCloud processor.

use std::sync::Arc;

use ringmill_arith::sampling::{Stream, uniform};
use ringmill_arith::{Basis, Simd};
use ringmill_device::Device;
use ringmill_fv::presets::HEPCLOUD;
use ringmill_fv::{Context, Domain, Parameters};
use ringmill_ring::{Ring, Transform};
#[cfg(feature = "rtl")]
use ringmill_rtl::core::{Configuration, Sizes};
#[cfg(feature = "rtl")]
use ringmill_rtl::ntt_engine::{Direction, Engine};
#[cfg(feature = "rtl")]
use ringmill_rtl::papers::HepCloud;

#[cfg(feature = "rtl")]
use super::core;
use super::{Published, Sheet};
#[cfg(feature = "rtl")]
use crate::arguments::DemoCipher;
use crate::commands::bench::circuits;
use crate::commands::bench::jobs::seed;
use crate::commands::bench::measure::{Times, uniform_poly};
use crate::commands::bench::runs;
#[cfg(feature = "rtl")]
use crate::commands::hw::engine::HEPCLOUD as HEPCLOUD_ENGINE;
#[cfg(feature = "rtl")]
use crate::commands::hw::transforms;
use crate::error::CliError;
use ringmill::platform::{Cpu, Platform};

pub const TITLE: &str = "Paper 1. Sinha Roy et al., HEPCloud: an FPGA-based multicore processor for FV somewhat \
                         homomorphic function evaluation (Virtex 6, 100 MHz)";

pub const NOTE: &str = "Table 1 is the area of an FPGA. Ours: the paper's parameters (n = 32768, log2 q = 1228, \
                        \"at least 85 bits\"), but for SIMON, which runs at 128 bits, with four bits of a block in a \
                        byte (344 products); our machines have a slot for each bit (1376).";

const LATENCIES: &str = "Table 2. Latencies without memory access, at 100 MHz";
const OPERATIONS: &str = "Table 3. Operations with memory access";
const COMPARISON: &str = "Table 4 and section 5.4. Multiplication, and SIMON-64/128";

const fn latency(
    operation: &'static str,
    figure: &'static str,
    seconds: f64,
    remark: &'static str,
) -> Published {
    Published {
        table: LATENCIES,
        operation,
        figure,
        seconds: Some(seconds),
        remark,
    }
}

const POINTS: &str = "paper: 65536 points, 30-bit prime; ours: the ring's own 32768 values, 50-bit prime";
const RESIDUE: &str = "ours a residue polynomial of 50 bits";

const NTT: Published = latency("N-point NTT", "47,795 clocks = 478 us", 477.95e-6, POINTS);
const INTT: Published = latency("N-point INTT", "51,909 clocks = 519 us", 519.09e-6, POINTS);
const POINTWISE: Published = latency(
    "N-point-wise add/sub/mult",
    "4,096 clocks = 41 us",
    40.96e-6,
    "paper: 65536 points; ours: 32768, one addition",
);
const SCALE: Published = latency(
    "Lift Q->q, ResPol, a coefficient",
    "687 clocks = 6.87 us",
    6.87e-6,
    "paper: one of two cores, pipelined",
);
const LIFT: Published = latency(
    "Lift q->Q, a coefficient",
    "401 clocks = 4.01 us",
    4.01e-6,
    "paper: one of two cores, pipelined",
);
const PRODUCT: Published = latency(
    "Poly mult in R_qj",
    "361,376 clocks = 3.61 ms",
    3.613_76e-3,
    RESIDUE,
);

const fn operation(table: &'static str, operation: &'static str, figure: &'static str) -> Published {
    Published {
        table,
        operation,
        figure,
        seconds: None,
        remark: "",
    }
}

const ADD: Published = Published {
    seconds: Some(0.050),
    ..operation(OPERATIONS, "FV.Add", "0.050 s")
};
const MULT: Published = Published {
    seconds: Some(26.67),
    ..operation(OPERATIONS, "FV.Mult", "26.67 s")
};
const YASHE_HARDWARE: Published = Published {
    remark: "other parameters, depth 9, no slots for bits",
    ..operation(
        COMPARISON,
        "multiplication, YASHE in hardware [31]",
        "48.67 ms at n = 16384",
    )
};
const YASHE_SOFTWARE: Published = Published {
    remark: "another scheme: bench --paper 3 has ours",
    ..operation(COMPARISON, "multiplication, YASHE in software [23]", "2.98 s")
};
const SIMON: Published = Published {
    seconds: Some(37_551.0),
    remark: "paper: computed from FV.Mult; ours at 128-bit parameters",
    ..operation(
        COMPARISON,
        "SIMON-64/128, 2048 blocks",
        "37,551 s (YASHE, 4 cores: 4193 s)",
    )
};

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) {
    sheet.group("HEPCloud's parameters", |sheet| {
        let parameters = Parameters::preset(HEPCLOUD)?;
        ringmill::warn_if_insecure(&parameters, &());
        let context = Cpu.context(parameters)?;
        sheet.group(NTT.operation, |sheet| {
            ring_transforms(sheet, context.parameters().ring())
        });
        #[cfg(feature = "rtl")]
        sheet.group("our machines", machines);
        sheet.group(LIFT.operation, |sheet| conversions(sheet, &context));
        sheet.group(MULT.operation, |sheet| scheme(sheet, &context));
        Ok(())
    });
    #[cfg(feature = "rtl")]
    if !sheet.quick {
        let clock = HEPCLOUD_ENGINE.clock_hertz;
        sheet.group(SIMON.operation, |sheet| {
            core::cipher(sheet, SIMON, DemoCipher::Simon, clock)
        });
    }
    sheet.alone(YASHE_HARDWARE);
    sheet.alone(YASHE_SOFTWARE);
    if !sheet.quick
        && let Some(seconds) = sheet.attempt(SIMON.operation, || {
            circuits::seconds_of(&Arc::new(Cpu), "simon, nibbles")
        })
    {
        let times = Times::from_list(seconds.into_iter().collect());
        sheet.note(SIMON, "FV, n = 32768, nibbles", sheet.threads(), times);
    }
}

/// One limb on one thread.
fn ring_transforms(sheet: &mut Sheet, ring: &Ring) -> Result<(), CliError> {
    let Some(q) = ring.primes(1 << 50, 1, &[])?.pop() else {
        return Ok(());
    };
    let transform = Transform::new(ring, q, Simd::from_environment()?)?;
    let mut data = vec![0; ring.n()];
    uniform(&mut Stream::new(&seed("transform")), &q, &mut data);
    let runs = runs(sheet.quick, 3e-4);
    let forward = Times::of(runs, || Ok(transform.evaluate(&mut data)?))?;
    let inverse = Times::of(runs, || Ok(transform.interpolate(&mut data)?))?;
    sheet.note(NTT, "the ring's transform", 1, forward);
    sheet.note(INTT, "the ring's transform", 1, inverse);
    Ok(())
}

/// The cycles of our machines for the paper's transforms, by the schedules that their benches hold them to.
#[cfg(feature = "rtl")]
fn machines(sheet: &mut Sheet) -> Result<(), CliError> {
    let clock = HEPCLOUD_ENGINE.clock_hertz;
    let mut note = |method: &str, remark, engine: &dyn Engine| {
        for (published, direction) in [(NTT, Direction::Forward), (INTT, Direction::Inverse)] {
            let published = Published { remark, ..published };
            sheet.machine(published, method, engine.cycles(direction), clock);
        }
    };
    let faithful = "dedicated reads, 16 units";
    note(faithful, "", &transforms::hepcloud(65536, 16)?);
    for units in [16, 64] {
        let method = format!("Fermat ring, {units} units of 50 bits");
        note(&method, POINTS, &transforms::fermat(32768, units)?);
    }
    let product = Published {
        remark: "",
        ..PRODUCT
    };
    sheet.machine(product, faithful, transforms::hepcloud_product()?, clock);
    let core = Configuration::new(32768, 16, Sizes::default())?;
    sheet.machine(
        POINTWISE,
        "the core, 16 units of 50 bits",
        core.vector_cycles(1),
        clock,
    );
    operations_on_the_core(sheet)
}

/// FV's operations on the core, beside the paper's steps.
#[cfg(feature = "rtl")]
fn operations_on_the_core(sheet: &mut Sheet) -> Result<(), CliError> {
    let clock = HEPCLOUD_ENGINE.clock_hertz;
    let fv = core::Fv::new()?;
    for (published, steps) in [(ADD, HepCloud::addition()), (MULT, HepCloud::multiplication())] {
        let remark = "without memory";
        let published = Published { remark, ..published };
        sheet.paper_steps(published, &steps, HepCloud::CLOCK);
    }
    for (published, platform, remark) in [
        (ADD, &fv.sum, ""),
        (MULT, &fv.product, "digits of 59 bits"),
        (MULT, &fv.hybrid, "digits of nine limbs"),
    ] {
        for units in [16, 64] {
            let published = Published { remark, ..published };
            sheet.core(
                published,
                units,
                (&core::timed(platform.log(), units)?, false),
                clock,
            );
        }
    }
    Ok(())
}

fn conversions(sheet: &mut Sheet, context: &Context<<Cpu as Platform>::Device>) -> Result<(), CliError> {
    let (device, parameters) = (context.device(), context.parameters());
    let q = parameters.q_at(parameters.levels())?;
    let one = Basis::new(&q.moduli()[..1])?;
    let a = uniform_poly(device, &one, Domain::Coefficient)?;
    sheet.measure(POINTWISE, ("the device", 3e-5), || Ok(device.sum(&[&a, &a])?));

    let auxiliary = parameters.auxiliary().clone();
    let (n, threads) = (parameters.n(), sheet.threads());
    let method = format!("{} to {} limbs, exact", q.len(), auxiliary.len());
    let whole = uniform_poly(device, &q, Domain::Coefficient)?;
    let runs = runs(sheet.quick, 0.03);
    let lift = Times::of(runs, || {
        Ok(device.lift(&whole, &auxiliary, Domain::Coefficient)?)
    })?;
    let product = uniform_poly(device, &q.concat(&auxiliary)?, Domain::Coefficient)?;
    let scale = Times::of(runs, || Ok(device.scale(&product, parameters.t(), q.len())?))?;
    sheet.note(SCALE, &method, threads, scale.per(n));
    sheet.note(LIFT, &method, threads, lift.per(n));

    sheet.measure(PRODUCT, ("two evaluations, one interpolation", 6e-4), || {
        let left = device.transform(device.copy(&a)?, Domain::Evaluation)?;
        let right = device.transform(device.copy(&a)?, Domain::Evaluation)?;
        Ok(device.inner_product(&[(&left, &right)], Domain::Coefficient)?)
    });
    Ok(())
}

fn scheme(sheet: &mut Sheet, context: &Context<<Cpu as Platform>::Device>) -> Result<(), CliError> {
    let level = context.parameters().levels();
    let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
    let a = context.encrypt_with_secret(&secret, &plaintext, level, &seed("a"))?;
    let b = context.encrypt_with_secret(&secret, &plaintext, level, &seed("b"))?;
    sheet.measure(ADD, ("FV, RNS", 2e-3), || Ok(context.add(&a, &b)?));
    sheet.measure(MULT, ("FV, RNS", 0.4), || {
        Ok(context.multiply_relinearize([&a, &b], &key, level, Domain::Coefficient)?)
    });
    Ok(())
}
