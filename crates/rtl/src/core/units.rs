use ringmill_arith::Modulus;
use ringmill_arith::secret::Secret;

use super::constants;
use super::engine::SlotEngine;
use super::memory::Memory;
use super::{
    Buffer, Combination, Configuration, ConstantsBlock, ConversionTable, EngineKind, Fault, Instruction,
    SlotNumber,
};
use crate::RtlError;
use crate::ntt_engine::{Direction, Unit};

/// The bytes that addresses are multiples of.
pub(super) const ALIGNMENT: u64 = 64;

/// Why the units of the model did not do an instruction.
pub(super) enum Stop {
    /// The core refuses it.
    Fault(Fault),
    /// The core would do it, the model cannot.
    Model(RtlError),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<RtlError> for Stop {
    fn from(error: RtlError) -> Self {
        Self::Model(error)
    }
}

/// The words of a buffer.
#[derive(Debug)]
pub(super) struct LimbBuffer {
    /// In the order of their indices, or bank by bank for each slot if they are rows.
    pub(super) words: Secret<Vec<u64>>,
    pub(super) content: Content,
}

/// What a buffer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    /// A limb, written under a slot since that slot's constants were loaded.
    Limb(SlotNumber),
    Rows,
}

/// The buffers, the slots and the units of the model: they check an instruction and do it.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) configuration: Configuration,
    pub(super) buffers: Vec<LimbBuffer>,
    slots: Vec<Option<SlotEngine>>,
    pub(super) tables: Vec<Option<ConversionTable>>,
    pub(super) bytes_read: u64,
    pub(super) bytes_written: u64,
}

impl Units {
    pub(super) fn new(configuration: Configuration) -> Self {
        let sizes = configuration.sizes();
        let buffer = || LimbBuffer {
            words: Secret::zeros(configuration.n()),
            content: Content::Nothing,
        };
        Self {
            configuration,
            buffers: (0..sizes.limbs).map(|_| buffer()).collect(),
            slots: vec![None; sizes.slots.into()],
            tables: vec![None; sizes.tables.into()],
            bytes_read: 0,
            bytes_written: 0,
        }
    }

    /// Empties buffers and slots. Their words stay, but no instruction can read them.
    pub(super) fn clear(&mut self) {
        self.buffers
            .iter_mut()
            .for_each(|buffer| buffer.content = Content::Nothing);
        self.slots.fill(None);
        self.tables.fill(None);
        (self.bytes_read, self.bytes_written) = (0, 0);
    }

    /// Does an instruction, if the core would; `window` is the first byte of its window and the window's bytes. Returns the
    /// slots of a conversion that have doubtful columns.
    pub(super) fn run(
        &mut self,
        instruction: &Instruction,
        window: (u64, u64),
        memory: &mut Memory,
    ) -> Result<Vec<usize>, Stop> {
        self.check(instruction, window)?;
        if instruction.is_of_conversions() {
            return self.convert(instruction, memory);
        }
        if let Some(words) = self.compute(instruction, memory)? {
            self.put(instruction, words);
        }
        Ok(Vec::new())
    }

    /// Looks for the faults that the core finds before it begins, in the order of their codes.
    fn check(&self, instruction: &Instruction, window: (u64, u64)) -> Result<(), Fault> {
        self.check_known(instruction)?;
        self.check_rows(instruction)?;
        self.check_buffers(instruction)?;
        self.check_slot(instruction)?;
        self.check_sources(instruction)?;
        self.check_conversion(instruction)?;
        check_destination(instruction)?;
        self.check_address(instruction, window)?;
        self.check_constant(instruction)
    }

    /// Automorphisms are those of a Fermat ring.
    fn check_known(&self, instruction: &Instruction) -> Result<(), Fault> {
        let moves =
            matches!(instruction, Instruction::Automorphism { .. }) || instruction.is_of_conversions();
        if moves && self.configuration.sizes().engine != EngineKind::XorBanks {
            return Err(Fault::Instruction);
        }
        Ok(())
    }

    fn check_buffers(&self, instruction: &Instruction) -> Result<(), Fault> {
        let limbs = self.buffers.len();
        let written = instruction.destination().is_none_or(|d| usize::from(d) < limbs);
        let read = instruction.sources().iter().all(|range| range.end <= limbs);
        let none = matches!(instruction, Instruction::MultiplyAccumulate { count: 0, .. });
        if written && read && !none {
            Ok(())
        } else {
            Err(Fault::Buffer)
        }
    }

