//! Paper 3: the cached-NTT machine, YASHE and LTV.

use std::sync::Arc;

use ringmill_arith::Basis;
#[cfg(feature = "rtl")]
use ringmill_arith::prime::primes_below;
use ringmill_device::Device;
use ringmill_ring::Domain;
#[cfg(feature = "rtl")]
use ringmill_rtl::ntt_engine::two_epoch::Network;
#[cfg(feature = "rtl")]
use ringmill_rtl::ntt_engine::{Direction, Engine};
#[cfg(feature = "rtl")]
use ringmill_rtl::papers::TileMachine;
#[cfg(feature = "rtl")]
use ringmill_rtl::tile_conversion::Conversion;
use ringmill_schemes::ltv::Ltv;
use ringmill_schemes::ntru::NtruScheme;
use ringmill_schemes::yashe::Yashe;

#[cfg(feature = "rtl")]
use super::core;
use super::{Published, Sheet};
use crate::arguments::DemoCipher;
use crate::commands::bench::circuits;
use crate::commands::bench::measure::{Times, uniform_poly};
use crate::commands::bench::runs;
#[cfg(feature = "rtl")]
use crate::commands::hw::engine::CACHED_NTT;
#[cfg(feature = "rtl")]
use crate::commands::hw::transforms;
use crate::commands::ntru::{Cipher, Party, Run};
use crate::error::CliError;
use ringmill::platform::{Cpu, Platform};

pub const TITLE: &str = "Paper 3. Accelerating homomorphic evaluation on FPGAs with a parallel cached NTT: YASHE and LTV \
                         (Virtex 7, 256 cores, 209 MHz)";

pub const NOTE: &str = "Table 1 is definitions and parameters, table 2 the area of an FPGA. Tables 3 and 4 leave external \
     memory out; tables 5 and 6 must include it, as LTV.ADD takes as long as YASHE's XOR. Ours: n = 32768, log2 q = 1225 (YASHE) and 1271 (LTV), 2048 blocks, AES bit-sliced \
     with 5280 ANDs (paper 5440), SIMON with 1376 (paper 1408); FV at 128-bit security, AES by bytes, SIMON with four bits of a block in a byte (344 products), \
     or on our machines with a slot for each bit (1376). The paper's LTV has 41 levels, \
     which do not reach SIMON's 44 rounds: ours takes 45 smaller ones of the same modulus.";

const PRIMITIVES: &str = "Table 3. Operations on polynomials";
const YASHE: &str = "Table 4. YASHE";
const LTV: &str = "Table 5. LTV, highest level";
const CIRCUITS: &str = "Table 6. Gates and ciphers, 2048 at a time";

/// The primes of the paper's q and of its Q, and the coefficients of a tile.
#[cfg(feature = "rtl")]
const KEPT_PRIMES: usize = 41;
#[cfg(feature = "rtl")]
const PRIMES: usize = 84;
#[cfg(feature = "rtl")]
const COEFFICIENTS: u64 = 128;

const ON_CHIP: &str = "paper: on the chip, 256 cores";
const NO_MEMORY: &str = "paper: without external memory";
const WITH_MEMORY: &str = "paper: with external memory";
const POINTS: &str = "paper: 65536 points, 32 bits; ours: the ring's 32768 values, 50 bits";
const ESTIMATE: &str = "paper: estimated from its parts";

const fn line(
    table: &'static str,
    operation: &'static str,
    figure: &'static str,
    seconds: f64,
    remark: &'static str,
) -> Published {
    Published {
        table,
        operation,
        figure,
        seconds: Some(seconds),
        remark,
    }
}

