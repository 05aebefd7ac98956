//! Tests the core as a device, on its golden model and on the core itself where it is built: the conformance suite, and
//! the CPU device beside it.

use ringmill_arith::{Basis, Simd};
use ringmill_conformance::{Effort, Operation, Part, check_over};
use ringmill_cpu::CpuDevice;
use ringmill_device::{Device, DeviceError};
use ringmill_ring::{Domain, FermatRing, NegacyclicRing, PrimeRule, Ring};
use ringmill_rtl::core::{Configuration, CoreDevice, Counter, Model, Sizes};

use crate::common::Random;
use crate::core_model::{Core, N, configuration, on_machines, primes, ring};

/// A core with memory for this many limbs.
fn device_with<M: Core>(configuration: Configuration, limbs: u64) -> CoreDevice<M> {
    let bytes = limbs * configuration.limb_bytes() + 0x10_0000;
    CoreDevice::new(M::core(configuration, 0, bytes)).unwrap()
}

fn device<M: Core>() -> CoreDevice<M> {
    device_with(configuration(), 200)
}

fn cpu(n: usize) -> CpuDevice {
    let ring: Ring = FermatRing::new(n).unwrap().into();
    CpuDevice::new(&ring, Simd::from_environment().unwrap())
}

fn basis(count: usize) -> Basis {
    Basis::new(&primes(count)).unwrap()
}

/// The suite on cores of different sizes: of buffers and slots, the fewest and more than there are limbs.
#[test]
fn conforms() {
    for (limbs, slots) in [(4, 1), (17, 8)] {
        let sizes = Sizes {
            limbs,
            slots,
            ..Sizes::default()
        };
        conform::<Model>(Configuration::new(N, 4, sizes).unwrap(), [2, 3]);
    }
}

/// A part of the suite on the core that is built, with as few primes as it can do with. In simulation the parts take up to
/// a minute each, so they are tests of their own.
fn part_conforms<M: Core>(part: Part) {
    let [main, extra] = bases([1, 2]);
    let device = device_with::<M>(configuration(), 400);
    check_over(&device, &main, &extra, &[part], M::EFFORT, 1).unwrap();
}

fn linear_operations_conform<M: Core>() {
    part_conforms::<M>(Part::Linear);
}

fn conversions_conform<M: Core>() {
    part_conforms::<M>(Part::Conversions);
}

fn key_switching_conforms<M: Core>() {
    part_conforms::<M>(Part::KeySwitching);
}

/// The same with several primes of each kind.
#[cfg(feature = "rtl")]
#[test]
#[ignore = "the simulated core takes minutes"]
fn the_core_conforms_with_more_primes() {
    conform::<ringmill_rtl::core::Simulation>(configuration(), [2, 3]);
}

/// So many primes of polynomials, and further ones.
fn bases([main, extra]: [usize; 2]) -> [Basis; 2] {
    let all = primes(main + extra);
    [&all[..main], &all[main..]].map(|moduli| Basis::new(moduli).unwrap())
}

/// The whole suite with so many primes of each kind.
fn conform<M: Core>(configuration: Configuration, primes: [usize; 2]) {
    let [main, extra] = bases(primes);
    let seed = configuration.sizes().limbs.into();
    let device = device_with::<M>(configuration, 400);
    let report = check_over(&device, &main, &extra, &Part::ALL, Effort::All, seed).unwrap();
    let operations: Vec<Operation> = report.operations().collect();
    assert_eq!(operations, Operation::ALL);
}

/// Every generator of the group of units, in both domains.
fn automorphisms_of_all_generators_are_the_cpus<M: Core>() {
    let (core, cpu, mut random) = (device::<M>(), cpu(N), Random::new(1));
    let basis = basis(1);
    let words = random.residues(&basis.moduli()[0], N);
    // One step in each field of the index generates its factor of the group.
    let mut step = 1;
    let mut exponents = vec![];
    for &m in ring().orders().iter().rev() {
        exponents.push(u64::from(ring().exponents()[step]));
        step *= m;
    }
    exponents.push(u64::from(ring().exponents()[N - 1]));
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        let a = core.upload(&basis, domain, &words).unwrap();
        let b = cpu.upload(&basis, domain, &words).unwrap();
        for &k in &exponents {
            let ours = core.automorphism(&a, k).unwrap();
            let theirs = cpu.automorphism(&b, k).unwrap();
            let [ours, theirs] = [core.download(&ours).unwrap(), cpu.download(&theirs).unwrap()];
            assert_eq!(ours, theirs, "{k}, {domain:?}");
        }
    }
}

