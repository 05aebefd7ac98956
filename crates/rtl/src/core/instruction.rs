use std::ops::Range;

use crate::ntt_engine::Direction;

/// The number of a limb buffer.
pub type Buffer = u8;

/// The number of a slot: a prime and its constants.
pub type SlotNumber = u8;

/// The number of a table of a conversion.
pub type TableNumber = u8;

/// A row of a buffer that is divided in rows: a place for a strip of a limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Row {
    /// The buffer.
    pub buffer: Buffer,
    /// The row in it.
    pub row: u8,
}

/// An instruction with two operands, word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combination {
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a b / R.
    Multiply,
}

/// An instruction of the core (`docs/machines/core.md`, "Descriptors"). All products are divided by R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Loads a limb from memory.
    Load {
        /// The buffer that is written.
        destination: Buffer,
        /// The slot under which it is written.
        slot: SlotNumber,
        /// The limb's address in bytes.
        address: u64,
    },
    /// Loads a slot's prime and constants.
    Constants {
        /// The slot.
        slot: SlotNumber,
        /// The block's address in bytes.
        address: u64,
    },
    /// Stores a limb to memory.
    Store {
        /// The buffer that is read.
        source: Buffer,
        /// Its slot.
        slot: SlotNumber,
        /// The limb's address in bytes.
        address: u64,
    },
    /// Transforms a limb.
    Transform {
        /// To values or back.
        direction: Direction,
        /// The buffer that is written; it may be the source.
        destination: Buffer,
        /// The buffer that is read.
        source: Buffer,
        /// The slot of both.
        slot: SlotNumber,
    },
    /// Combines two limbs word by word.
    Combine {
        /// The operation.
        combination: Combination,
        /// The buffer that is written; it may be an operand.
        destination: Buffer,
        /// The first operand.
        a: Buffer,
        /// The second operand.
        b: Buffer,
        /// The slot of all three.
        slot: SlotNumber,
    },
    /// Negates every word.
    Negate {
        /// The buffer that is written; it may be the source.
        destination: Buffer,
        /// The operand.
        source: Buffer,
        /// The slot of both.
        slot: SlotNumber,
    },
    /// Multiplies every word by a constant, divided by R.
    Scale {
        /// The buffer that is written; it may be the source.
        destination: Buffer,
        /// The operand.
        source: Buffer,
        /// The slot of both.
        slot: SlotNumber,
        /// The constant, a residue.
        constant: u64,
    },
    /// Sets every word to a constant.
    Fill {
        /// The buffer that is written.
        destination: Buffer,
        /// The slot under which it is written.
        slot: SlotNumber,
        /// The constant, a residue.
        constant: u64,
    },
    /// The sum of the products of `count` pairs of consecutive buffers, divided by R.
    MultiplyAccumulate {
        /// The buffer that is written; it is no operand.
        destination: Buffer,
        /// The first of the first operands.
        a: Buffer,
        /// The first of the second operands.
        b: Buffer,
        /// The slot of all.
        slot: SlotNumber,
        /// The number of pairs.
        count: u8,
    },
    /// Moves word i to i + shift, field by field of the index.
    Automorphism {
        /// The buffer that is written; it is not the source.
        destination: Buffer,
        /// The operand.
        source: Buffer,
        /// The slot of both.
        slot: SlotNumber,
        /// The shift as an index.
        shift: u64,
    },
    /// Loads a strip of a limb from memory.
    LoadRow {
        /// The row that is written.
        destination: Row,
        /// The number of the strip.
        strip: u8,
        /// log2 of the rows of a buffer, at least 1; a limb has as many strips.
        log_rows: u8,
        /// The limb's address in bytes.
        address: u64,
    },
    /// Stores a strip of a limb to memory.
    StoreRow {
        /// The row that is read.
        source: Row,
        /// The number of the strip.
        strip: u8,
        /// log2 of the rows of a buffer, at least 1.
        log_rows: u8,
        /// The limb's address in bytes.
        address: u64,
    },
    /// Loads the table of a conversion.
    Table {
        /// The table.
        table: TableNumber,
        /// The block's address in bytes.
        address: u64,
    },
    /// Converts strips from some primes to others. Operands are in consecutive rows, one for each prime, over the ends of
    /// buffers if need be.
    Convert {
        /// The table, which says how many primes there are.
        table: TableNumber,
        /// log2 of the rows of a buffer.
        log_rows: u8,
        /// The first row that is written.
        destination: Row,
        /// The first row of the sources.
        sources: Row,
        /// The first row of the own words, if the conversion has them.
        own: Row,
    },
    /// The next instruction begins when all before it are done.
    Wait,
    /// Raises the interrupt when all before it are done.
    Interrupt,
}

