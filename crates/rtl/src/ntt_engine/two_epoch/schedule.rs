use super::network::Clusters;
use super::{Network, Packet, Taken};
use crate::RtlError;
use crate::ntt_engine::Direction;

/// The cycles of a tile around its butterfly: command, memory and exchange of the operands before it.
const OPERAND_CYCLES: u64 = 3;

/// A part of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The bit of the addresses in which the words of a pass's pairs differ; none for the exchange.
    pub bit: Option<u32>,
    /// The cycle of its first read. The transform's is 0.
    pub start: u64,
    /// The cycles in which it reads, or moves words in the network.
    pub cycles: u64,
}

/// Which results of a butterfly are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// Both, with one product.
    Both,
    /// The product of the sum: the first half of a pair of the last pass back, which multiplies by 1/N too.
    Sum,
    /// The product of the difference: the second half.
    Difference,
}

/// A pair of words that every tile reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The bit of the addresses in which they differ.
    pub bit: u32,
    /// The address of the one where it is 0.
    pub address: usize,
    /// Whether it is one of the second epoch, in its buffer.
    pub second_epoch: bool,
    /// What is kept.
    pub product: Product,
}

/// What the tiles do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// They read a pair, and write its results.
    Compute(Pair),
    /// They read a pair of the last pass of the first epoch, and give its results to the network.
    Send(Packet),
    /// They take words of a packet: those that [`Schedule::taken`] says for this step.
    Take(Packet, usize),
}

/// An action with its cycle: for reads that of the read command, for words of the network the first one whose
/// commands can read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The cycle. The first read's is 0.
    pub cycle: u64,
    /// The action.
    pub action: Action,
}

/// The timetable of an engine of T tiles of T words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    log_tiles: u32,
    network: Network,
    unit_latency: u64,
}

impl Schedule {
    /// Makes the timetable of an engine whose butterflies take `unit_latency` cycles.
    ///
    /// # Errors
    /// [`RtlError::BadEngine`] unless the number of tiles is a power of two from 4 to 1024, at least 16 on a
    /// ring.
    pub fn new(tiles: usize, network: Network, unit_latency: u64) -> Result<Self, RtlError> {
        let bad = |need| RtlError::BadEngine {
            engine: "two-epoch engine",
            n: tiles.saturating_mul(tiles),
            units: tiles,
            need,
        };
        if !tiles.is_power_of_two() || !(4..=1024).contains(&tiles) {
            return Err(bad("the number of tiles must be a power of two from 4 to 1024"));
        }
        if network == Network::Ring && tiles < 16 {
            return Err(bad("a ring needs at least 16 tiles"));
        }
        Ok(Self {
            log_tiles: tiles.trailing_zeros(),
            network,
            unit_latency,
        })
    }

    /// The number T of tiles, and of words of a tile.
    #[must_use]
    pub const fn tiles(&self) -> usize {
        1 << self.log_tiles
    }

    /// log2 T.
    #[must_use]
    pub const fn log_tiles(&self) -> u32 {
        self.log_tiles
    }

    /// How words travel between the epochs.
    #[must_use]
    pub const fn network(&self) -> Network {
        self.network
    }

    /// The cycles from a read command to the first one that can read its results.
    #[must_use]
    pub const fn access_latency(&self) -> u64 {
        OPERAND_CYCLES + self.unit_latency + 1
    }

    /// The tile of an entry, and the number of its word there. Coefficients and values, both in natural order,
    /// have the same places.
    #[must_use]
    pub const fn place(&self, index: usize) -> (usize, usize) {
        let column = index % self.tiles();
        let tile = column.reverse_bits() >> (usize::BITS - self.log_tiles);
        (tile, index / self.tiles())
    }

    /// What differs between the number of a tile's word and its address.
    #[must_use]
    pub const fn skew(&self, tile: usize) -> usize {
        match self.network {
            Network::Ring => 0,
            Network::Transposer => tile,
        }
    }

    /// The cycles of a transform, from its first read to its last write.
    #[must_use]
    pub fn cycles(&self, direction: Direction) -> u64 {
        let last = self.steps().last().map_or(0, |step| step.start + step.cycles - 1);
        let scaling = match direction {
            Direction::Forward => 0,
            Direction::Inverse => self.half(),
        };
        last + scaling + self.access_latency()
    }

