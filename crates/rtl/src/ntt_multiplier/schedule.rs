use super::Shape;
use crate::RtlError;

/// The place of a word in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The bank.
    pub bank: usize,
    /// The address in the bank.
    pub address: usize,
}

/// The work of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// A pass of the forward transform, in place in the input buffer.
    Forward,
    /// The last pass of the forward transform, whose factor is 1, and the product with fixed polynomial 0
    /// or 1. It goes from the input buffer to a result buffer and takes two cycles per slot.
    Product(usize),
    /// A pass of the inverse transform of product 0 or 1, in place in its result buffer.
    Inverse(usize),
}

/// All butterflies of one bit of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The work of the pass.
    pub work: Work,
    /// The bit p of the index in which the two words of a butterfly differ.
    pub bit: u32,
    /// The idle turns of the job before the pass, after which all words that it reads are there. A turn is a
    /// cycle, or, where two jobs take turns, every second one.
    pub gap: usize,
}

impl Pass {
    /// The turns of a time slot. A product takes one for each of the butterfly's results.
    #[must_use]
    pub const fn turns_per_slot(&self) -> usize {
        match self.work {
            Work::Product(_) => 2,
            Work::Forward | Work::Inverse(_) => 1,
        }
    }
}

/// The words that one unit reads in a time slot, and writes [`Shape::latency`] cycles later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The index of U: bit p is 0. V is at index + 2^p.
    pub index: usize,
    /// The word in the unit's own bank, of even parity.
    pub own: Place,
    /// The word that comes through the unit's multiplexer, from a bank of odd parity.
    pub other: Place,
    /// Whether the own word is V. The unit then computes (V - U) times a negated factor, and its results are
    /// exchanged.
    pub reversed: bool,
}

/// The schedule: the time and place of every read and write.
///
/// *Mapping.* Index i is at address floor(i / 2B). Bit j of its bank's number is the sum modulo 2 of the
/// bits m of i with m = j modulo log2 2B. Any log2 2B adjacent bits of the index then choose the bank, given
/// the others: that many words can be read at once, one from each bank.
///
/// *Time.* A pass on bit p uses as such a window the bits from max(0, p - log2 2B + 1) on, which include p.
/// The bits below and above the window together are the number of the time slot.
///
/// *Wiring.* The two words of a butterfly are in banks that differ in one bit, j = p mod log2 2B, so the
/// number of one of these banks has an even number of bits set. That bank belongs to one unit permanently.
/// The other word comes through a multiplexer of log2 2B inputs.
///
/// *Gaps.* Where the window moves from one pass to the next, a slot reads words that were written up to
/// 2^(s-1) slots later than its own number, with s the larger of the windows' first bits.
///
/// *Turns.* A schedule is that of one job. Its time is counted in turns: cycles, or with [`Shape::threads`] = 2
/// every second cycle, while another job has those between. Jobs share no words, so neither waits for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    shape: Shape,
}

impl Schedule {
    /// Makes the schedule of a machine.
    #[must_use]
    pub const fn new(shape: Shape) -> Self {
        Self { shape }
    }

    /// The machine's shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The place of the word of an index.
    #[must_use]
    pub fn place(&self, index: usize) -> Place {
        let bits = 0..self.shape.log_banks();
        Place {
            bank: bits.map(|class| self.class_parity(index, class) << class).sum(),
            address: index >> self.shape.log_banks(),
        }
    }

    /// The passes for one or two products, in order.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`] for any other number.
    pub fn passes(&self, products: usize) -> Result<Vec<Pass>, RtlError> {
        if !(1..=2).contains(&products) {
            return Err(RtlError::BadProducts(products));
        }
        let top = self.shape.log_n() - 1;
        let mut work: Vec<(Work, u32)> = (1..=top).rev().map(|bit| (Work::Forward, bit)).collect();
        for product in 0..products {
            work.push((Work::Product(product), 0));
            work.extend((0..top).map(|bit| (Work::Inverse(product), bit)));
        }
        let mut passes: Vec<Pass> = Vec::with_capacity(work.len());
        for (work, bit) in work {
            let gap = passes.last().map_or(0, |last| self.gap(last, work, bit));
            passes.push(Pass { work, bit, gap });
        }
        Ok(passes)
    }

    /// The cycles of a job with one or two products, from its first read to its last result.
    ///
    /// # Errors
    /// [`RtlError::BadProducts`] for any other number.
    pub fn cycles(&self, products: usize) -> Result<usize, RtlError> {
        let passes = self.passes(products)?;
        let turns = passes
            .iter()
            .map(|pass| pass.gap + self.shape.depth() * pass.turns_per_slot());
        Ok(self.shape.job_cycles(turns.sum()))
    }

    /// The units' work in a time slot of a pass, unit after unit.
    pub fn slots(&self, pass: &Pass, time: usize) -> impl Iterator<Item = Slot> + '_ {
        let bit = pass.bit;
        (0..self.shape.units()).map(move |unit| {
            let own = self.index(bit, time, even_bank(unit));
            let other = own ^ (1 << bit);
            Slot {
                index: own.min(other),
                own: self.place(own),
                other: self.place(other),
                reversed: own > other,
            }
        })
    }

    /// The position at which the factors of a pass begin in each unit's memory. A pass has one factor per
    /// turn, in order.
    #[must_use]
    pub fn first_factor(&self, pass: &Pass) -> usize {
        let k = self.shape.log_n() as usize;
        let bit = pass.bit as usize;
        let slots = match pass.work {
            Work::Forward => k - 1 - bit,
            Work::Product(0) => k - 1,
            Work::Inverse(_) => k + 1 + bit,
            Work::Product(_) => 2 * k,
        };
        slots << self.shape.log_depth()
    }

    /// The first bit of the window of a pass.
    fn window(&self, bit: u32) -> u32 {
        (bit + 1).saturating_sub(self.shape.log_banks())
    }

    /// The number of idle turns between two passes.
    fn gap(&self, last: &Pass, work: Work, bit: u32) -> usize {
        if matches!((last.work, work), (Work::Inverse(_), Work::Product(_))) {
            // The forward transform has long ended, and the result buffer is another one.
            return 0;
        }
        let (from, to) = (self.window(last.bit), self.window(bit));
        let ahead = if from == to { 0 } else { 1 << (from.max(to) - 1) };
        let turns = self.shape.latency().div_ceil(self.shape.threads());
        (turns + ahead).saturating_sub(self.shape.depth())
    }

    /// The index of the word that a pass on a bit reads from a bank in a time slot.
    fn index(&self, bit: u32, time: usize, bank: usize) -> usize {
        let (first, width) = (self.window(bit), self.shape.log_banks());
        let low = time & ((1 << first) - 1);
        let outside = low | (time >> first) << (first + width);
        (first..first + width).fold(outside, |index, m| {
            let class = m % width;
            let wanted = bank >> class & 1;
            index | (wanted ^ self.class_parity(outside, class)) << m
        })
    }

    /// The sum modulo 2 of the bits of an index that belong to a bit of the bank's number.
    fn class_parity(&self, index: usize, class: u32) -> usize {
        let bits = (class..self.shape.log_n()).step_by(self.shape.log_banks() as usize);
        bits.fold(0, |parity, m| parity ^ index >> m & 1)
    }
}

/// The bank of a unit: of the numbers 2u and 2u + 1, the one with an even number of bits set.
fn even_bank(unit: usize) -> usize {
    unit << 1 | (unit.count_ones() & 1) as usize
}

#[cfg(test)]
mod tests;