impl Instruction {
    /// The slot that the instruction names.
    #[must_use]
    pub const fn slot(&self) -> Option<SlotNumber> {
        match *self {
            Self::Load { slot, .. }
            | Self::Constants { slot, .. }
            | Self::Store { slot, .. }
            | Self::Transform { slot, .. }
            | Self::Combine { slot, .. }
            | Self::Negate { slot, .. }
            | Self::Scale { slot, .. }
            | Self::Fill { slot, .. }
            | Self::MultiplyAccumulate { slot, .. }
            | Self::Automorphism { slot, .. } => Some(slot),
            Self::LoadRow { .. }
            | Self::StoreRow { .. }
            | Self::Table { .. }
            | Self::Convert { .. }
            | Self::Wait
            | Self::Interrupt => None,
        }
    }

    /// The buffer that the instruction writes; none for a conversion, whose buffers its table determines.
    #[must_use]
    pub const fn destination(&self) -> Option<Buffer> {
        match *self {
            Self::Load { destination, .. }
            | Self::Transform { destination, .. }
            | Self::Combine { destination, .. }
            | Self::Negate { destination, .. }
            | Self::Scale { destination, .. }
            | Self::Fill { destination, .. }
            | Self::MultiplyAccumulate { destination, .. }
            | Self::Automorphism { destination, .. } => Some(destination),
            Self::LoadRow { destination, .. } => Some(destination.buffer),
            _ => None,
        }
    }

    /// The buffers that the instruction reads: two ranges of numbers, empty where it reads none, and for a conversion. The
    /// numbers may be larger than any core's.
    #[must_use]
    pub fn sources(&self) -> [Range<usize>; 2] {
        let one = |buffer: Buffer| usize::from(buffer)..usize::from(buffer) + 1;
        let several = |first: Buffer, count: u8| usize::from(first)..usize::from(first) + usize::from(count);
        match *self {
            Self::Store { source, .. }
            | Self::Transform { source, .. }
            | Self::Negate { source, .. }
            | Self::Scale { source, .. }
            | Self::Automorphism { source, .. } => [one(source), 0..0],
            Self::Combine { a, b, .. } => [one(a), one(b)],
            Self::MultiplyAccumulate { a, b, count, .. } => [several(a, count), several(b, count)],
            Self::StoreRow { source, .. } => [one(source.buffer), 0..0],
            _ => [0..0, 0..0],
        }
    }

    /// Whether the instruction reads or writes the buffer.
    #[must_use]
    pub fn names(&self, buffer: Buffer) -> bool {
        let read = |range: &Range<usize>| range.contains(&usize::from(buffer));
        self.destination() == Some(buffer) || self.sources().iter().any(read)
    }

    /// Whether the instruction is on rows, tables or what they are for.
    pub(super) const fn is_of_conversions(&self) -> bool {
        matches!(
            self,
            Self::LoadRow { .. } | Self::StoreRow { .. } | Self::Table { .. } | Self::Convert { .. }
        )
    }

    /// The address in memory that the instruction names, in bytes.
    #[must_use]
    pub const fn address(&self) -> Option<u64> {
        match *self {
            Self::Load { address, .. }
            | Self::Constants { address, .. }
            | Self::Store { address, .. }
            | Self::LoadRow { address, .. }
            | Self::StoreRow { address, .. }
            | Self::Table { address, .. } => Some(address),
            _ => None,
        }
    }
}
