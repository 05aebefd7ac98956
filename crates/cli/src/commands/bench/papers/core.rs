//! The papers' operations on the core, by its time model.

use std::sync::Arc;

use ringmill::platform::{Cpu, Platform};
use ringmill_device::{Basis, Device};
use ringmill_fv::presets::HEPCLOUD_MACHINE;
use ringmill_fv::{Context, Domain, KeySwitching, Parameters, PrimeChoice, presets};
use ringmill_rtl::core::{Configuration, Counts, MemoryTiming, OperationLog, Sizes};
use ringmill_schemes::ntru::{self, NtruScheme};

use super::{Published, Sheet};
use crate::arguments::DemoCipher;
use crate::commands::bench::jobs::seed;
use crate::commands::bench::measure::uniform_poly;
use crate::commands::hw::job;
use crate::commands::hw::recorded::{Recorded, counts};
use crate::commands::ntru::{Cipher, Party};
use crate::error::CliError;

/// The papers' slots.
const BLOCKS: usize = 2048;

/// The counters of a core of n = 32768 before a memory as fast as the bus.
pub fn timed(log: &OperationLog, units: usize) -> Result<Counts, CliError> {
    let sizes = Sizes {
        slots: if units > 16 { 4 } else { 2 },
        ..Sizes::default()
    };
    counts(log, Configuration::new(32768, units, sizes)?, MemoryTiming::FAST)
}

/// What FV does for blocks of a cipher at 128 bits.
pub fn cipher(
    sheet: &mut Sheet,
    published: Published,
    cipher: DemoCipher,
    clock: u64,
) -> Result<(), CliError> {
    let job = job::decrypt(cipher, BLOCKS)?;
    for units in [16, 64, 256] {
        let counts = timed(job.platform().log(), units)?;
        sheet.core(published, units, (&counts, false), clock);
    }
    Ok(())
}

/// What FV does with HEPCloud's parameters and primes for machines.
pub struct Fv {
    /// A sum of two ciphertexts.
    pub sum: Arc<Recorded<Cpu>>,
    /// A product, relinearized with the paper's digits of 59 bits.
    pub product: Arc<Recorded<Cpu>>,
    /// The same with digits of nine limbs.
    pub hybrid: Arc<Recorded<Cpu>>,
}

impl Fv {
    pub fn new() -> Result<Self, CliError> {
        let mut hybrid = presets::spec(HEPCLOUD_MACHINE)?;
        hybrid.name = "hepcloud-hybrid".to_owned();
        hybrid.key_switching = KeySwitching::Hybrid { digit_limbs: 9 };
        hybrid.special = Some(PrimeChoice { count: 9, bits: 49.9 });
        let words = Parameters::preset(HEPCLOUD_MACHINE)?;
        Ok(Self {
            sum: recorded(words.clone(), false)?,
            product: recorded(words, true)?,
            hybrid: recorded(Parameters::new(&hybrid)?, true)?,
        })
    }
}

/// Records a sum or a product at the highest level.
fn recorded(parameters: Parameters, product: bool) -> Result<Arc<Recorded<Cpu>>, CliError> {
    let platform = Recorded::new(Cpu);
    let device = platform.open(parameters.ring())?;
    let context = Context::new(parameters, device)?;
    let level = context.parameters().levels();
    let plaintext = context.encode(&vec![true; context.slots()?.len()])?;
    let secret = context.generate_secret_key(&seed("secret"))?;
    let a = context.encrypt_with_secret(&secret, &plaintext, level, &seed("a"))?;
    let b = context.encrypt_with_secret(&secret, &plaintext, level, &seed("b"))?;
    if product {
        let key = context.generate_relinearization_key(&secret, &seed("relinearization"))?;
        platform.log().clear();
        let product = context.multiply(&context.lift(&a)?, &context.lift(&b)?)?;
        context.relinearize(&product, &[], &key, level, Domain::Coefficient)?;
    } else {
        platform.log().clear();
        context.add(&a, &b)?;
    }
    Ok(platform)
}

