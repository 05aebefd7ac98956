//! Conversions on both machines: rows of buffers, tables, doubtful columns, and what stops the core.

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::{Domain, Ring};
use ringmill_rtl::RtlError;
use ringmill_rtl::core::{
    Configuration, ConversionKind, ConversionTable, CoreDevice, Driver, Fault, Instruction, Rounding, Row,
    Sizes,
};

use crate::common::Random;
use crate::core_model::{
    Core, LIMB, N, configuration, driver, load_primes, on_machines, place, primes, ring,
};

/// Rows of a buffer in these tests, as a logarithm: the most.
const LOG_ROWS: u8 = 5;

/// The words of a strip.
const STRIP: usize = N >> LOG_ROWS;

const fn row(buffer: u8, row: u8) -> Row {
    Row { buffer, row }
}

const fn load(destination: Row, strip: u8, address: u64) -> Instruction {
    Instruction::LoadRow {
        destination,
        strip,
        log_rows: LOG_ROWS,
        address,
    }
}

const fn store(source: Row, strip: u8, address: u64) -> Instruction {
    Instruction::StoreRow {
        source,
        strip,
        log_rows: LOG_ROWS,
        address,
    }
}

const fn convert(destination: Row, sources: Row, own: Row) -> Instruction {
    Instruction::Convert {
        table: 0,
        log_rows: LOG_ROWS,
        destination,
        sources,
        own,
    }
}

/// A lift from two primes to three.
fn lift() -> ConversionTable {
    let primes = primes(5);
    let bases = [&primes[..2], &primes[2..]].map(|primes| Basis::new(primes).unwrap());
    let [from, to] = bases.each_ref();
    let (kind, rounding) = (ConversionKind::Lift, Rounding::Nearest);
    ConversionTable::new(&configuration(), kind, rounding, &[], [from, to]).unwrap()
}

/// A core with a prime in slot 0, a limb of it in buffer 0, the table of the lift, and zeros in row 0 and on of buffer 1.
fn prepared<M: Core>() -> Driver<M> {
    let mut driver = driver::<M>(4);
    load_primes(&mut driver, &primes(1));
    let (block, zeros) = (place(&driver, 10), place(&driver, 12));
    let mut words = lift().block();
    words.resize(ConversionTable::WORDS, 0);
    driver.machine_mut().write_memory(block, &words).unwrap();
    let fill = Instruction::Fill {
        destination: 0,
        slot: 0,
        constant: 0,
    };
    let table = Instruction::Table {
        table: 0,
        address: block,
    };
    driver
        .run(&[fill, table, load(row(1, 0), 0, zeros), load(row(1, 1), 0, zeros)])
        .unwrap();
    driver
}

/// Strips go into any rows and come back from there, words in their order.
fn strips_go_through_rows<M: Core>() {
    let (mut driver, mut random) = (prepared::<M>(), Random::new(8));
    let (input, output) = (place(&driver, 4), place(&driver, 5));
    let words: Vec<u64> = (0..N).map(|_| random.word() >> 14).collect();
    driver.machine_mut().write_memory(input, &words).unwrap();
    let mut program = Vec::new();
    for strip in 0..1 << LOG_ROWS {
        let to = row((random.word() % 8) as u8, (random.word() % 32) as u8);
        program.extend([load(to, strip, input), store(to, strip, output)]);
    }
    driver.run(&program).unwrap();
    let mut got = vec![0; N];
    driver.machine_mut().read_memory(output, &mut got).unwrap();
    assert_eq!(got, words);
}

