use std::collections::{HashMap, VecDeque};

use ringmill_arith::Modulus;
use ringmill_arith::prime::root_of_unity;

use super::constants::{Table, address, constants, scale_address};
use super::{Action, Network, Packet, Pair, Product, Schedule};
use crate::RtlError;
use crate::ntt_engine::engine::check_words;
use crate::ntt_engine::{Direction, Engine};

/// The lengths of primes, in bits.
const PRIME_BITS: std::ops::RangeInclusive<u32> = 22..=32;

/// The bits of a word of the machine.
const WIDTH: u32 = 32;

/// The golden model: the same words at the same addresses of the same tiles, the same factors, the same
/// operations and delays as the machine's.
///
/// Results are written when the machine writes them, so a schedule that reads too early gives wrong words here
/// too. Constants are the host's: see [`Engine::constants`]. Their order is that of the machine's addresses.
#[derive(Debug, Clone)]
pub struct TwoEpoch {
    schedule: Schedule,
    modulus: Modulus,
    /// 1/R, which a butterfly multiplies its product by.
    radix_inverse: u64,
    constants: Vec<u64>,
}

impl TwoEpoch {
    /// Prepares an engine for a prime. Its root of unity is `root_of_unity(modulus, n)`.
    ///
    /// # Errors
    /// [`RtlError::BadModulus`] unless the prime has 22 to 32 bits and is 1 modulo n = T^2.
    pub fn new(schedule: Schedule, modulus: &Modulus) -> Result<Self, RtlError> {
        let n = 1u64 << (2 * schedule.log_tiles());
        if !PRIME_BITS.contains(&modulus.bits()) || modulus.value() % n != 1 {
            return Err(RtlError::BadModulus {
                modulus: modulus.value(),
                congruence: n,
            });
        }
        let root = root_of_unity(modulus, n)?;
        let word = step_bits(&schedule);
        let radix = modulus.reduce_wide(1 << (word * WIDTH.div_ceil(word)));
        Ok(Self {
            schedule,
            modulus: *modulus,
            radix_inverse: modulus.pow(radix, modulus.value() - 2),
            constants: constants(&schedule, modulus, root, radix),
        })
    }

    /// The timetable.
    #[must_use]
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The two results of a butterfly for a pair of a tile: upper and lower. A sum that is multiplied is the
    /// upper one here.
    fn butterfly(&self, direction: Direction, product: Product, factor: u64, u: u64, v: u64) -> [u64; 2] {
        let q = &self.modulus;
        let times_factor = |word| q.mul(q.mul(word, factor), self.radix_inverse);
        match (direction, product) {
            (Direction::Forward, _) => {
                let v = times_factor(v);
                [q.add(u, v), q.sub(u, v)]
            }
            (Direction::Inverse, Product::Sum) => [times_factor(q.add(u, v)), 0],
            (Direction::Inverse, _) => [q.add(u, v), times_factor(q.sub(u, v))],
        }
    }

    /// The factor of a tile's pair, whose word with the bit clear has this number.
    fn factor(&self, direction: Direction, tile: usize, pair: &Pair, number: usize) -> u64 {
        if pair.product == Product::Sum {
            return self.constants[scale_address(&self.schedule)];
        }
        let high = pair.second_epoch == (direction == Direction::Inverse);
        let table = if high { Table::High } else { Table::Low { tile } };
        self.constants[address(&self.schedule, direction, table, pair.bit, number)]
    }
}

impl Engine for TwoEpoch {
    fn machine(&self) -> String {
        let network = match self.schedule.network() {
            Network::Ring => 0,
            Network::Transposer => 1,
        };
        format!(
            "two_epoch_machine N={} Units={} Network={network} Word={}",
            self.n(),
            self.units(),
            step_bits(&self.schedule)
        )
    }

    fn n(&self) -> usize {
        self.schedule.tiles() * self.schedule.tiles()
    }

    fn units(&self) -> usize {
        self.schedule.tiles()
    }

    fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    fn constants(&self) -> &[u64] {
        &self.constants
    }

    fn cycles(&self, direction: Direction) -> u64 {
        self.schedule.cycles(direction)
    }

    fn transform(&self, direction: Direction, words: &mut [u64]) -> Result<(), RtlError> {
        check_words(&self.modulus, self.n(), words)?;
        let mut tiles = Tiles::new(self, direction, words);
        for event in self.schedule.events(direction) {
            tiles.retire(event.cycle);
            match event.action {
                Action::Compute(pair) => tiles.compute(event.cycle, &pair),
                Action::Send(packet) => tiles.send(packet),
                Action::Take(packet, step) => tiles.take(packet, step),
            }
        }
        tiles.retire(u64::MAX);
        tiles.read(words);
        Ok(())
    }
}