const ADD: Published = line(PRIMITIVES, "ADD/SUB", "0.63 us ([14] 15 us)", 0.63e-6, ON_CHIP);
const POINTWISE: Published = line(
    PRIMITIVES,
    "point-wise MULT",
    "1.31 us ([14] 29 us)",
    1.31e-6,
    ON_CHIP,
);
const NTT: Published = line(
    PRIMITIVES,
    "NTT",
    "23.8 us ([14] 334 us, [15] 50 us)",
    23.8e-6,
    POINTS,
);
const INTT: Published = line(PRIMITIVES, "INTT", "25.1 us ([14] 363 us)", 25.1e-6, POINTS);
const SMALL_CRT: Published = line(
    PRIMITIVES,
    "Small-CRT (q to Q)",
    "1 ms ([14] 0.8 ms)",
    1e-3,
    NO_MEMORY,
);
const LARGE_CRT: Published = line(
    PRIMITIVES,
    "Large-CRT (84), Divide-and-Round",
    "11.5 + 17.6 ms ([14] 19.2 + 19.7 ms)",
    29.1e-3,
    NO_MEMORY,
);
const YASHE_ADD: Published = line(YASHE, "YASHE.ADD", "25.83 us ([14] 172 us)", 25.83e-6, NO_MEMORY);
const YASHE_MULT: Published = line(YASHE, "YASHE.MULT", "74.51 ms ([14] 112 ms)", 74.51e-3, NO_MEMORY);
const YASHE_SIMON: Published = line(YASHE, "SIMON-64/128", "105 s ([14] 158 s)", 105.0, NO_MEMORY);
const LTV_ADD: Published = line(LTV, "LTV.ADD", "4.55 ms", 4.55e-3, WITH_MEMORY);
const LTV_RELINEARIZE: Published = line(
    LTV,
    "LTV.Relinearize",
    "36.34 ms ([15] 526 ms)",
    36.34e-3,
    "paper: 80 digits of 16 bits with one transform each, though each needs one modulo each prime",
);
const LTV_SWITCH: Published = line(LTV, "LTV.ModSwitch", "7.86 ms ([15] 89 ms)", 7.86e-3, WITH_MEMORY);
const LTV_MULT: Published = line(LTV, "LTV.MULT", "72.3 ms", 72.3e-3, WITH_MEMORY);
const AND_YASHE: Published = line(CIRCUITS, "YASHE AND gate", "461.06 ms", 461.06e-3, "");
const XOR_YASHE: Published = line(CIRCUITS, "YASHE XOR gate", "4.55 ms", 4.55e-3, "");
const SIMON_YASHE: Published = line(CIRCUITS, "YASHE SIMON-64/128", "11.14 minutes", 668.4, ESTIMATE);
const AES_YASHE: Published = line(CIRCUITS, "YASHE AES-128", "43.2 minutes", 2592.0, ESTIMATE);
const AND_LTV: Published = line(CIRCUITS, "LTV AND gate, level 0", "72.3 ms", 72.3e-3, WITH_MEMORY);
const XOR_LTV: Published = line(CIRCUITS, "LTV XOR gate, level 0", "4.55 ms", 4.55e-3, "");
const SIMON_LTV: Published = line(CIRCUITS, "LTV SIMON-64/128", "1 minute", 60.0, ESTIMATE);
const AES_LTV: Published = line(
    CIRCUITS,
    "LTV AES-128",
    "4 minutes, 117 ms a block",
    240.0,
    ESTIMATE,
);
const SIMON_FV: Published = Published {
    seconds: None,
    ..line(CIRCUITS, "FV SIMON-64/128", "-", 0.0, "128-bit security")
};
const AES_FV: Published = Published {
    seconds: None,
    ..line(CIRCUITS, "FV AES-128", "-", 0.0, "128-bit security")
};