/// The slots whose columns are near a boundary are reported, those of the second conversion as such.
fn doubtful_slots_are_reported<M: Core>() {
    let mut driver = prepared::<M>();
    let banks = 2 * configuration().units();
    let basis = Basis::new(&primes(2)).unwrap();
    let half: BigUint = basis.product() >> 1;
    let places = [place(&driver, 4), place(&driver, 5)];
    for (strip, columns) in [(0, vec![]), (1, vec![1, banks, banks + 1])] {
        for (q, address) in basis.moduli().iter().zip(places) {
            let mut words = vec![3; STRIP];
            for &column in &columns {
                words[column] = u64::try_from(&half % q.value()).unwrap();
            }
            let address = address + 8 * (strip * STRIP) as u64;
            driver.machine_mut().write_memory(address, &words).unwrap();
        }
    }
    let conversion = |strip| {
        let [x, y] = places;
        [
            load(row(1, 0), strip, x),
            load(row(1, 1), strip, y),
            convert(row(2, 0), row(1, 0), row(0, 0)),
        ]
    };
    let before = driver.conversions();
    driver.run(&[conversion(0), conversion(1)].concat()).unwrap();
    assert_eq!(driver.conversions(), before + 2);
    assert_eq!(driver.doubts().unwrap(), [(before + 1, 0), (before + 1, 1)]);
    assert_eq!(driver.doubts().unwrap(), []);
}

/// Columns at a boundary come out right whether there are few of them or more than the queue has places for.
fn doubtful_columns_are_done_by_the_host<M: Core>() {
    let core = CoreDevice::new(M::core(configuration(), 0, 60 * LIMB + (1 << 20))).unwrap();
    let cpu = CpuDevice::new(&Ring::from(ring()), Simd::from_environment().unwrap());
    let all = primes(5);
    let [main, extra] = [&all[..2], &all[2..]].map(|moduli| Basis::new(moduli).unwrap());
    let mut random = Random::new(9);
    for every in [500, 1] {
        let numbers: Vec<BigUint> = (0..N)
            .map(|column| {
                let random = BigUint::from(random.word()) * random.word() % main.product();
                if column % every == 0 {
                    (main.product() >> 1) + column % 2
                } else {
                    random
                }
            })
            .collect();
        let residue = |x: &BigUint, q: &Modulus| u64::try_from(x % q.value()).unwrap();
        let limb = |q| numbers.iter().map(|x| residue(x, q)).collect::<Vec<_>>();
        let words = main.moduli().iter().flat_map(limb).collect::<Vec<_>>();
        let domain = Domain::Coefficient;
        let ours = core.upload(&main, domain, &words).unwrap();
        let theirs = cpu.upload(&main, domain, &words).unwrap();
        let ours = core.lift(&ours, &extra, domain).unwrap();
        let theirs = cpu.lift(&theirs, &extra, domain).unwrap();
        assert_eq!(core.download(&ours).unwrap(), cpu.download(&theirs).unwrap());
        // A division, and the lift of its quotient.
        let (ours, theirs) = (
            core.scale(&ours, 2, 2).unwrap(),
            cpu.scale(&theirs, 2, 2).unwrap(),
        );
        assert_eq!(core.download(&ours).unwrap(), cpu.download(&theirs).unwrap());
    }
}

/// The instruction stops the core with this fault.
fn stops<M: Core>(instruction: Instruction, expected: Fault) {
    let mut driver = prepared::<M>();
    match driver.run(&[instruction, Instruction::Wait]) {
        Err(RtlError::Core { fault, .. }) => assert_eq!(fault, expected, "{instruction:?}"),
        other => panic!("{instruction:?}: {other:?}"),
    }
}