/// A random chain of operations on polynomials of several limbs: the same words on both devices, whatever stayed in
/// buffers and was stored in between.
fn chains_of_operations_are_the_cpus<M: Core>() {
    chain::<M>(configuration());
}

/// The same on cores of other sizes.
#[test]
fn chains_on_other_cores() {
    let sizes = |limbs, slots| Sizes {
        limbs,
        slots,
        ..Sizes::default()
    };
    for (limbs, slots, units) in [(4, 1, 2), (6, 3, 4), (12, 2, 1)] {
        chain::<Model>(Configuration::new(N, units, sizes(limbs, slots)).unwrap());
    }
}

fn chain<M: Core>(configuration: Configuration) {
    let (core, cpu) = (device_with::<M>(configuration, 40), cpu(N));
    let (basis, mut random) = (basis(3), Random::new(configuration.sizes().limbs.into()));
    let mut pairs = Vec::new();
    for _ in 0..3 {
        let moduli = basis.moduli().iter();
        let words: Vec<u64> = moduli.flat_map(|q| random.residues(q, N)).collect();
        pairs.push((
            core.upload(&basis, Domain::Evaluation, &words).unwrap(),
            cpu.upload(&basis, Domain::Evaluation, &words).unwrap(),
        ));
    }
    for _ in 0..60 {
        let [i, j, to] = [3, 3, 3].map(|count| (random.word() % count) as usize);
        let ((a, x), (b, y)) = (&pairs[i], &pairs[j]);
        let k = u64::from(ring().exponents()[(random.word() % N as u64) as usize]);
        let pair = match random.word() % 7 {
            0 => (core.sum(&[a, b, a]).unwrap(), cpu.sum(&[x, y, x]).unwrap()),
            1 => (core.sub(a, b).unwrap(), cpu.sub(x, y).unwrap()),
            2 => (core.negate(a).unwrap(), cpu.negate(x).unwrap()),
            3 => (core.automorphism(a, k).unwrap(), cpu.automorphism(x, k).unwrap()),
            4 => {
                let domain = Domain::Evaluation;
                let ours = core.inner_product(&[(a, b), (b, b), (a, b), (a, a)], domain);
                let theirs = cpu.inner_product(&[(x, y), (y, y), (x, y), (x, x)], domain);
                (ours.unwrap(), theirs.unwrap())
            }
            5 => {
                let (mut ours, mut theirs) = (core.copy(a).unwrap(), cpu.copy(x).unwrap());
                for domain in [Domain::Coefficient, Domain::Evaluation] {
                    ours = core.transform(ours, domain).unwrap();
                    theirs = cpu.transform(theirs, domain).unwrap();
                    assert_eq!(core.download(&ours).unwrap(), cpu.download(&theirs).unwrap());
                }
                (ours, theirs)
            }
            _ => (core.copy(a).unwrap(), cpu.copy(x).unwrap()),
        };
        if random.word().is_multiple_of(4) {
            let words = core.download(&pair.0).unwrap();
            assert_eq!(words, cpu.download(&pair.1).unwrap());
        }
        let (old, _) = std::mem::replace(&mut pairs[to], pair);
        if random.word().is_multiple_of(3) {
            core.wipe(old);
        }
    }
    for (a, x) in &pairs {
        assert_eq!(core.download(a).unwrap(), cpu.download(x).unwrap());
    }
}

