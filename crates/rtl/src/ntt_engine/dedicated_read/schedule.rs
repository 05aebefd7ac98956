use super::Shape;
use super::shape::rotate;

/// What an engine does with all words of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// From coefficients to values.
    Forward,
    /// From values to coefficients times N.
    Inverse,
    /// From values to coefficients.
    InverseScaled,
    /// Source times operand, divided by R.
    Product,
    /// Source less operand, times a constant.
    Difference,
}

/// The exchange after a pass: W, bit `address` of A and bit `unit` of C change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// W takes the address's bit, that one the unit's, and this one W.
    Forward {
        /// The bit of A.
        address: u32,
        /// The bit of C.
        unit: u32,
    },
    /// The same backwards.
    Inverse {
        /// The bit of A.
        address: u32,
        /// The bit of C.
        unit: u32,
    },
}

/// A pass over all words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The number p of a transform's pass: it processes bit k - 1 - p of the coefficients' indices.
    pub number: u32,
    /// The exchange after it, if there is one.
    pub exchange: Option<Exchange>,
    /// Whether a word takes two cycles.
    pub twice: bool,
}

/// A read of all banks at one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Read {
    /// The cycle in its pass.
    pub cycle: u64,
    /// The address.
    pub address: usize,
}

/// The order of an engine's operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
    unit_latency: u64,
}

impl Schedule {
    /// The cycles that a word spends before the unit (bank, register, operand) and after it (to meet another
    /// word, and to become one).
    const AROUND_UNIT: u64 = 6;

    /// Makes the schedule for units of some latency.
    #[must_use]
    pub const fn new(shape: Shape, unit_latency: u64) -> Self {
        Self { shape, unit_latency }
    }

    /// The shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of cycles from the read of a word to the write of the word that takes its place.
    #[must_use]
    pub const fn latency(&self) -> u64 {
        self.unit_latency + Self::AROUND_UNIT
    }

    /// The number of cycles between two passes: the second reads in the order in which the first writes, but
    /// every other word, so it can begin when the first has half a pass to go.
    #[must_use]
    pub const fn gap(&self) -> u64 {
        self.latency().saturating_sub(self.shape.words() as u64 / 2)
    }

    /// The passes of an operation.
    #[must_use]
    pub fn passes(&self, operation: Operation) -> Vec<Pass> {
        let k = self.shape.log_n();
        let (address, unit) = (
            |p: u32| p % self.shape.address_bits(),
            |p: u32| p.min(self.shape.unit_bits() - 1),
        );
        match operation {
            Operation::Forward => (0..k)
                .map(|p| Pass {
                    number: p,
                    exchange: (p + 1 < k).then(|| Exchange::Forward {
                        address: address(p),
                        unit: unit(p),
                    }),
                    twice: false,
                })
                .collect(),
            Operation::Inverse | Operation::InverseScaled => (0..k)
                .rev()
                .map(|p| Pass {
                    number: p,
                    exchange: p.checked_sub(1).map(|before| Exchange::Inverse {
                        address: address(before),
                        unit: unit(before),
                    }),
                    twice: p == 0 && operation == Operation::InverseScaled,
                })
                .collect(),
            Operation::Product | Operation::Difference => vec![Pass {
                number: 0,
                exchange: None,
                twice: true,
            }],
        }
    }

    /// The reads of a pass, two words that differ in the exchanged bit in a row: the cycle counts the address
    /// bits from that one on, upwards in a forward and downwards in an inverse transform.
    pub fn reads(&self, operation: Operation, pass: &Pass) -> impl Iterator<Item = Read> + use<> {
        let bits = self.shape.address_bits();
        let forward = operation == Operation::Forward;
        let rotation = if forward {
            pass.number % bits
        } else {
            // Of an exchange of bit e the rotation is e + 1; before the last pass it would be bit a - 1.
            pass.number
                .checked_sub(1)
                .map_or(0, |before| (before % bits + 1) % bits)
        };
        let repeats = 1 + u64::from(pass.twice);
        (0..self.shape.words() as u64 * repeats).map(move |cycle| {
            let count = (cycle / repeats) as usize;
            let ordered = if forward {
                count
            } else {
                count.reverse_bits() >> (usize::BITS - bits)
            };
            Read {
                cycle,
                address: rotate(ordered, rotation, bits),
            }
        })
    }

    /// The address of a pass's factor in the table of each unit, from pass b on: a one and then the bits of
    /// the value's index that the address holds, A shifted down by b cyclically.
    #[must_use]
    pub const fn factor_address(&self, pass: u32, address: usize) -> usize {
        let (a, b) = (self.shape.address_bits(), self.shape.unit_bits());
        let count = 1 << (pass - b);
        count | rotate(address, (a - b) % a, a) & (count - 1)
    }

    /// The number of cycles of an operation, from its first read to its last write.
    #[must_use]
    pub const fn cycles(&self, operation: Operation) -> u64 {
        let (words, k) = (self.shape.words() as u64, self.shape.log_n() as u64);
        let passes = match operation {
            Operation::Forward | Operation::Inverse => k * words + (k - 1) * self.gap(),
            Operation::InverseScaled => (k + 1) * words + (k - 1) * self.gap(),
            Operation::Product | Operation::Difference => 2 * words,
        };
        passes + self.latency()
    }
}