/// Measures all of it.
pub fn measure(sheet: &mut Sheet) {
    #[cfg(feature = "rtl")]
    sheet.group("our machines", machines);
    sheet.group(YASHE, yashe);
    sheet.group(LTV, ltv);
    if sheet.quick {
        return;
    }
    #[cfg(feature = "rtl")]
    for (published, cipher) in [(SIMON_FV, DemoCipher::Simon), (AES_FV, DemoCipher::Aes)] {
        sheet.group(published.operation, |sheet| {
            core::cipher(sheet, published, cipher, CACHED_NTT.clock_hertz)
        });
    }
    #[cfg(feature = "rtl")]
    sheet.group("circuits on the core", circuits_on_core);
    sheet.group(YASHE_SIMON.operation, |sheet| {
        let yashe = Party::<Yashe, _>::new(&Cpu, "yashe-1225")?;
        for (cipher, lines) in [
            (DemoCipher::Simon, &[YASHE_SIMON, SIMON_YASHE][..]),
            (DemoCipher::Aes, &[AES_YASHE]),
        ] {
            let run = yashe.evaluate(|blocks| Cipher::new(cipher, blocks))?;
            lines.iter().try_for_each(|line| note(sheet, *line, &run))?;
        }
        Ok(())
    });
    for (set, cipher, published) in [
        ("ltv-1271-44", DemoCipher::Simon, SIMON_LTV),
        ("ltv-1271", DemoCipher::Aes, AES_LTV),
    ] {
        sheet.group(published.operation, |sheet| {
            let run = Party::<Ltv, _>::new(&Cpu, set)?.evaluate(|blocks| Cipher::new(cipher, blocks))?;
            note(sheet, published, &run)
        });
    }
    for (published, job) in [(SIMON_FV, "simon, nibbles"), (AES_FV, "aes-128")] {
        if let Some(seconds) =
            sheet.attempt(published.operation, || circuits::seconds_of(&Arc::new(Cpu), job))
        {
            let times = Times::from_list(seconds.into_iter().collect());
            sheet.note(published, "FV, n = 32768", sheet.threads(), times);
        }
    }
}

/// SIMON and AES over YASHE and LTV on the core, by its model. There are not enough primes for machines for LTV's levels:
/// its sets are those of the CPU, with as many limbs, on whose number the time depends.
#[cfg(feature = "rtl")]
fn circuits_on_core(sheet: &mut Sheet) -> Result<(), CliError> {
    use DemoCipher::{Aes, Simon};
    let clock = CACHED_NTT.clock_hertz;
    for (set, cipher, published) in [
        (
            "yashe-1225-machine",
            Simon,
            &[(YASHE_SIMON, true), (SIMON_YASHE, false)][..],
        ),
        ("yashe-1225-machine", Aes, &[(AES_YASHE, false)]),
        ("ltv-1271-44", Simon, &[(SIMON_LTV, false)]),
        ("ltv-1271", Aes, &[(AES_LTV, false)]),
    ] {
        let log = match set {
            "yashe-1225-machine" => core::ntru_cipher::<Yashe>(set, cipher)?,
            _ => core::ntru_cipher::<Ltv>(set, cipher)?,
        };
        for units in [64, 256] {
            let counts = core::timed(&log, units)?;
            for (published, computes) in published {
                sheet.core(*published, units, (&counts, *computes), clock);
            }
        }
    }
    Ok(())
}