/// Primes that the core cannot compute modulo are refused, and digits of polynomials over too many.
#[test]
fn what_the_core_cannot_do_is_refused() {
    let core = device::<Model>();
    let domain = Domain::Coefficient;
    let refused = |result: Result<(), DeviceError>, wanted: &str| match result {
        Err(DeviceError::Unsupported { device, need }) => {
            assert!(device.starts_with("rtl:core"), "{device}");
            assert!(need.contains(wanted), "{need}");
        }
        other => panic!("{wanted}: {other:?}"),
    };
    let many = basis(30);
    let a = core.upload(&many, domain, &vec![0; 30 * N]).unwrap();
    let digits = core.decompose_base_two(&a, 20, &many);
    refused(digits.map(drop), "at most 29 primes");

    let machine = Ring::from(ring());
    let wide = PrimeRule::Machine.primes(&machine, 1 << 51, 1, &[]).unwrap();
    let plain = machine.primes(1 << 40, 8, &[]).unwrap();
    let plain = plain.iter().find(|q| q.value() % (1 << 17) != 1).unwrap();
    for q in [wide[0], *plain] {
        let basis = Basis::new(&[q]).unwrap();
        let words = vec![0; N];
        refused(core.upload(&basis, domain, &words).map(drop), "at most 50 bits");
    }
    // A prime of another ring.
    let other = PrimeRule::Machine.primes(&NegacyclicRing::new(1024).unwrap().into(), 1 << 40, 1, &[]);
    let other = Basis::new(&other.unwrap()).unwrap();
    refused(
        core.upload(&other, domain, &vec![0; N]).map(drop),
        "modulo 986880",
    );
}

/// Words of wiped polynomials are nowhere in memory, and memory comes back.
fn wiped_polynomials_leave_nothing<M: Core>() {
    let (core, mut random) = (device_with::<M>(configuration(), 12), Random::new(4));
    let basis = basis(2);
    let moduli = basis.moduli();
    let secret: Vec<u64> = moduli.iter().flat_map(|q| random.residues(q, N)).collect();
    let holds = |words: &[u64]| {
        core.with_driver(|driver| {
            let (base, bytes) = driver.machine().memory();
            let mut memory = vec![0; (bytes / 8) as usize];
            driver.machine_mut().read_memory(base, &mut memory).unwrap();
            words.iter().any(|word| memory.contains(word))
        })
    };
    for _ in 0..8 {
        let a = core.upload(&basis, Domain::Coefficient, &secret).unwrap();
        let copy = core.copy(&a).unwrap();
        let b = core
            .transform(core.copy(&a).unwrap(), Domain::Evaluation)
            .unwrap();
        let values = core.download(&b).unwrap();
        assert!(holds(&secret[..1]) && holds(&values[..1]));
        core.wipe(a);
        core.wipe(b);
        assert!(!holds(&values));
        // The copy has the words still; the last owner's memory is overwritten.
        assert_eq!(core.download(&copy).unwrap(), secret);
        drop(copy);
        core.wipe(core.upload(&basis, Domain::Coefficient, &vec![0; 2 * N]).unwrap());
        assert!(!holds(&secret));
        let ones = core.upload(&basis, Domain::Evaluation, &vec![1; 2 * N]).unwrap();
        let a = core.upload(&basis, Domain::Coefficient, &secret).unwrap();
        let products = core.multiply_fixed(vec![a], &[&ones]).unwrap();
        let products = products.into_iter().flatten().next().unwrap();
        assert_eq!(core.download(&products).unwrap(), secret);
        core.wipe(products);
        assert!(!holds(&secret));
    }
}

fn memory_that_is_full_is_an_error<M: Core>() {
    let core = device_with::<M>(configuration(), 0);
    let basis = basis(1);
    let mut polys = Vec::new();
    let error = loop {
        match core.upload(&basis, Domain::Coefficient, &vec![7; N]) {
            Ok(poly) => polys.push(poly),
            Err(error) => break error,
        }
        assert!(polys.len() < 1000);
    };
    assert!(error.to_string().contains("no room"), "{error}");
    // An operation that fails leaves its operands, and the core works when there is room.
    let [a, b] = [polys.pop().unwrap(), polys.pop().unwrap()];
    assert!(core.negate(&a).is_err());
    drop(b);
    polys.truncate(3);
    let negative = core.negate(&a).unwrap();
    assert_eq!(core.download(&core.negate(&negative).unwrap()).unwrap(), [7; N]);
}

/// Several threads share a core.
fn threads_take_turns<M: Core>() {
    let (core, basis) = (device::<M>(), basis(2));
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (core, basis) = (&core, &basis);
            scope.spawn(move || {
                let mut random = Random::new(seed);
                let moduli = basis.moduli().iter();
                let words: Vec<u64> = moduli.flat_map(|q| random.residues(q, N)).collect();
                for _ in 0..5 {
                    let a = core.upload(basis, Domain::Coefficient, &words).unwrap();
                    let a = core.transform(a, Domain::Evaluation).unwrap();
                    let zero = core.sub(&a, &a).unwrap();
                    let a = core
                        .transform(core.sum(&[&a, &zero]).unwrap(), Domain::Coefficient)
                        .unwrap();
                    assert_eq!(core.download(&a).unwrap(), words);
                }
            });
        }
    });
}

