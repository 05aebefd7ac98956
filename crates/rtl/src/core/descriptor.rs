use super::{Combination, Fault, Instruction};
use crate::ntt_engine::Direction;

/// An instruction in the ring: 32 bytes, as four words of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Descriptor(pub [u64; 4]);

/// The fields of a descriptor; word 0 from its lowest byte on.
#[derive(Default)]
struct Fields {
    opcode: u8,
    operation: u8,
    destination: u8,
    a: u8,
    b: u8,
    slot: u8,
    count: u8,
    immediate: u64,
}

const LOAD: u8 = 0x01;
const CONSTANTS: u8 = 0x02;
const STORE: u8 = 0x03;
const TRANSFORM: u8 = 0x10;
const VECTOR: u8 = 0x20;
const MULTIPLY_ACCUMULATE: u8 = 0x21;
const AUTOMORPHISM: u8 = 0x22;
const WAIT: u8 = 0x30;
const INTERRUPT: u8 = 0x31;

const NEGATE: u8 = 2;
const SCALE: u8 = 4;
const FILL: u8 = 5;

impl Descriptor {
    /// The bytes of a descriptor.
    pub const BYTES: u64 = 32;

    /// Reads the instruction.
    ///
    /// # Errors
    /// [`Fault::Instruction`] for an unknown opcode or operation, and for a field that is not 0 and not used.
    pub fn instruction(self) -> Result<Instruction, Fault> {
        let instruction = self.fields().instruction().ok_or(Fault::Instruction)?;
        // Encoding sets unused fields to 0.
        if Self::from(instruction) == self {
            Ok(instruction)
        } else {
            Err(Fault::Instruction)
        }
    }

    const fn fields(self) -> Fields {
        let [word, immediate, ..] = self.0;
        let [opcode, operation, destination, a, b, slot, count, _] = word.to_le_bytes();
        Fields {
            opcode,
            operation,
            destination,
            a,
            b,
            slot,
            count,
            immediate,
        }
    }
}

impl Fields {
    /// The instruction of these fields, whatever the unused ones are.
    fn instruction(&self) -> Option<Instruction> {
        let &Self {
            destination,
            a: source,
            slot,
            immediate,
            ..
        } = self;
        Some(match self.opcode {
            LOAD => Instruction::Load {
                destination,
                slot,
                address: immediate,
            },
            CONSTANTS => Instruction::Constants {
                slot,
                address: immediate,
            },
            STORE => Instruction::Store {
                source,
                slot,
                address: immediate,
            },
            TRANSFORM => Instruction::Transform {
                direction: [Direction::Forward, Direction::Inverse]
                    .into_iter()
                    .find(|&direction| transform(direction) == self.operation)?,
                destination,
                source,
                slot,
            },
            VECTOR => return self.vector(),
            MULTIPLY_ACCUMULATE => Instruction::MultiplyAccumulate {
                destination,
                a: source,
                b: self.b,
                slot,
                count: self.count,
            },
            AUTOMORPHISM => Instruction::Automorphism {
                destination,
                source,
                slot,
                shift: immediate,
            },
            WAIT => Instruction::Wait,
            INTERRUPT => Instruction::Interrupt,
            _ => return None,
        })
    }

    fn vector(&self) -> Option<Instruction> {
        let &Self {
            destination,
            a: source,
            slot,
            immediate: constant,
            ..
        } = self;
        Some(match self.operation {
            NEGATE => Instruction::Negate {
                destination,
                source,
                slot,
            },
            SCALE => Instruction::Scale {
                destination,
                source,
                slot,
                constant,
            },
            FILL => Instruction::Fill {
                destination,
                slot,
                constant,
            },
            operation => Instruction::Combine {
                combination: [Combination::Add, Combination::Subtract, Combination::Multiply]
                    .into_iter()
                    .find(|&combination| combined(combination) == operation)?,
                destination,
                a: source,
                b: self.b,
                slot,
            },
        })
    }
}

const fn transform(direction: Direction) -> u8 {
    match direction {
        Direction::Forward => 0,
        Direction::Inverse => 1,
    }
}

const fn combined(combination: Combination) -> u8 {
    match combination {
        Combination::Add => 0,
        Combination::Subtract => 1,
        Combination::Multiply => 3,
    }
}

/// The opcode and the operation of an instruction.
const fn code(instruction: &Instruction) -> (u8, u8) {
    match *instruction {
        Instruction::Load { .. } => (LOAD, 0),
        Instruction::Constants { .. } => (CONSTANTS, 0),
        Instruction::Store { .. } => (STORE, 0),
        Instruction::Transform { direction, .. } => (TRANSFORM, transform(direction)),
        Instruction::Combine { combination, .. } => (VECTOR, combined(combination)),
        Instruction::Negate { .. } => (VECTOR, NEGATE),
        Instruction::Scale { .. } => (VECTOR, SCALE),
        Instruction::Fill { .. } => (VECTOR, FILL),
        Instruction::MultiplyAccumulate { .. } => (MULTIPLY_ACCUMULATE, 0),
        Instruction::Automorphism { .. } => (AUTOMORPHISM, 0),
        Instruction::Wait => (WAIT, 0),
        Instruction::Interrupt => (INTERRUPT, 0),
    }
}

