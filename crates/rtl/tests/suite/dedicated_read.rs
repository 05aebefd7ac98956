//! The engine with dedicated reads: its schedule by enumeration, its golden model beside definitions.

use ringmill_arith::prime::{primes_below, root_of_unity};
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_cpu::CpuDevice;
use ringmill_device::Device;
use ringmill_ring::cyclotomic::{Cyclotomic, Reduction};
use ringmill_ring::{Domain, NegacyclicRing, Ring};
use ringmill_rtl::RtlError;
use ringmill_rtl::ntt_engine::dedicated_read::{
    Buffers, DedicatedRead, Exchange, Half, Model, Operation, Place, RingMultiplier, Schedule, Shape,
};
use ringmill_rtl::ntt_engine::{Direction, Engine, Unit};

use crate::common::Random;

/// The greatest latency of a butterfly unit that the bounds allow for.
const LATENCY: u64 = 25;

const SHAPES: [(usize, usize); 7] = [
    (8, 2),
    (16, 2),
    (32, 4),
    (256, 2),
    (256, 8),
    (1024, 4),
    (4096, 16),
];

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.iter().map(|&(n, units)| Shape::new(n, units).unwrap())
}

fn prime(n: usize) -> Modulus {
    primes_below(1 << 30, (2 * n as u64).max(1 << 16), 1, &[]).unwrap()[0]
}

fn unit(q: &Modulus) -> Unit {
    Unit::new(q, 30, 16).unwrap()
}

/// What a bit of a place holds: a bit of the coefficient's index, or one of the value's.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bit {
    Coefficient(u32),
    Value(u32),
}

/// Bits of a place while a transform goes on, from the definition of exchanges.
#[derive(Debug, Clone)]
struct Bits {
    half: Bit,
    address: Vec<Bit>,
    unit: Vec<Bit>,
}

impl Bits {
    /// Before a forward transform, by the place of a coefficient with one bit in its index.
    fn of(shape: Shape, place: impl Fn(usize) -> Place, bit: fn(u32) -> Bit) -> Self {
        let find = |is: &dyn Fn(Place) -> bool| bit((0..shape.log_n()).find(|&i| is(place(1 << i))).unwrap());
        Self {
            half: find(&|p| p.half == 1),
            address: (0..shape.address_bits())
                .map(|i| find(&|p| p.address == 1 << i))
                .collect(),
            unit: (0..shape.unit_bits())
                .map(|i| find(&|p| p.unit == 1 << i))
                .collect(),
        }
    }

    fn exchange(&mut self, exchange: Exchange) {
        let (address, unit) = match exchange {
            Exchange::Forward { address, unit } | Exchange::Inverse { address, unit } => (address, unit),
        };
        let (a, c) = (self.address[address as usize], self.unit[unit as usize]);
        let (to_half, to_address, to_unit) = match exchange {
            Exchange::Forward { .. } => (a, c, self.half),
            Exchange::Inverse { .. } => (c, self.half, a),
        };
        self.half = to_half;
        self.address[address as usize] = to_address;
        self.unit[unit as usize] = to_unit;
    }
}

/// Every pass finds its bit in the word, and the last one leaves values in the places of [`Shape::value_place`].
#[test]
fn exchanges_bring_each_bit_into_the_word() {
    for shape in shapes().chain([Shape::PAPER]) {
        let schedule = Schedule::new(shape, LATENCY);
        let mut bits = Bits::of(shape, |i| shape.coefficient_place(i), Bit::Coefficient);
        for pass in schedule.passes(Operation::Forward) {
            assert_eq!(bits.half, Bit::Coefficient(shape.log_n() - 1 - pass.number));
            bits.half = Bit::Value(pass.number);
            if let Some(exchange) = pass.exchange {
                bits.exchange(exchange);
            }
        }
        let values = Bits::of(shape, |i| shape.value_place(i), Bit::Value);
        assert_eq!(
            (bits.half, &bits.address, &bits.unit),
            (values.half, &values.address, &values.unit)
        );
        for pass in schedule.passes(Operation::Inverse) {
            assert_eq!(bits.half, Bit::Value(pass.number));
            bits.half = Bit::Coefficient(shape.log_n() - 1 - pass.number);
            if let Some(exchange) = pass.exchange {
                bits.exchange(exchange);
            }
        }
        let start = Bits::of(shape, |i| shape.coefficient_place(i), Bit::Coefficient);
        assert_eq!(
            (bits.half, &bits.address, &bits.unit),
            (start.half, &start.address, &start.unit)
        );
    }
}