/// What the evaluation of a cipher over a scheme's set does, with all slots.
pub fn ntru_cipher<S: NtruScheme>(set: &str, cipher: DemoCipher) -> Result<OperationLog, CliError> {
    let platform = Recorded::new(Cpu);
    let party = Party::<S, _>::new(&*platform, set)?;
    let mut log = OperationLog::default();
    // The second time, this takes what was done since the first.
    let run = party.evaluate_between(
        |blocks| Cipher::new(cipher, blocks),
        || log = platform.log().take(),
    )?;
    run.check()?;
    Ok(log)
}

/// What table 3 of paper 3 is about, on the core.
pub struct Primitives {
    /// The sum of two limbs.
    pub sum: OperationLog,
    /// The product of two limbs, word by word.
    pub product: OperationLog,
    /// The transform of a limb, and its inverse.
    pub transforms: [OperationLog; 2],
    /// The lift of a polynomial modulo q to Q.
    pub lift: OperationLog,
    /// The scaling back.
    pub scale: OperationLog,
}

impl Primitives {
    /// Records them with the primes of a set of YASHE.
    pub fn new(set: &str) -> Result<Self, CliError> {
        let platform = Recorded::new(Cpu);
        let parameters = ntru::Parameters::named(set)?;
        let device = platform.open(parameters.ring())?;
        let (q, extension) = (parameters.pool(), parameters.auxiliary());
        let one = Basis::new(q.moduli().get(..1).unwrap_or_default())?;
        let a = uniform_poly(&*device, &one, Domain::Coefficient)?;
        let b = uniform_poly(&*device, &one, Domain::Evaluation)?;
        let whole = uniform_poly(&*device, q, Domain::Coefficient)?;
        let product = uniform_poly(&*device, &q.concat(extension)?, Domain::Coefficient)?;
        let taken = || platform.log().take();
        platform.log().clear();
        device.sum(&[&a, &a])?;
        let sum = taken();
        device.inner_product(&[(&b, &b)], Domain::Evaluation)?;
        let words = taken();
        device.transform(a, Domain::Evaluation)?;
        let forward = taken();
        device.transform(b, Domain::Coefficient)?;
        let inverse = taken();
        device.lift(&whole, extension, Domain::Coefficient)?;
        let lift = taken();
        device.scale(&product, 2, q.len())?;
        Ok(Self {
            sum,
            product: words,
            transforms: [forward, inverse],
            lift,
            scale: taken(),
        })
    }
}

/// What a scheme over NTRU rings does with the paper's parameters and primes for machines.
pub struct Ntru {
    pub sum: OperationLog,
    /// A product at the highest level.
    pub product: OperationLog,
    /// Its relinearization alone.
    pub relinearization: OperationLog,
    /// A switch from the highest level to the next.
    pub switch: OperationLog,
}

impl Ntru {
    /// Records operations with a set; a product ends at the highest level less `drop`.
    pub fn new<S: NtruScheme>(set: &str, drop: usize) -> Result<Self, CliError> {
        let platform = Recorded::new(Cpu);
        let party = Party::<S, _>::new(&*platform, set)?;
        let (context, key, log) = (&party.context, party.evaluator.key(), platform.log());
        let level = context.parameters().levels() - drop;
        let (a, b) = (party.ones()?, party.ones()?);
        let taken = || log.take();
        log.clear();
        context.sum(&[&a, &b])?;
        let sum = taken();
        let product = context.multiply(&[(&context.factor(&a)?, &context.factor(&b)?)])?;
        let mut operations = log.operations();
        log.clear();
        context.relinearize(key, &product, &[], level)?;
        let relinearization = taken();
        for (operation, times) in relinearization.operations() {
            match operations.iter_mut().find(|(other, _)| *other == operation) {
                Some((_, sum)) => *sum += times,
                None => operations.push((operation, times)),
            }
        }
        let product = OperationLog::default();
        product.replace(operations);
        context.switch(&a, context.parameters().levels() - 1)?;
        let switch = taken();
        Ok(Self {
            sum,
            product,
            relinearization,
            switch,
        })
    }
}