/// The cycles of our machines for the paper's transforms, by the schedules that their benches hold them to.
#[cfg(feature = "rtl")]
fn machines(sheet: &mut Sheet) -> Result<(), CliError> {
    let clock = CACHED_NTT.clock_hertz;
    for (method, network) in [
        ("256 tiles, ring", Network::Ring),
        ("256 tiles, transposer", Network::Transposer),
    ] {
        let engine = transforms::tiled(256, network)?;
        for (published, direction) in [(NTT, Direction::Forward), (INTT, Direction::Inverse)] {
            let published = Published {
                remark: "",
                ..published
            };
            sheet.machine(published, method, engine.cycles(direction), clock);
        }
    }
    conversions(sheet)?;
    let steps = [
        (YASHE_MULT, TileMachine::yashe_multiplication()),
        (LTV_MULT, TileMachine::ltv_multiplication()),
    ];
    for (published, steps) in steps {
        sheet.paper_steps(published, &steps, TileMachine::CLOCK);
    }
    let primitives = core::Primitives::new("yashe-1225-machine")?;
    let [ntt, intt] = &primitives.transforms;
    let yashe = core::Ntru::new::<Yashe>("yashe-1225-machine", 0)?;
    let ltv = core::Ntru::new::<Ltv>("ltv-1271-machine", 1)?;
    for (published, log, computes) in [
        (ADD, &primitives.sum, true),
        (POINTWISE, &primitives.product, true),
        (NTT, ntt, true),
        (INTT, intt, true),
        (SMALL_CRT, &primitives.lift, true),
        (LARGE_CRT, &primitives.scale, true),
        (YASHE_ADD, &yashe.sum, true),
        (YASHE_MULT, &yashe.product, true),
        (XOR_YASHE, &yashe.sum, false),
        (AND_YASHE, &yashe.product, false),
        (LTV_ADD, &ltv.sum, false),
        (LTV_RELINEARIZE, &ltv.relinearization, false),
        (LTV_SWITCH, &ltv.switch, false),
        (LTV_MULT, &ltv.product, false),
        (XOR_LTV, &ltv.sum, false),
        (AND_LTV, &ltv.product, false),
    ] {
        for units in [64, 256] {
            sheet.core(published, units, (&core::timed(log, units)?, computes), clock);
        }
    }
    Ok(())
}

/// The paper's conversions on our tiles: 41 primes of 30 bits and 43 more, 128 coefficients a tile.
#[cfg(feature = "rtl")]
fn conversions(sheet: &mut Sheet) -> Result<(), CliError> {
    let primes = primes_below(1 << 30, 1 << 16, PRIMES, &[])?;
    let primes: Vec<u32> = primes.iter().map(|q| q.value() as u32).collect();
    let (from, to) = primes.split_at(KEPT_PRIMES);
    let large = Conversion::large_crt_for_division(&primes, KEPT_PRIMES)?;
    let division = Conversion::divide_and_round(&primes, KEPT_PRIMES)?;
    for (published, conversions) in [
        (SMALL_CRT, vec![Conversion::small_crt(from, to)?]),
        (LARGE_CRT, vec![large, division]),
    ] {
        let cycles: u64 = conversions
            .iter()
            .map(|conversion| conversion.program().cycles())
            .sum();
        sheet.machine(
            published,
            "256 tiles",
            COEFFICIENTS * cycles,
            CACHED_NTT.clock_hertz,
        );
    }
    Ok(())
}

fn note(sheet: &mut Sheet, published: Published, run: &Run) -> Result<(), CliError> {
    run.check()?;
    let method = format!("{}, {} ANDs", run.set, run.products);
    sheet.note(
        published,
        &method,
        sheet.threads(),
        Times::from_list(vec![run.evaluation]),
    );
    Ok(())
}

/// Table 3 on one limb, but for the conversions, which are of all.
fn primitives(
    sheet: &mut Sheet,
    device: &<Cpu as Platform>::Device,
    q: &Basis,
    extension: &Basis,
) -> Result<(), CliError> {
    let one = Basis::new(&q.moduli()[..1])?;
    let a = uniform_poly(device, &one, Domain::Coefficient)?;
    let b = uniform_poly(device, &one, Domain::Evaluation)?;
    let method = "one limb of 49 bits";
    sheet.measure(ADD, (method, 3e-5), || Ok(device.sum(&[&a, &a])?));
    sheet.measure(POINTWISE, (method, 3e-5), || {
        Ok(device.inner_product(&[(&b, &b)], Domain::Evaluation)?)
    });
    sheet.measure(NTT, ("one limb, a copy included", 3e-4), || {
        Ok(device.transform(device.copy(&a)?, Domain::Evaluation)?)
    });
    sheet.measure(INTT, ("one limb, a copy included", 3e-4), || {
        Ok(device.transform(device.copy(&b)?, Domain::Coefficient)?)
    });
    let method = format!("{} to {} limbs", q.len(), q.len() + extension.len());
    let whole = uniform_poly(device, q, Domain::Coefficient)?;
    sheet.measure(SMALL_CRT, (&method, 0.03), || {
        Ok(device.lift(&whole, extension, Domain::Coefficient)?)
    });
    let method = format!(
        "exact scaling, {} limbs to {}",
        q.len() + extension.len(),
        q.len()
    );
    let product = uniform_poly(device, &q.concat(extension)?, Domain::Coefficient)?;
    sheet.measure(LARGE_CRT, (&method, 0.03), || {
        Ok(device.scale(&product, 2, q.len())?)
    });
    Ok(())
}