impl From<Instruction> for Descriptor {
    fn from(instruction: Instruction) -> Self {
        let (opcode, operation) = code(&instruction);
        let mut fields = Fields {
            opcode,
            operation,
            destination: instruction.destination().unwrap_or(0),
            slot: instruction.slot().unwrap_or(0),
            ..Fields::default()
        };
        match instruction {
            Instruction::Store { source, .. }
            | Instruction::Transform { source, .. }
            | Instruction::Negate { source, .. }
            | Instruction::Scale { source, .. }
            | Instruction::Automorphism { source, .. } => fields.a = source,
            Instruction::Combine { a, b, .. } => (fields.a, fields.b) = (a, b),
            Instruction::MultiplyAccumulate { a, b, count, .. } => {
                (fields.a, fields.b, fields.count) = (a, b, count);
            }
            _ => {}
        }
        fields.immediate = match instruction {
            Instruction::Load { address, .. }
            | Instruction::Constants { address, .. }
            | Instruction::Store { address, .. } => address,
            Instruction::Scale { constant, .. } | Instruction::Fill { constant, .. } => constant,
            Instruction::Automorphism { shift, .. } => shift,
            _ => 0,
        };
        fields.into()
    }
}

impl From<Fields> for Descriptor {
    fn from(fields: Fields) -> Self {
        let Fields {
            opcode,
            operation,
            destination,
            a,
            b,
            slot,
            count,
            immediate,
        } = fields;
        let word = u64::from_le_bytes([opcode, operation, destination, a, b, slot, count, 0]);
        Self([word, immediate, 0, 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The table of the data sheet: opcode, operation, and the bytes of word 0 above them that are used, lowest first
    /// (destination, a, b, slot, count), then whether the immediate is.
    const TABLE: [(u8, u8, [bool; 5], bool); 15] = {
        const T: bool = true;
        const F: bool = false;
        [
            (0x01, 0, [T, F, F, T, F], T),
            (0x02, 0, [F, F, F, T, F], T),
            (0x03, 0, [F, T, F, T, F], T),
            (0x10, 0, [T, T, F, T, F], F),
            (0x10, 1, [T, T, F, T, F], F),
            (0x20, 0, [T, T, T, T, F], F),
            (0x20, 1, [T, T, T, T, F], F),
            (0x20, 2, [T, T, F, T, F], F),
            (0x20, 3, [T, T, T, T, F], F),
            (0x20, 4, [T, T, F, T, F], T),
            (0x20, 5, [T, F, F, T, F], T),
            (0x21, 0, [T, T, T, T, T], F),
            (0x22, 0, [T, T, F, T, F], T),
            (0x30, 0, [F; 5], F),
            (0x31, 0, [F; 5], F),
        ]
    };

    proptest! {
        /// A descriptor that the table allows comes back from its instruction; one with another bit set is refused.
        #[test]
        fn descriptors_round_trip_and_unused_bits_are_refused(
            row in prop::sample::select(&TABLE[..]),
            bytes: [u8; 5],
            immediate: u64,
            bit in 16..256_usize,
        ) {
            let (opcode, operation, used, takes) = row;
            let mut word = [opcode, operation, 0, 0, 0, 0, 0, 0];
            for ((to, byte), used) in word[2..].iter_mut().zip(bytes).zip(used) {
                *to = if used { byte } else { 0 };
            }
            let words = [u64::from_le_bytes(word), if takes { immediate } else { 0 }, 0, 0];
            let instruction = Descriptor(words).instruction().unwrap();
            prop_assert_eq!(Descriptor::from(instruction).0, words);
            let free = match bit / 8 {
                byte @ 2..=6 => !used[byte - 2],
                8..=15 => !takes,
                _ => true,
            };
            let mut changed = words;
            changed[bit / 64] ^= 1 << (bit % 64);
            let refused = Descriptor(changed).instruction() == Err(Fault::Instruction);
            prop_assert_eq!(refused, free);
        }
    }

    #[test]
    fn unknown_codes_are_refused() {
        for opcode in 0..=255u8 {
            for operation in 0..=255u8 {
                let known = TABLE.iter().any(|row| (row.0, row.1) == (opcode, operation));
                let word = u64::from_le_bytes([opcode, operation, 0, 0, 0, 0, 0, 0]);
                let instruction = Descriptor([word, 0, 0, 0]).instruction();
                assert_eq!(instruction.is_ok(), known, "{opcode:#x} {operation}");
            }
        }
    }

    #[test]
    fn fields_lie_where_the_data_sheet_says() {
        let mac = Instruction::MultiplyAccumulate {
            destination: 0x12,
            a: 0x34,
            b: 0x56,
            slot: 0x78,
            count: 0x9a,
        };
        assert_eq!(Descriptor::from(mac).0, [0x009a_7856_3412_0021, 0, 0, 0]);
        let load = Instruction::Load {
            destination: 1,
            slot: 2,
            address: 0x1234_5678_9abc_de40,
        };
        let words = [0x0000_0200_0001_0001, 0x1234_5678_9abc_de40, 0, 0];
        assert_eq!(Descriptor::from(load).0, words);
    }
}
