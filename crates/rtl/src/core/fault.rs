use std::fmt;

/// The reason for which a core stopped: the code in [`Register::Error`](super::Register::Error).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Fault {
    /// Unknown opcode or operation, or an unused field is not 0.
    Instruction = 1,
    /// No such buffer, or no buffers at all.
    Buffer = 2,
    /// No such slot, or nothing was loaded into it.
    Slot = 3,
    /// A source is empty.
    Empty = 4,
    /// A source was written under another slot.
    OtherSlot = 5,
    /// The destination is a source of this automorphism or sum of products.
    InUse = 6,
    /// The address is no multiple of 64.
    Misaligned = 7,
    /// The limb or block is not in the window.
    Outside = 8,
    /// The constant is not below the modulus.
    Constant = 9,
    /// The shift is not below n.
    Shift = 10,
    /// A word that was loaded is not below the modulus.
    Word = 11,
    /// A constants block is wrong.
    Block = 12,
    /// A read of data failed on the bus.
    Read = 13,
    /// A write failed on the bus.
    Write = 14,
    /// A descriptor could not be read.
    Descriptor = 15,
    /// The tail is more than a ring ahead of the head.
    Tail = 16,
    /// More slots had doubtful columns than the queue has places for.
    Doubts = 17,
    /// A table of a conversion is wrong.
    Table = 18,
    /// There are no such rows, or no such strip.
    Rows = 19,
}

impl Fault {
    /// All faults, in the order in which a core looks for them.
    pub const ALL: [Self; 19] = [
        Self::Instruction,
        Self::Buffer,
        Self::Slot,
        Self::Empty,
        Self::OtherSlot,
        Self::InUse,
        Self::Misaligned,
        Self::Outside,
        Self::Constant,
        Self::Shift,
        Self::Word,
        Self::Block,
        Self::Read,
        Self::Write,
        Self::Descriptor,
        Self::Tail,
        Self::Doubts,
        Self::Table,
        Self::Rows,
    ];

    /// The code of the data sheet.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The fault with a code.
    #[must_use]
    pub fn of(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.code() == code)
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Instruction => "unknown opcode or operation, or an unused field is not 0",
            Self::Buffer => "there is no such buffer",
            Self::Slot => "there is no such slot, or nothing was loaded into it",
            Self::Empty => "a source is empty",
            Self::OtherSlot => "a source was written under another slot",
            Self::InUse => "the destination is a source of the same instruction",
            Self::Misaligned => "the address is no multiple of 64",
            Self::Outside => "the limb or block is not in the window",
            Self::Constant => "the constant is not below the modulus",
            Self::Shift => "the shift is not below n",
            Self::Word => "a word that was loaded is not below the modulus",
            Self::Block => "the block of constants is wrong",
            Self::Read => "a read failed on the bus",
            Self::Write => "a write failed on the bus",
            Self::Descriptor => "the descriptor could not be read",
            Self::Tail => "the tail is more than a ring ahead of the head",
            Self::Doubts => "more columns are doubtful than the queue has places for",
            Self::Table => "the table of a conversion is wrong",
            Self::Rows => "there is no such row or strip",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error {})", self.text(), self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_data_sheet() {
        for (fault, code) in Fault::ALL.into_iter().zip(1..) {
            assert_eq!((fault.code(), Fault::of(code)), (code, Some(fault)));
        }
        assert_eq!([Fault::of(0), Fault::of(20)], [None; 2]);
    }
}