/// A pass reads each address once, or twice in a row; the words of an exchange are in a row; no word is read before it
/// is written; a pass that waits could not begin a cycle earlier.
#[test]
fn no_word_is_read_early() {
    for (shape, latency) in shapes()
        .chain([Shape::PAPER])
        .flat_map(|s| [2, 9, LATENCY].map(|l| (s, l)))
    {
        let schedule = Schedule::new(shape, latency);
        for operation in [Operation::Forward, Operation::Inverse, Operation::InverseScaled] {
            let mut written: Vec<Option<u64>> = vec![None; shape.words()];
            let (mut begin, mut last) = (0, 0);
            for pass in schedule.passes(operation) {
                let reads: Vec<_> = schedule.reads(operation, &pass).collect();
                let mut count = vec![0; shape.words()];
                let mut slack = u64::MAX;
                for read in &reads {
                    count[read.address] += 1;
                    if let Some(cycle) = written[read.address] {
                        assert!(begin + read.cycle > cycle, "{shape:?} {pass:?}");
                        slack = slack.min(begin + read.cycle - cycle - 1);
                    }
                }
                if schedule.gap() > 0 && !pass.twice && written[0].is_some() {
                    assert_eq!(slack, 0, "{shape:?} {pass:?}");
                }
                assert!(count.iter().all(|&count| count == 1 + i32::from(pass.twice)));
                for (first, second) in reads.iter().zip(reads.iter().skip(1)).step_by(2) {
                    if let Some(Exchange::Forward { address, .. } | Exchange::Inverse { address, .. }) =
                        pass.exchange
                    {
                        assert_eq!(first.address ^ second.address, 1 << address);
                    }
                }
                for read in &reads {
                    last = begin + read.cycle + schedule.latency();
                    written[read.address] = Some(last);
                }
                begin += reads.len() as u64 + schedule.gap();
            }
            assert_eq!(schedule.cycles(operation), last + 1);
        }
    }
}

/// No pass waits at the paper's size, and the paper's cycles (table 2) are an upper bound.
#[test]
fn cycles_at_the_papers_size() {
    for latency in 1..=LATENCY {
        let schedule = Schedule::new(Shape::PAPER, latency);
        assert_eq!(schedule.gap(), 0);
        assert_eq!(schedule.cycles(Operation::Forward), 32768 + 6 + latency);
        assert_eq!(schedule.cycles(Operation::InverseScaled), 34816 + 6 + latency);
        assert_eq!(schedule.cycles(Operation::Product), 4096 + 6 + latency);
        assert!(schedule.cycles(Operation::Forward) <= 47_795);
        assert!(schedule.cycles(Operation::InverseScaled) <= 51_909);
    }
}

/// The model writes its last word when the formula says.
#[test]
fn the_model_takes_the_schedules_cycles() {
    for (shape, latency) in shapes().flat_map(|shape| [2, LATENCY].map(|latency| (shape, latency))) {
        let schedule = Schedule::new(shape, latency);
        let mut model = Model::new(schedule, unit(&prime(shape.n())), 2, 1).unwrap();
        let buffers = Buffers {
            source: 0,
            operand: 1,
            destination: 1,
        };
        for operation in [
            Operation::Forward,
            Operation::Inverse,
            Operation::InverseScaled,
            Operation::Product,
            Operation::Difference,
        ] {
            let cycles = model.run(operation, Half::Both, false, buffers);
            assert_eq!(cycles, schedule.cycles(operation), "{shape:?} {operation:?}");
        }
    }
}

