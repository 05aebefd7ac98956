//! The two-epoch engine: its schedule by enumeration, its golden model beside transforms by definition.

use std::collections::HashSet;

use ringmill_arith::Modulus;
use ringmill_arith::prime::{primes_below, root_of_unity};
use ringmill_rtl::RtlError;
use ringmill_rtl::ntt_engine::two_epoch::{Action, Network, Packet, Pair, Product, Schedule, TwoEpoch};
use ringmill_rtl::ntt_engine::{Direction, Engine};

use crate::common::Random;

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// A size, a network and the cycles of a butterfly.
const SCHEDULES: [(usize, Network, u64); 9] = [
    (4, Network::Transposer, 5),
    (8, Network::Transposer, 12),
    (16, Network::Transposer, 3),
    (16, Network::Transposer, 25),
    (64, Network::Transposer, 70),
    (256, Network::Transposer, 25),
    (16, Network::Ring, 12),
    (64, Network::Ring, 9),
    (256, Network::Ring, 25),
];

fn schedule((tiles, network, latency): (usize, Network, u64)) -> Schedule {
    Schedule::new(tiles, network, latency).unwrap()
}

fn prime(bits: u32, n: u64) -> Modulus {
    primes_below(1 << bits, n, 1, &[]).unwrap()[0]
}

/// What the enumeration of a transform's accesses has found.
struct Found {
    /// From the first read to the last write.
    cycles: u64,
    /// The number of reads of words.
    reads: usize,
    /// The cycles in which some word is read as soon as it can be.
    tight: HashSet<u64>,
}

/// The memories in the course of a transform.
struct Memories<'a> {
    schedule: &'a Schedule,
    /// The cycle from which each word can be read: by buffer, tile and address.
    ready: Vec<u64>,
    /// The cycles of reads and of writes: by buffer, tile and bank.
    reads: Vec<Vec<u64>>,
    writes: Vec<Vec<u64>>,
    tight: HashSet<u64>,
}

impl<'a> Memories<'a> {
    fn new(schedule: &'a Schedule) -> Self {
        let tiles = schedule.tiles();
        Self {
            schedule,
            ready: vec![0; 2 * tiles * tiles],
            reads: vec![Vec::new(); 4 * tiles],
            writes: vec![Vec::new(); 4 * tiles],
            tight: HashSet::new(),
        }
    }

    /// A tile in an epoch's buffer: on the ring each epoch has its own.
    fn row(&self, second_epoch: bool, tile: usize) -> usize {
        let buffer = usize::from(second_epoch && self.schedule.network() == Network::Ring);
        buffer * self.schedule.tiles() + tile
    }

    fn read(&mut self, second_epoch: bool, tile: usize, address: usize, cycle: u64) {
        let row = self.row(second_epoch, tile);
        let ready = self.ready[row * self.schedule.tiles() + address];
        assert!(ready <= cycle, "cycle {cycle}, tile {tile}, address {address}");
        if ready == cycle {
            self.tight.insert(cycle);
        }
        self.reads[2 * row + bank(address)].push(cycle);
    }

    /// From cycle `ready` on the word can be read.
    fn write(&mut self, second_epoch: bool, tile: usize, address: usize, ready: u64) {
        let row = self.row(second_epoch, tile);
        self.ready[row * self.schedule.tiles() + address] = ready;
        self.writes[2 * row + bank(address)].push(ready);
    }

    /// No bank is read or written twice in a cycle.
    fn found(mut self) -> Found {
        let mut cycles = 0;
        for bank in self.reads.iter_mut().chain(&mut self.writes) {
            bank.sort_unstable();
            assert!(bank.windows(2).all(|pair| pair[0] < pair[1]));
            cycles = cycles.max(bank.last().copied().unwrap_or(0));
        }
        Found {
            cycles,
            reads: self.reads.iter().map(Vec::len).sum(),
            tight: self.tight,
        }
    }

    fn compute(&mut self, tile: usize, pair: &Pair, cycle: u64) {
        let (bit, latency) = (1 << pair.bit, self.schedule.access_latency());
        let skewed = self.schedule.skew(tile) & bit;
        let (upper, lower) = (pair.address ^ skewed, pair.address ^ skewed ^ bit);
        // The second half of a pair still finds the word that the first half's result will replace.
        if pair.product == Product::Difference {
            let row = self.row(pair.second_epoch, tile);
            assert_eq!(
                self.ready[row * self.schedule.tiles() + upper],
                cycle - 1 + latency
            );
        } else {
            self.read(pair.second_epoch, tile, upper, cycle);
        }
        self.read(pair.second_epoch, tile, lower, cycle);
        if pair.product != Product::Difference {
            self.write(pair.second_epoch, tile, upper, cycle + latency);
        }
        if pair.product != Product::Sum {
            self.write(pair.second_epoch, tile, lower, cycle + latency);
        }
    }