fn yashe(sheet: &mut Sheet) -> Result<(), CliError> {
    let yashe = Party::<Yashe, _>::new(&Cpu, "yashe-1225")?;
    let parameters = yashe.context.parameters();
    primitives(
        sheet,
        yashe.context.device(),
        parameters.pool(),
        parameters.auxiliary(),
    )?;
    sums(sheet, &yashe, [YASHE_ADD, XOR_YASHE])?;
    let method = ("highest level, factors lifted too", 0.1);
    products(
        sheet,
        &yashe,
        [YASHE_MULT, AND_YASHE],
        method,
        parameters.levels(),
    )
}

fn ltv(sheet: &mut Sheet) -> Result<(), CliError> {
    let ltv = Party::<Ltv, _>::new(&Cpu, "ltv-1271")?;
    let (context, key) = (&ltv.context, ltv.evaluator.key());
    let level = context.parameters().levels();
    sums(sheet, &ltv, [LTV_ADD, XOR_LTV])?;
    let (a, b) = (ltv.ones()?, ltv.ones()?);
    let product = context.multiply(&[(&context.factor(&a)?, &context.factor(&b)?)])?;
    for together in [1, 4] {
        let sums = vec![(&product, &[][..]); together];
        let runs = runs(sheet.quick, 0.2 * together as f64);
        let times = sheet.attempt(LTV_RELINEARIZE.operation, || {
            Times::of(runs, || Ok(context.relinearize_all(key, &sums, level)?))
        });
        if let Some(times) = times {
            let method = format!("key in groups, {together} at a time, each");
            sheet.note(LTV_RELINEARIZE, &method, sheet.threads(), times.per(together));
        }
    }
    sheet.measure(LTV_SWITCH, ("highest level", 0.02), || {
        Ok(context.switch(&a, level - 1)?)
    });
    let method = ("product, relinearization and switch", 0.2);
    products(sheet, &ltv, [LTV_MULT, AND_LTV], method, level - 1)
}

/// The sum of two ciphertexts of the highest level.
fn sums<S: NtruScheme>(
    sheet: &mut Sheet,
    party: &Party<S, <Cpu as Platform>::Device>,
    lines: [Published; 2],
) -> Result<(), CliError> {
    let (a, b) = (party.ones()?, party.ones()?);
    for published in lines {
        sheet.measure(published, ("highest level", 3e-3), || {
            Ok(party.context.sum(&[&a, &b])?)
        });
    }
    Ok(())
}

/// The product of two ciphertexts of the highest level, at another; `method` says how, and about how many seconds it
/// takes.
fn products<S: NtruScheme>(
    sheet: &mut Sheet,
    party: &Party<S, <Cpu as Platform>::Device>,
    lines: [Published; 2],
    method: (&str, f64),
    level: usize,
) -> Result<(), CliError> {
    let (a, b) = (party.ones()?, party.ones()?);
    let (context, key) = (&party.context, party.evaluator.key());
    for published in lines {
        sheet.measure(published, method, || {
            let product = context.multiply(&[(&context.factor(&a)?, &context.factor(&b)?)])?;
            Ok(context.relinearize(key, &product, &[], level)?)
        });
    }
    Ok(())
}