/// A polynomial that stays on chip is loaded once and never stored.
fn limbs_stay_in_buffers<M: Core>() {
    let (core, basis) = (device::<M>(), basis(1));
    let a = core.upload(&basis, Domain::Coefficient, &vec![3; N]).unwrap();
    let mut a = core.transform(a, Domain::Evaluation).unwrap();
    for _ in 0..20 {
        a = core.negate(&core.sum(&[&a, &a]).unwrap()).unwrap();
    }
    let counters = || {
        core.with_driver(|driver| {
            let machine = driver.machine_mut();
            [Counter::BytesRead, Counter::BytesWritten].map(|counter| machine.counter(counter).unwrap())
        })
    };
    let [read, written] = counters();
    // One limb, the constants, and the descriptors: the two loads, a transform, 40 sums and negations.
    assert_eq!([read, written], [8 * N as u64 + 8 * 800 + 43 * 32, 0]);
    core.download(&a).unwrap();
    assert_eq!(counters()[1], 8 * N as u64);
}

/// A core that stops loses what was on chip alone. The device says so, and works on.
fn limbs_of_a_core_that_stopped_are_lost<M: Core>() {
    let (core, basis) = (device::<M>(), basis(1));
    let upload = |word| core.upload(&basis, Domain::Coefficient, &vec![word; N]).unwrap();
    let (stored, bad) = (upload(5), upload(0x1234_5678));
    let on_chip = core.negate(&stored).unwrap();
    // Somebody else writes a word that is no residue.
    core.with_driver(|driver| {
        let (mut memory, start) = (vec![0; 8 * N], driver.data().start);
        let machine = driver.machine_mut();
        machine.read_memory(start, &mut memory).unwrap();
        let at = memory.iter().position(|&word| word == 0x1234_5678).unwrap();
        machine.write_memory(start + 8 * at as u64, &[u64::MAX]).unwrap();
    });
    let failed = |result: Result<Vec<u64>, DeviceError>, why: &str| match result {
        Err(DeviceError::Failed { problem, .. }) => assert!(problem.contains(why), "{problem}"),
        other => panic!("{other:?}"),
    };
    let sum = core.sum(&[&on_chip, &bad]);
    failed(
        sum.and_then(|sum| core.download(&sum)),
        "a word that was loaded is not below the modulus (error 11)",
    );
    failed(core.download(&on_chip), "lost");
    failed(
        core.negate(&on_chip).and_then(|a| core.download(&a)),
        "lost when the core stopped",
    );
    drop(on_chip);
    let again = core.negate(&core.negate(&stored).unwrap()).unwrap();
    assert_eq!(core.download(&again).unwrap(), [5; N]);
}

/// The size of paper 1's processor, with its number of units.
fn conforms_at_full_size<M: Core>() {
    let configuration = Configuration::new(32768, 16, Sizes::default()).unwrap();
    let ring = Ring::from(FermatRing::new(32768).unwrap());
    let all = PrimeRule::Machine.primes(&ring, 1 << 50, 3, &[]).unwrap();
    let [main, extra] = [&all[..2], &all[2..]].map(|moduli| Basis::new(moduli).unwrap());
    // Conversions at this size would take hours in simulation; those at n = 2048 have the same columns.
    let device = device_with::<M>(configuration, 150);
    check_over(&device, &main, &extra, &[Part::Linear], M::EFFORT, 1).unwrap();
}

#[test]
#[ignore = "the suite at full size takes minutes"]
fn the_model_conforms_at_full_size() {
    conforms_at_full_size::<Model>();
}

#[cfg(feature = "rtl-full")]
#[test]
#[ignore = "the suite at full size takes minutes"]
fn the_core_conforms_at_full_size() {
    conforms_at_full_size::<ringmill_rtl::core::Simulation>();
}

on_machines!(
    linear_operations_conform,
    conversions_conform,
    key_switching_conforms,
    chains_of_operations_are_the_cpus,
    automorphisms_of_all_generators_are_the_cpus,
    wiped_polynomials_leave_nothing,
    memory_that_is_full_is_an_error,
    threads_take_turns,
    limbs_stay_in_buffers,
    limbs_of_a_core_that_stopped_are_lost
);