    fn send(&mut self, tile: usize, packet: Packet, cycle: u64) {
        let pair = self.schedule.sent(tile, packet);
        self.read(false, tile, 2 * pair, cycle);
        self.read(false, tile, 2 * pair + 1, cycle);
    }

    /// Takes words that were sent in this packet: word j of tile k becomes word k of tile j.
    fn take(&mut self, tile: usize, packet: Packet, step: usize, cycle: u64) -> usize {
        let Some(taken) = self.schedule.taken(tile, packet, step) else {
            return 0;
        };
        for (half, from) in taken.from.into_iter().enumerate() {
            let address = 2 * taken.pair + half;
            assert_eq!(address ^ self.schedule.skew(tile), from);
            assert_eq!(
                self.schedule.sent(from, packet),
                (tile ^ self.schedule.skew(from)) / 2
            );
            self.write(true, tile, address, cycle);
        }
        2
    }
}

/// The bank of an address: its parity.
fn bank(address: usize) -> usize {
    address.count_ones() as usize % 2
}

/// Goes through a transform and checks every access: no bank twice in a cycle, nothing read before it is
/// written, every word exchanged once.
fn enumerate(schedule: &Schedule, direction: Direction) -> Found {
    let mut memories = Memories::new(schedule);
    let mut exchanged = 0;
    for event in schedule.events(direction) {
        for tile in 0..schedule.tiles() {
            match event.action {
                Action::Compute(pair) => memories.compute(tile, &pair, event.cycle),
                Action::Send(packet) => memories.send(tile, packet, event.cycle),
                Action::Take(packet, step) => exchanged += memories.take(tile, packet, step, event.cycle),
            }
        }
    }
    assert_eq!(exchanged, schedule.tiles() * schedule.tiles());
    memories.found()
}

#[test]
fn schedules_are_sound() {
    for case in SCHEDULES {
        let schedule = schedule(case);
        for direction in DIRECTIONS {
            let found = enumerate(&schedule, direction);
            assert_eq!(found.cycles, schedule.cycles(direction), "{case:?}");
            let (bits, pairs) = (schedule.log_tiles() as usize, case.0 / 2);
            let scaled = if direction == Direction::Inverse { pairs } else { 0 };
            // Two words for each pair of each pass, but one for the second halves of the last pass back.
            assert_eq!(found.reads, case.0 * (4 * bits * pairs + scaled), "{case:?}");
        }
    }
}

/// A gap that is a cycle shorter would read a word too early.
#[test]
fn gaps_are_no_longer_than_needed() {
    for case in SCHEDULES {
        let schedule = schedule(case);
        let tight = enumerate(&schedule, Direction::Forward).tight;
        let steps = schedule.steps();
        for (before, after) in steps.iter().zip(&steps[1..]) {
            let waits = after.start > before.start + before.cycles;
            let is_tight = (after.start..after.start + after.cycles).any(|cycle| tight.contains(&cycle));
            assert!(is_tight || !waits, "{case:?} {after:?}");
        }
    }
}

/// At the paper's size, with the latency of the deepest pipeline that is planned.
#[test]
fn schedules_of_the_papers_size() {
    for (network, forward, back) in [(Network::Transposer, 2400, 2400), (Network::Ring, 4964, 5237)] {
        let schedule = schedule((256, network, 25));
        assert!(schedule.cycles(Direction::Forward) <= forward, "{network:?}");
        assert!(schedule.cycles(Direction::Inverse) <= back, "{network:?}");
    }
    // With 14 cycles, those of our deep pipeline: 14 passes of 128 cycles, both passes on bit 0 in 255 and 25 until
    // the last pair is back, and the way of the last result.
    let transposer = schedule((256, Network::Transposer, 14));
    assert_eq!(
        transposer.cycles(Direction::Forward),
        14 * 128 + 255 + 25 + 18 - 1
    );
    assert_eq!(transposer.cycles(Direction::Inverse), 2217);
    // 15 passes; algorithms 3 and 4 as the paper counts them; waits for the last results on both sides.
    let ring = schedule((256, Network::Ring, 14));
    let steps = 8 + (1..32).map(|distance| 4 * (1 + distance + 4)).sum::<u64>();
    assert_eq!(
        ring.cycles(Direction::Forward),
        15 * 128 + steps + 17 + 14 + 18 - 1
    );
    assert_eq!(ring.cycles(Direction::Inverse), 4708);
}