/// Algorithm 3, for 16 banks of 2048 pairs: where the pair with index `index` in memory lies in the banks. Pairs are in
/// memory in bit-reversed order, coefficients as well as values.
#[test]
fn places_are_those_of_algorithm_3() {
    const BIAS: [usize; 16] = [
        0, 16, 8192, 8208, 4096, 4112, 12288, 12304, 2048, 2064, 10240, 10256, 6144, 6160, 14336, 14352,
    ];
    let reverse = |value: usize, bits: u32| (value << (usize::BITS - bits)).reverse_bits();
    for index in 0..1 << 15 {
        let (low, high) = (index & 31, (index >> 5) & 63);
        let reversed = BIAS[index >> 11] + (reverse(high, 6) << 5) + reverse(low >> 1, 4) + ((low & 1) << 14);
        for half in 0..2 {
            let place = Shape::PAPER.value_place(reverse(index, 15) | half << 15);
            assert_eq!((place.unit << 11 | place.address, place.half), (reversed, half));
        }
    }
}

/// a(x) by Horner's rule.
fn evaluate(q: &Modulus, a: &[u64], x: u64) -> u64 {
    a.iter()
        .rev()
        .fold(0, |value, &term| q.add(q.mul(value, x), term))
}

#[test]
fn transforms_are_evaluations() {
    let mut random = Random::new(1);
    for shape in shapes().chain([Shape::PAPER]) {
        let (n, q) = (shape.n(), prime(shape.n()));
        let omega = root_of_unity(&q, n as u64).unwrap();
        let engine = DedicatedRead::new(shape, unit(&q), LATENCY).unwrap();
        let order = shape.value_order();
        for a in [random.residues(&q, n), vec![q.value() - 1; n]] {
            let mut words = a.clone();
            engine.transform(Direction::Forward, &mut words).unwrap();
            for i in (0..n).step_by(n / n.min(256)) {
                assert_eq!(
                    words[i],
                    evaluate(&q, &a, q.pow(omega, order[i] as u64)),
                    "{shape:?} {i}"
                );
            }
            engine.transform(Direction::Inverse, &mut words).unwrap();
            assert_eq!(words, a, "{shape:?}");
        }
        assert_eq!(
            engine.constants().len(),
            (2 * shape.words() + shape.unit_bits() as usize + 2) * shape.units()
        );
    }
}

/// Products of small rings, term by term and reduced as the ring crate does.
#[test]
fn products_in_small_rings() {
    let mut random = Random::new(2);
    for (m, units) in [(15, 2), (255, 2), (255, 8), (771, 4)] {
        let ring = Cyclotomic::new(m).unwrap();
        let (machine, q) = multiplier(&ring, units);
        for _ in 0..3 {
            let (a, b) = (random.residues(&q, ring.n()), random.residues(&q, ring.n()));
            let mut c = vec![0; 2 * ring.n() - 1];
            for (i, &x) in a.iter().enumerate() {
                for (j, &y) in b.iter().enumerate() {
                    c[i + j] = q.add(c[i + j], q.mul(x, y));
                }
            }
            assert_eq!(
                machine.multiply(&a, &b).unwrap(),
                reduced(&ring, &q, &c),
                "{m} {units}"
            );
        }
    }
}