    fn check_slot(&self, instruction: &Instruction) -> Result<(), Fault> {
        let Some(number) = instruction.slot() else {
            return Ok(());
        };
        match self.slots.get(usize::from(number)) {
            Some(Some(_)) => Ok(()),
            Some(None) if matches!(instruction, Instruction::Constants { .. }) => Ok(()),
            _ => Err(Fault::Slot),
        }
    }

    fn check_sources(&self, instruction: &Instruction) -> Result<(), Fault> {
        let needed = match instruction.slot() {
            Some(slot) => Content::Limb(slot),
            None => Content::Rows,
        };
        self.check_content(instruction.sources().into_iter().flatten(), needed)
    }

    /// Looks at the buffers that are read: they must have something, and what is needed.
    pub(super) fn check_content(
        &self,
        buffers: impl Iterator<Item = usize>,
        needed: Content,
    ) -> Result<(), Fault> {
        let contents = buffers.filter_map(|at| self.buffers.get(at));
        let contents: Vec<_> = contents.map(|buffer| buffer.content).collect();
        if contents.contains(&Content::Nothing) {
            return Err(Fault::Empty);
        }
        if contents.iter().any(|&content| content != needed) {
            return Err(Fault::OtherSlot);
        }
        Ok(())
    }

    fn check_address(&self, instruction: &Instruction, window: (u64, u64)) -> Result<(), Fault> {
        let Some(address) = instruction.address() else {
            return Ok(());
        };
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Fault::Misaligned);
        }
        let bytes = match instruction {
            Instruction::Constants { .. } => 8 * ConstantsBlock::len(&self.configuration) as u64,
            Instruction::Table { .. } => 8 * ConversionTable::WORDS as u64,
            _ => self.configuration.limb_bytes(),
        };
        // In 128 bits no sum wraps.
        let (first, size) = (u128::from(window.0), u128::from(window.1));
        let (start, end) = (u128::from(address), u128::from(address) + u128::from(bytes));
        if start < first || end > first + size {
            return Err(Fault::Outside);
        }
        Ok(())
    }

    fn check_constant(&self, instruction: &Instruction) -> Result<(), Fault> {
        match *instruction {
            Instruction::Scale { slot, constant, .. } | Instruction::Fill { slot, constant, .. } => {
                match self.engine(slot) {
                    Some(engine) if constant < engine.unit().modulus().value() => Ok(()),
                    _ => Err(Fault::Constant),
                }
            }
            Instruction::Automorphism { shift, .. } if shift >= self.configuration.n() as u64 => {
                Err(Fault::Shift)
            }
            _ => Ok(()),
        }
    }

    fn engine(&self, slot: SlotNumber) -> Option<&SlotEngine> {
        self.slots.get(usize::from(slot))?.as_ref()
    }

    /// The engine of a checked instruction.
    fn loaded(&self, slot: SlotNumber) -> Result<&SlotEngine, Fault> {
        self.engine(slot).ok_or(Fault::Slot)
    }

    /// The words of a checked instruction's source.
    fn words(&self, buffer: Buffer) -> &[u64] {
        self.buffers.get(usize::from(buffer)).map_or(&[], |b| &b.words)
    }

    /// Writes the result of a checked instruction.
    fn put(&mut self, instruction: &Instruction, words: Secret<Vec<u64>>) {
        let destination = instruction.destination().map(usize::from);
        let buffer = destination.and_then(|at| self.buffers.get_mut(at));
        if let (Some(buffer), Some(slot)) = (buffer, instruction.slot()) {
            let content = Content::Limb(slot);
            *buffer = LimbBuffer { words, content };
        }
    }

    /// The words that a checked instruction writes to its destination, if it has one.
    fn compute(
        &mut self,
        instruction: &Instruction,
        memory: &mut Memory,
    ) -> Result<Option<Secret<Vec<u64>>>, Stop> {
        let words = match *instruction {
            Instruction::Wait | Instruction::Interrupt => return Ok(None),
            Instruction::Constants { slot, address } => {
                self.load_constants(slot, address, memory)?;
                return Ok(None);
            }
            Instruction::Store { source, address, .. } => {
                self.store(source, address, memory)?;
                return Ok(None);
            }
            Instruction::Load { slot, address, .. } => self.load(slot, address, memory)?,
            Instruction::Transform {
                direction,
                source,
                slot,
                ..
            } => self.transform(direction, source, slot)?,
            Instruction::Automorphism { source, shift, .. } => self.moved(self.words(source), shift),
            _ => self.vector(instruction)?,
        };
        Ok(Some(words))
    }

    fn load_constants(&mut self, slot: SlotNumber, address: u64, memory: &Memory) -> Result<(), Stop> {
        for buffer in &mut self.buffers {
            if buffer.content == Content::Limb(slot) {
                buffer.content = Content::Nothing;
            }
        }
        let count = ConstantsBlock::len(&self.configuration);
        let words = memory.words(address, count).map_err(|_| Fault::Read)?;
        self.bytes_read += 8 * count as u64;
        let engine = constants::engine(&self.configuration, words)?.ok_or(Fault::Block)?;
        if let Some(slot) = self.slots.get_mut(usize::from(slot)) {
            *slot = Some(engine);
        }
        Ok(())
    }

    fn store(&mut self, source: Buffer, address: u64, memory: &mut Memory) -> Result<(), Fault> {
        let words = self.words(source);
        let target = memory.words_mut(address, words.len()).map_err(|_| Fault::Write)?;
        target.copy_from_slice(words);
        self.bytes_written += self.configuration.limb_bytes();
        Ok(())
    }

    fn load(&mut self, slot: SlotNumber, address: u64, memory: &Memory) -> Result<Secret<Vec<u64>>, Fault> {
        let q = self.loaded(slot)?.unit().modulus().value();
        let words = memory.words(address, self.configuration.n());
        let words = words.map_err(|_| Fault::Read)?;
        self.bytes_read += self.configuration.limb_bytes();
        if words.iter().any(|&word| word >= q) {
            return Err(Fault::Word);
        }
        Ok(Secret::copy_of(words))
    }

    fn transform(
        &self,
        direction: Direction,
        source: Buffer,
        slot: SlotNumber,
    ) -> Result<Secret<Vec<u64>>, Stop> {
        let mut words = Secret::copy_of(self.words(source));
        self.loaded(slot)?.transform(direction, &mut words)?;
        Ok(words)
    }

    /// Word i at place i + shift, each dimension's field modulo its order.
    fn moved(&self, source: &[u64], shift: u64) -> Secret<Vec<u64>> {
        let dimensions = self.configuration.engine().dimensions();
        let place = |index: usize| {
            dimensions.iter().fold(0, |place, dimension| {
                let field = (index >> dimension.low) + (shift as usize >> dimension.low);
                place | (field % dimension.order()) << dimension.low
            })
        };
        let mut words = Secret::zeros(source.len());
        for (index, &word) in source.iter().enumerate() {
            if let Some(target) = words.get_mut(place(index)) {
                *target = word;
            }
        }
        words
    }

    fn vector(&self, instruction: &Instruction) -> Result<Secret<Vec<u64>>, Fault> {
        let unit = match instruction.slot() {
            Some(slot) => self.loaded(slot)?.unit(),
            None => return Err(Fault::Slot),
        };
        let q = unit.modulus();
        let words = match *instruction {
            Instruction::Combine {
                combination, a, b, ..
            } => {
                let pairs = self.words(a).iter().zip(self.words(b));
                Secret::collect(pairs.map(|(&a, &b)| combine(combination, unit, a, b)))
            }
            Instruction::Negate { source, .. } => {
                Secret::collect(self.words(source).iter().map(|&a| q.neg(a)))
            }
            Instruction::Scale { source, constant, .. } => {
                Secret::collect(self.words(source).iter().map(|&a| unit.mul(a, constant)))
            }
            Instruction::Fill { constant, .. } => {
                Secret::collect((0..self.configuration.n()).map(|_| constant))
            }
            Instruction::MultiplyAccumulate { a, b, count, .. } => self.products(q, unit, a, b, count),
            _ => return Err(Fault::Instruction),
        };
        Ok(words)
    }

    fn products(&self, q: &Modulus, unit: &Unit, a: Buffer, b: Buffer, count: u8) -> Secret<Vec<u64>> {
        let mut sums = Secret::zeros(self.configuration.n());
        for i in 0..count {
            let pairs = self.words(a + i).iter().zip(self.words(b + i));
            for (sum, (&a, &b)) in sums.iter_mut().zip(pairs) {
                *sum = q.add(*sum, unit.mul(a, b));
            }
        }
        sums
    }
}

fn check_destination(instruction: &Instruction) -> Result<(), Fault> {
    let apart = matches!(
        instruction,
        Instruction::MultiplyAccumulate { .. } | Instruction::Automorphism { .. }
    );
    let destination = instruction.destination().map(usize::from);
    let mut sources = instruction.sources().into_iter().flatten();
    if apart && sources.any(|source| Some(source) == destination) {
        return Err(Fault::InUse);
    }
    Ok(())
}

const fn combine(combination: Combination, unit: &Unit, a: u64, b: u64) -> u64 {
    match combination {
        Combination::Add => unit.modulus().add(a, b),
        Combination::Subtract => unit.modulus().sub(a, b),
        Combination::Multiply => unit.mul(a, b),
    }
}