/// On the ring the packets of a distance follow each other, and never two are on it at once.
#[test]
fn packets_on_the_ring_do_not_meet() {
    let schedule = schedule((256, Network::Ring, 25));
    let mut free = 0;
    for event in schedule.events(Direction::Forward) {
        match event.action {
            Action::Send(packet) => {
                let sent = event.cycle + schedule.access_latency();
                assert!(sent > free || free == 0, "{packet:?}");
            }
            Action::Take(packet, _) => {
                free = event.cycle;
                assert!(!matches!(packet, Packet::Pair(_)));
            }
            Action::Compute(_) => {}
        }
    }
}

/// The value at each power of the root, by Horner's rule.
fn values(q: &Modulus, root: u64, a: &[u64], powers: impl Iterator<Item = u64>) -> Vec<u64> {
    let value = |k| {
        let point = q.pow(root, k);
        a.iter()
            .rev()
            .fold(0, |value, &term| q.add(q.mul(value, point), term))
    };
    powers.map(value).collect()
}

/// The same for all powers, by entries of even and of odd index.
fn transform(q: &Modulus, root: u64, a: &[u64]) -> Vec<u64> {
    if a.len() == 1 {
        return a.to_vec();
    }
    let half = |odd: usize| {
        let entries: Vec<u64> = a.iter().skip(odd).step_by(2).copied().collect();
        transform(q, q.mul(root, root), &entries)
    };
    let (even, odd, mut power) = (half(0), half(1), 1);
    let mut result = vec![0; a.len()];
    for k in 0..a.len() {
        result[k] = q.add(even[k % even.len()], q.mul(power, odd[k % odd.len()]));
        power = q.mul(power, root);
    }
    result
}

#[test]
fn the_model_transforms_by_definition() {
    let mut random = Random::new(7);
    for case in SCHEDULES.into_iter().filter(|case| case.0 <= 16) {
        let n = (case.0 * case.0) as u64;
        for bits in [22, 27, 30, 31, 32] {
            let q = prime(bits, n);
            let engine = TwoEpoch::new(schedule(case), &q).unwrap();
            let root = root_of_unity(&q, n).unwrap();
            for input in [random.residues(&q, n as usize), vec![q.value() - 1; n as usize]] {
                let mut words = input.clone();
                engine.transform(Direction::Forward, &mut words).unwrap();
                assert_eq!(words, values(&q, root, &input, 0..n), "{case:?} {bits}");
                engine.transform(Direction::Inverse, &mut words).unwrap();
                assert_eq!(words, input, "{case:?} {bits}");
            }
        }
    }
}

#[test]
fn the_model_transforms_at_the_papers_size() {
    let (n, mut random) = (1 << 16, Random::new(8));
    for (network, bits) in [(Network::Transposer, 32), (Network::Ring, 30)] {
        let q = prime(bits, n as u64);
        let engine = TwoEpoch::new(schedule((256, network, 25)), &q).unwrap();
        let root = root_of_unity(&q, n as u64).unwrap();
        let input = random.residues(&q, n);
        let expected = transform(&q, root, &input);
        for k in [0, 1, 2, 255, 256, 40_000, n as u64 - 1] {
            assert_eq!(values(&q, root, &input, k..k + 1)[0], expected[k as usize]);
        }
        let mut words = input.clone();
        engine.transform(Direction::Forward, &mut words).unwrap();
        assert_eq!(words, expected);
        engine.transform(Direction::Inverse, &mut words).unwrap();
        assert_eq!(words, input);
    }
}

#[test]
fn refusals() {
    for (tiles, network) in [
        (2, Network::Transposer),
        (12, Network::Transposer),
        (2048, Network::Transposer),
        (8, Network::Ring),
    ] {
        let refused = Schedule::new(tiles, network, 10);
        assert!(matches!(refused, Err(RtlError::BadEngine { .. })), "{tiles}");
    }
    let schedule = schedule((16, Network::Ring, 10));
    // Too long, too short, and not 1 modulo 256.
    for q in [
        prime(33, 256),
        prime(20, 256),
        Modulus::new(4_294_967_291).unwrap(),
    ] {
        let refused = TwoEpoch::new(schedule, &q);
        assert!(matches!(
            refused,
            Err(RtlError::BadModulus { congruence: 256, .. })
        ));
    }
    let q = prime(32, 256);
    let engine = TwoEpoch::new(schedule, &q).unwrap();
    let short = engine.transform(Direction::Forward, &mut [0; 255]);
    assert_eq!(
        short,
        Err(RtlError::WrongLength {
            expected: 256,
            got: 255
        })
    );
    let mut words = [0; 256];
    words[3] = q.value();
    let refused = engine.transform(Direction::Inverse, &mut words);
    let out_of_range = RtlError::OutOfRange {
        modulus: q.value(),
        index: 3,
        word: q.value(),
    };
    assert_eq!(refused, Err(out_of_range));
}
