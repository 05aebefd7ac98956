use std::collections::BTreeMap;
use std::ops::Range;

use crate::core::{ConversionShape, Instruction, Row, SlotNumber, TableNumber};

/// An instruction of a program, and the operands of its conversion if it is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) instruction: Instruction,
    pub(super) shape: Option<ConversionShape>,
}

/// What is loaded once for many instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loaded {
    Slot(SlotNumber),
    Table(TableNumber),
}

impl Task {
    /// The slot or the table that it loads.
    pub(super) const fn loads(&self) -> Option<Loaded> {
        match self.instruction {
            Instruction::Constants { slot, .. } => Some(Loaded::Slot(slot)),
            Instruction::Table { table, .. } => Some(Loaded::Table(table)),
            _ => None,
        }
    }

    /// The slot or the table that it needs or loads.
    pub(super) fn needs(&self) -> Option<Loaded> {
        match self.instruction {
            Instruction::Table { table, .. } | Instruction::Convert { table, .. } => {
                Some(Loaded::Table(table))
            }
            instruction => instruction.slot().map(Loaded::Slot),
        }
    }

    /// Whether it names a buffer that another one names.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let theirs = other.buffers();
        let meets = |x: &Range<usize>, y: &Range<usize>| x.start.max(y.start) < x.end.min(y.end);
        self.buffers().iter().any(|x| theirs.iter().any(|y| meets(x, y)))
    }

    fn buffers(&self) -> [Range<usize>; 3] {
        let (
            Instruction::Convert {
                log_rows,
                destination,
                sources,
                own,
                ..
            },
            Some(shape),
        ) = (self.instruction, self.shape)
        else {
            let [a, b] = self.instruction.sources();
            let written = self.instruction.destination().map(usize::from);
            return [a, b, written.map_or(0..0, |buffer| buffer..buffer + 1)];
        };
        let rows = |first: Row, count: usize| {
            let last = (usize::from(first.row) + count).saturating_sub(1) >> log_rows;
            usize::from(first.buffer)..usize::from(first.buffer) + last + 1
        };
        [
            rows(sources, shape.sources),
            if shape.own { rows(own, shape.targets) } else { 0..0 },
            rows(destination, shape.targets),
        ]
    }
}

/// The tables of a core and the blocks in its memory, as far as time depends on them.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// The first words of blocks, by address.
    heads: BTreeMap<u64, u64>,
    loaded: BTreeMap<TableNumber, ConversionShape>,
}

impl Tables {
    /// A block, of which this is the first word, is at an address of the memory.
    pub fn write(&mut self, address: u64, head: u64) {
        self.heads.insert(address, head);
    }

    /// The tasks of a program. Its tables are loaded then.
    pub(super) fn tasks(&mut self, program: &[Instruction]) -> Vec<Task> {
        let task = |&instruction: &Instruction| {
            let shape = match instruction {
                Instruction::Table { table, address } => {
                    let head = self.heads.get(&address).copied().unwrap_or_default();
                    self.loaded.insert(table, ConversionShape::of(head));
                    None
                }
                Instruction::Convert { table, .. } => self.loaded.get(&table).copied(),
                _ => None,
            };
            Task { instruction, shape }
        };
        program.iter().map(task).collect()
    }
}