fn bad_conversions_stop_the_core<M: Core>() {
    let zeros = place(&prepared::<M>(), 12);
    let with_log = |log_rows| Instruction::LoadRow {
        destination: row(2, 0),
        strip: 0,
        log_rows,
        address: zeros,
    };
    for bad in [
        with_log(6),
        with_log(200),
        load(row(2, 32), 0, zeros),
        load(row(2, 0), 32, zeros),
        store(row(1, 255), 0, zeros),
        convert(row(2, 32), row(1, 0), row(0, 0)),
        convert(row(2, 0), row(1, 33), row(0, 0)),
        convert(row(2, 0), row(1, 0), row(0, 32)),
    ] {
        stops::<M>(bad, Fault::Rows);
    }
    let table = |table, address| Instruction::Table { table, address };
    let other = Instruction::Convert {
        table: 1,
        log_rows: LOG_ROWS,
        destination: row(2, 0),
        sources: row(1, 0),
        own: row(0, 0),
    };
    for bad in [table(2, zeros), other] {
        stops::<M>(bad, Fault::Slot);
    }
    for bad in [
        load(row(8, 0), 0, zeros),
        store(row(255, 0), 0, zeros),
        // The last of three rows is in buffer 8.
        convert(row(7, 30), row(1, 0), row(0, 0)),
        convert(row(2, 0), row(7, 31), row(0, 0)),
    ] {
        stops::<M>(bad, Fault::Buffer);
    }
    for bad in [
        store(row(3, 0), 0, zeros),
        convert(row(2, 0), row(3, 0), row(0, 0)),
        convert(row(2, 0), row(1, 31), row(0, 0)),
    ] {
        stops::<M>(bad, Fault::Empty);
    }
    let negate = Instruction::Negate {
        destination: 2,
        source: 1,
        slot: 0,
    };
    for bad in [
        store(row(0, 0), 0, zeros),
        convert(row(2, 0), row(0, 0), row(0, 0)),
        negate,
    ] {
        stops::<M>(bad, Fault::OtherSlot);
    }
    for bad in [load(row(2, 0), 0, zeros + 8), table(0, zeros + 32)] {
        stops::<M>(bad, Fault::Misaligned);
    }
    for bad in [load(row(2, 0), 0, 0), store(row(1, 0), 0, 0), table(0, 0)] {
        stops::<M>(bad, Fault::Outside);
    }
    // No sources, no targets.
    stops::<M>(table(0, zeros), Fault::Table);
}

/// A word of a strip may be longer than some primes, not than a residue; a table has rules of its own.
fn bad_words_stop_the_core<M: Core>() {
    let mut driver = prepared::<M>();
    let (limb, block) = (place(&driver, 4), place(&driver, 6));
    let faulted = |driver: &mut Driver<M>, instruction| match driver.run(&[instruction]) {
        Err(RtlError::Core { fault, .. }) => Some(fault),
        Ok(()) => None,
        Err(other) => panic!("{other}"),
    };
    for (word, expected) in [((1 << 50) - 1, None), (1 << 50, Some(Fault::Word))] {
        let mut words = vec![0; STRIP];
        words[STRIP - 1] = word;
        driver.machine_mut().write_memory(limb, &words).unwrap();
        assert_eq!(faulted(&mut driver, load(row(2, 0), 0, limb)), expected);
    }
    let mut good = lift().block();
    good.resize(ConversionTable::WORDS, 0);
    type Change = (usize, fn(u64) -> u64);
    let changes: [Change; 8] = [
        (0, |head| head | 1 << 19),
        (0, |head| head & !0xff),
        (0, |head| head | 0xff00),
        (3, |_| 1),
        (8, |prime| prime + 2),
        (41, |prime| prime ^ 1 << 16),
        (10, |_| 1),
        (72, |_| 1 << 50),
    ];
    for (at, change) in changes {
        let mut words = good.clone();
        words[at] = change(words[at]);
        driver.machine_mut().write_memory(block, &words).unwrap();
        let table = Instruction::Table {
            table: 1,
            address: block,
        };
        assert_eq!(faulted(&mut driver, table), Some(Fault::Table), "word {at}");
    }
}

/// Conversions need buffers for both operands of two strips at least; few columns leave few rows.
#[test]
fn conversions_that_do_not_fit_are_refused() {
    let sizes = Sizes {
        limbs: 4,
        ..Sizes::default()
    };
    // 16 rows: 17 sources take two buffers.
    let small = Configuration::new(N, 64, sizes).unwrap();
    let model = ringmill_rtl::core::Model::new(small, 0, 40 * LIMB + (1 << 20)).unwrap();
    let core = CoreDevice::new(model).unwrap();
    let all = primes(18);
    let [main, extra] = [&all[..17], &all[17..]].map(|moduli| Basis::new(moduli).unwrap());
    let a = core.upload(&main, Domain::Coefficient, &vec![0; 17 * N]).unwrap();
    let refused = core
        .lift(&a, &extra, Domain::Coefficient)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("more limb buffers"), "{refused}");
}

on_machines!(
    strips_go_through_rows,
    doubtful_slots_are_reported,
    doubtful_columns_are_done_by_the_host,
    bad_conversions_stop_the_core,
    bad_words_stop_the_core
);