/// The paper's ring: the product by the CPU's transform modulo x^N + 1, reduced as the ring crate does.
#[test]
fn a_product_in_the_papers_ring() {
    let ring = Cyclotomic::new(65535).unwrap();
    let (machine, q) = multiplier(&ring, 16);
    let mut random = Random::new(3);
    let (a, b) = (random.residues(&q, ring.n()), random.residues(&q, ring.n()));
    let padded = Ring::from(NegacyclicRing::new(2 * ring.n()).unwrap());
    let cpu = CpuDevice::new(&padded, Simd::from_environment().unwrap());
    let basis = Basis::new(&[q]).unwrap();
    let values = [&a, &b].map(|words| {
        let mut words = words.clone();
        words.resize(2 * ring.n(), 0);
        let element = cpu.upload(&basis, Domain::Coefficient, &words).unwrap();
        cpu.transform(element, Domain::Evaluation).unwrap()
    });
    let c = cpu
        .inner_product(&[(&values[0], &values[1])], Domain::Coefficient)
        .unwrap();
    let mut c = cpu.download(&c).unwrap();
    assert_eq!(c.pop(), Some(0));
    assert_eq!(machine.multiply(&a, &b).unwrap(), reduced(&ring, &q, &c));
    // Seven transforms, four operations on pairs, ten starts.
    let cycles = RingMultiplier::cycles(&Schedule::new(Shape::PAPER, LATENCY));
    assert_eq!(cycles, 7 * (32768 + 6 + LATENCY) + 4 * (4096 + 6 + LATENCY) + 20);
    assert!(cycles <= 361_376);
}

/// The machine for a cyclotomic ring, and its prime, of which the negacyclic transform of its length exists, too.
fn multiplier(ring: &Cyclotomic, units: usize) -> (RingMultiplier, Modulus) {
    let shape = Shape::new(2 * ring.n(), units).unwrap();
    let q = prime(shape.n());
    let mut f = vec![0; ring.n()];
    for &(exponent, coefficient) in ring.terms().split_last().unwrap().1 {
        f[exponent] = q.from_signed(i64::from(coefficient));
    }
    (RingMultiplier::new(shape, unit(&q), LATENCY, &f).unwrap(), q)
}

fn reduced(ring: &Cyclotomic, q: &Modulus, c: &[u64]) -> Vec<u64> {
    let mut c: Vec<i64> = c.iter().map(|&x| x as i64).collect();
    Reduction::folding(ring).apply(&mut c, 1).unwrap();
    c[..ring.n()]
        .iter()
        .map(|&x| x.rem_euclid(q.value() as i64) as u64)
        .collect()
}

#[test]
fn refusals() {
    for (n, units) in [(63, 2), (64, 3), (64, 1), (64, 8), (1 << 20, 512), (1 << 25, 2)] {
        assert!(
            matches!(Shape::new(n, units), Err(RtlError::BadEngine { .. })),
            "{n} {units}"
        );
    }
    // Not 1 modulo 2^16, too wide, and 1 modulo 2^16 alone.
    let wide = primes_below(1 << 32, 1 << 16, 1, &[]).unwrap()[0];
    let q = Modulus::new(1_073_741_789).unwrap();
    for q in [&wide, &q] {
        assert!(matches!(
            Unit::new(q, 30, 16),
            Err(RtlError::BadTransformModulus { .. })
        ));
    }
    let q = primes_below(1 << 30, 1 << 16, 20, &[]).unwrap();
    let q = q.iter().find(|q| q.value() % (1 << 17) != 1).unwrap();
    let shape = Shape::new(1 << 17, 16).unwrap();
    assert!(matches!(
        DedicatedRead::new(shape, unit(q), LATENCY),
        Err(RtlError::BadTransformModulus { .. })
    ));
    let engine = DedicatedRead::new(Shape::new(16, 2).unwrap(), unit(q), LATENCY).unwrap();
    let short = engine.transform(Direction::Forward, &mut [0; 15]);
    assert_eq!(
        short,
        Err(RtlError::WrongLength {
            expected: 16,
            got: 15
        })
    );
    let mut words = [0; 16];
    words[3] = q.value();
    let refused = engine.transform(Direction::Inverse, &mut words);
    assert!(matches!(refused, Err(RtlError::OutOfRange { index: 3, .. })));
}