/// The bits that a step of the machine's reduction takes off: as many as the primes allow, at most 16.
const fn step_bits(schedule: &Schedule) -> u32 {
    match 2 * schedule.log_tiles() {
        bits @ ..16 => bits,
        _ => 16,
    }
}

/// A word on its way into the memory.
#[derive(Debug, Clone, Copy)]
struct Write {
    buffer: usize,
    place: usize,
    word: u64,
}

/// The tiles in the course of a transform.
struct Tiles<'a> {
    engine: &'a TwoEpoch,
    direction: Direction,
    /// The buffers of both epochs, one where the network is the transposer: tile after tile.
    buffers: [Vec<u64>; 2],
    /// The results of butterflies, with the cycles from which they can be read, oldest first.
    results: VecDeque<(u64, Vec<Write>)>,
    /// What the tiles have given to the network: the words with an even and an odd number.
    network: HashMap<Packet, Vec<[u64; 2]>>,
}

impl<'a> Tiles<'a> {
    fn new(engine: &'a TwoEpoch, direction: Direction, words: &[u64]) -> Self {
        let mut tiles = Self {
            engine,
            direction,
            buffers: [vec![0; words.len()], vec![0; words.len()]],
            results: VecDeque::new(),
            network: HashMap::new(),
        };
        for (index, &word) in words.iter().enumerate() {
            let (tile, number) = engine.schedule.place(index);
            let place = tiles.place(tile, number ^ engine.schedule.skew(tile));
            tiles.buffers[0][place] = word;
        }
        tiles
    }

    fn read(&self, words: &mut [u64]) {
        for (index, word) in words.iter_mut().enumerate() {
            let (tile, number) = self.engine.schedule.place(index);
            let place = self.place(tile, number ^ self.engine.schedule.skew(tile));
            *word = self.buffers[self.buffer(true)][place];
        }
    }

    const fn place(&self, tile: usize, address: usize) -> usize {
        tile << self.engine.schedule.log_tiles() | address
    }

    fn buffer(&self, second_epoch: bool) -> usize {
        usize::from(second_epoch && self.engine.schedule.network() == Network::Ring)
    }

    /// Writes what can be read from this cycle on.
    fn retire(&mut self, cycle: u64) {
        while self.results.front().is_some_and(|&(ready, _)| ready <= cycle) {
            for write in self.results.pop_front().unwrap_or_default().1 {
                self.buffers[write.buffer][write.place] = write.word;
            }
        }
    }

    /// A tile's butterfly: the places of the words with the pair's bit clear and set, and their results.
    fn butterfly(&self, tile: usize, pair: &Pair) -> [(usize, u64); 2] {
        let (engine, bit) = (self.engine, 1 << pair.bit);
        let skew = engine.schedule.skew(tile);
        let number = (pair.address ^ skew) & !bit;
        let places = [number, number | bit].map(|number| self.place(tile, number ^ skew));
        let words = &self.buffers[self.buffer(pair.second_epoch)];
        let factor = engine.factor(self.direction, tile, pair, number);
        let [u, v] = places.map(|place| words[place]);
        let [upper, lower] = engine.butterfly(self.direction, pair.product, factor, u, v);
        [(places[0], upper), (places[1], lower)]
    }

    fn compute(&mut self, cycle: u64, pair: &Pair) {
        let buffer = self.buffer(pair.second_epoch);
        let mut writes = Vec::with_capacity(2 * self.engine.units());
        for tile in 0..self.engine.units() {
            let results = self.butterfly(tile, pair);
            let kept = match pair.product {
                Product::Both => &results[..],
                Product::Sum => &results[..1],
                Product::Difference => &results[1..],
            };
            writes.extend(kept.iter().map(|&(place, word)| Write { buffer, place, word }));
        }
        self.results
            .push_back((cycle + self.engine.schedule.access_latency(), writes));
    }

    fn send(&mut self, packet: Packet) {
        let pair = |tile| {
            let pair = Pair {
                bit: 0,
                address: 2 * self.engine.schedule.sent(tile, packet),
                second_epoch: false,
                product: Product::Both,
            };
            self.butterfly(tile, &pair).map(|(_, word)| word)
        };
        let pairs = (0..self.engine.units()).map(pair).collect();
        self.network.insert(packet, pairs);
    }

    /// Every tile takes the words with its own number.
    fn take(&mut self, packet: Packet, step: usize) {
        let Some(pairs) = self.network.get(&packet) else {
            return;
        };
        let buffer = self.buffer(true);
        for tile in 0..self.engine.units() {
            let Some(taken) = self.engine.schedule.taken(tile, packet, step) else {
                continue;
            };
            for (half, from) in taken.from.into_iter().enumerate() {
                let place = self.place(tile, 2 * taken.pair + half);
                self.buffers[buffer][place] = pairs[from][tile % 2];
            }
        }
    }
}
