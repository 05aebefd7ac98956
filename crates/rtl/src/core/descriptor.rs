use super::{Combination, Fault, Instruction, Row};
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
const TABLE: u8 = 0x04;
const TRANSFORM: u8 = 0x10;
const VECTOR: u8 = 0x20;
const MULTIPLY_ACCUMULATE: u8 = 0x21;
const AUTOMORPHISM: u8 = 0x22;
const WAIT: u8 = 0x30;
const INTERRUPT: u8 = 0x31;
const CONVERT: u8 = 0x40;

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
            LOAD if self.count != 0 => Instruction::LoadRow {
                destination: Row {
                    buffer: destination,
                    row: self.b,
                },
                strip: self.operation,
                log_rows: self.count,
                address: immediate,
            },
            LOAD => Instruction::Load {
                destination,
                slot,
                address: immediate,
            },
            CONSTANTS => Instruction::Constants {
                slot,
                address: immediate,
            },
            STORE if self.count != 0 => Instruction::StoreRow {
                source: Row {
                    buffer: source,
                    row: self.b,
                },
                strip: self.operation,
                log_rows: self.count,
                address: immediate,
            },
            TABLE => Instruction::Table {
                table: slot,
                address: immediate,
            },
            CONVERT => {
                let [sources, own, written, ..] = immediate.to_le_bytes();
                let row = |buffer, row| Row { buffer, row };
                Instruction::Convert {
                    table: slot,
                    log_rows: self.count,
                    destination: row(destination, written),
                    sources: row(source, sources),
                    own: row(self.b, own),
                }
            }
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
        Instruction::LoadRow { strip, .. } => (LOAD, strip),
        Instruction::StoreRow { strip, .. } => (STORE, strip),
        Instruction::Table { .. } => (TABLE, 0),
        Instruction::Convert { .. } => (CONVERT, 0),
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
            Instruction::LoadRow {
                destination: Row { row, .. },
                log_rows,
                ..
            } => (fields.b, fields.count) = (row, log_rows),
            Instruction::StoreRow { source, log_rows, .. } => {
                (fields.a, fields.b, fields.count) = (source.buffer, source.row, log_rows);
            }
            Instruction::Table { table, .. } => fields.slot = table,
            Instruction::Convert {
                table,
                log_rows,
                destination,
                sources,
                own,
            } => {
                (fields.slot, fields.count) = (table, log_rows);
                (fields.destination, fields.a, fields.b) = (destination.buffer, sources.buffer, own.buffer);
            }
            _ => {}
        }
        fields.immediate = match instruction {
            Instruction::Convert {
                destination,
                sources,
                own,
                ..
            } => u64::from_le_bytes([sources.row, own.row, destination.row, 0, 0, 0, 0, 0]),
            Instruction::Scale { constant, .. } | Instruction::Fill { constant, .. } => constant,
            Instruction::Automorphism { shift, .. } => shift,
            _ => instruction.address().unwrap_or(0),
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

    type Form = (u8, u8, [bool; 6], u64);

    /// The table of the data sheet: opcode, operation, the bytes of word 0 from the operation on that are used, lowest
    /// first (operation, destination, a, b, slot, count), and the bits of the immediate that are.
    const TABLE: [Form; 19] = {
        const T: bool = true;
        const F: bool = false;
        const ALL: u64 = u64::MAX;
        [
            (0x01, 0, [F, T, F, F, T, F], ALL),
            (0x01, 0, [T, T, F, T, F, T], ALL),
            (0x02, 0, [F, F, F, F, T, F], ALL),
            (0x03, 0, [F, F, T, F, T, F], ALL),
            (0x03, 0, [T, F, T, T, F, T], ALL),
            (0x04, 0, [F, F, F, F, T, F], ALL),
            (0x10, 0, [F, T, T, F, T, F], 0),
            (0x10, 1, [F, T, T, F, T, F], 0),
            (0x20, 0, [F, T, T, T, T, F], 0),
            (0x20, 1, [F, T, T, T, T, F], 0),
            (0x20, 2, [F, T, T, F, T, F], 0),
            (0x20, 3, [F, T, T, T, T, F], 0),
            (0x20, 4, [F, T, T, F, T, F], ALL),
            (0x20, 5, [F, T, F, F, T, F], ALL),
            (0x21, 0, [F, T, T, T, T, T], 0),
            (0x22, 0, [F, T, T, F, T, F], ALL),
            (0x30, 0, [F; 6], 0),
            (0x31, 0, [F; 6], 0),
            (0x40, 0, [F, T, T, T, T, T], 0xff_ffff),
        ]
    };

    /// Whether the count tells one instruction from another: loads and stores of limbs and of rows.
    const fn is_counted(opcode: u8) -> bool {
        matches!(opcode, 0x01 | 0x03)
    }

    proptest! {
        /// A descriptor that the table allows comes back from its instruction; one with another bit set is refused.
        #[test]
        fn descriptors_round_trip_and_unused_bits_are_refused(
            row in prop::sample::select(&TABLE[..]),
            bytes: [u8; 6],
            immediate: u64,
            bit in 8..256_usize,
        ) {
            let (opcode, operation, used, mask) = row;
            let mut word = [opcode, operation, 0, 0, 0, 0, 0, 0];
            for ((to, byte), used) in word[1..].iter_mut().zip(bytes).zip(used) {
                if used {
                    *to = byte;
                }
            }
            // A count of 0 is that of a limb.
            word[6] |= u8::from(is_counted(opcode) && used[5]);
            let words = [u64::from_le_bytes(word), immediate & mask, 0, 0];
            let instruction = Descriptor(words).instruction().unwrap();
            prop_assert_eq!(Descriptor::from(instruction).0, words);
            let free = match bit / 8 {
                // Another operation may be known.
                1 if !used[0] => return Ok(()),
                6 if is_counted(opcode) => return Ok(()),
                byte @ 1..=6 => !used[byte - 1],
                8..=15 => mask >> (bit - 64) & 1 == 0,
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
        let row = |buffer, row| Row { buffer, row };
        let load = Instruction::LoadRow {
            destination: row(1, 2),
            strip: 3,
            log_rows: 4,
            address: 0x40,
        };
        assert_eq!(Descriptor::from(load).0, [0x0004_0002_0001_0301, 0x40, 0, 0]);
        let convert = Instruction::Convert {
            table: 1,
            log_rows: 5,
            destination: row(2, 3),
            sources: row(4, 6),
            own: row(7, 8),
        };
        assert_eq!(
            Descriptor::from(convert).0,
            [0x0005_0107_0402_0040, 0x03_0806, 0, 0]
        );
    }
}