    /// The parts of a transform. Back, the last takes twice its cycles.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let first = (1..self.log_tiles).rev().map(Some);
        // The transposer leaves no pass on bit 0 to be made.
        let lowest = match self.network {
            Network::Ring => 0,
            Network::Transposer => 1,
        };
        let bits = first.chain([None]).chain((lowest..self.log_tiles).map(Some));
        let mut steps: Vec<Step> = Vec::new();
        for bit in bits {
            let start = steps.last().map_or(0, |before| {
                before.start + before.cycles + self.gap(before.bit, bit)
            });
            let cycles = bit.map_or_else(|| self.exchange_cycles(), |_| self.half());
            steps.push(Step { bit, start, cycles });
        }
        steps
    }

    /// All that the tiles do in a transform, in order of cycles.
    #[must_use]
    pub fn events(&self, direction: Direction) -> Vec<Event> {
        let steps = self.steps();
        let mut events = Vec::new();
        let mut second_epoch = false;
        for (at, step) in steps.iter().enumerate() {
            match step.bit {
                None => {
                    self.exchange(step.start, &mut events);
                    second_epoch = true;
                }
                Some(bit) => {
                    let scaled = direction == Direction::Inverse && at + 1 == steps.len();
                    self.pass(step.start, bit, second_epoch, scaled, &mut events);
                }
            }
        }
        events.sort_by_key(|event| event.cycle);
        events
    }

    /// Half of the address of the pair that a tile sends.
    #[must_use]
    pub const fn sent(&self, tile: usize, packet: Packet) -> usize {
        Clusters::new(self.log_tiles).sent(tile, packet)
    }

    /// The pair that a tile takes from the network in a step, if one is for it.
    #[must_use]
    pub fn taken(&self, tile: usize, packet: Packet, step: usize) -> Option<Taken> {
        match packet {
            Packet::Pair(pair) => Some(Taken {
                pair,
                from: [tile ^ (2 * pair), tile ^ (2 * pair + 1)],
            }),
            _ => Clusters::new(self.log_tiles).taken(tile, packet, step),
        }
    }

    /// The pairs of a tile.
    const fn half(&self) -> u64 {
        1 << (self.log_tiles - 1)
    }

    /// The transposer's cycles from a pair to a pair: a register for each two bits of the step, one for the
    /// second word, and another where that makes their number even, because results of butterflies and words
    /// of the network are written in turn.
    const fn transposer_latency(&self) -> u64 {
        (self.log_tiles.div_ceil(2) as u64 + 2) / 2 * 2
    }

    /// The cycles from the last read of a place in the first epoch to the first one in the second, which are
    /// in even and in odd cycles.
    const fn return_delay(&self) -> u64 {
        (self.access_latency() + self.transposer_latency()) | 1
    }

    fn exchange_cycles(&self) -> u64 {
        match self.network {
            Network::Transposer => 2 * self.half() - 1 + self.return_delay(),
            Network::Ring => {
                let packets = Clusters::new(self.log_tiles).packets_in_order();
                packets
                    .map(|(packet, steps)| (1 + packet.hops() + steps) as u64)
                    .sum()
            }
        }
    }

    /// The idle cycles between two steps. Two passes read a word at least T/2 - 2^(b-1) cycles apart, b the
    /// higher of their bits. The transposer keeps the order of passes at half their pace. On the ring the first
    /// words that leave may be the last that were written, and the last ones come in as many steps as a cluster
    /// has pairs of tiles.
    fn gap(&self, before: Option<u32>, after: Option<u32>) -> u64 {
        let apart = match (before, after, self.network) {
            (Some(one), Some(other), _) => self.half() - (1 << (one.max(other) - 1)),
            (_, _, Network::Transposer) => self.half() - 1,
            (None, _, Network::Ring) => Clusters::new(self.log_tiles).packets() as u64,
            (_, None, Network::Ring) => 1,
        };
        self.access_latency().saturating_sub(apart)
    }

    fn pass(&self, start: u64, bit: u32, second_epoch: bool, scaled: bool, events: &mut Vec<Event>) {
        for slot in 0..self.tiles() / 2 {
            let address = (slot >> bit << (bit + 1)) | (slot & ((1 << bit) - 1));
            let products: &[Product] = match scaled {
                true => &[Product::Sum, Product::Difference],
                false => &[Product::Both],
            };
            for (half, &product) in products.iter().enumerate() {
                let cycle = start + (slot * products.len() + half) as u64;
                let pair = Pair {
                    bit,
                    address,
                    second_epoch,
                    product,
                };
                let action = Action::Compute(pair);
                events.push(Event { cycle, action });
            }
        }
    }

    fn exchange(&self, start: u64, events: &mut Vec<Event>) {
        let mut push = |cycle, action| events.push(Event { cycle, action });
        match self.network {
            Network::Transposer => {
                for pair in 0..self.tiles() / 2 {
                    let cycle = start + 2 * pair as u64;
                    push(cycle, Action::Send(Packet::Pair(pair)));
                    let arrival = cycle + self.access_latency() + self.transposer_latency();
                    push(arrival, Action::Take(Packet::Pair(pair), 0));
                    let returning = Pair {
                        bit: 0,
                        address: 2 * pair,
                        second_epoch: true,
                        product: Product::Both,
                    };
                    push(cycle + self.return_delay(), Action::Compute(returning));
                }
            }
            Network::Ring => {
                let mut cycle = start;
                for (packet, steps) in Clusters::new(self.log_tiles).packets_in_order() {
                    push(cycle, Action::Send(packet));
                    cycle += 1 + packet.hops() as u64;
                    for step in 0..steps {
                        push(cycle + self.access_latency(), Action::Take(packet, step));
                        cycle += 1;
                    }
                }
            }
        }
    }
}
