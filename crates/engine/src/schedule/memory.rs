//! Memory that a plan needs.

use std::collections::HashMap;

use crate::ir::program::{Operation, OutputSource, ValueId, encrypted};
use crate::schedule::order::{Wave, is_input};
use crate::schedule::steps::Step;

/// Predicted memory of an execution, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The most at a time, all below included but what is in the file.
    pub peak: u64,
    /// Ciphertexts, factors and rotations, at the peak.
    pub values: u64,
    /// Operations in progress, at the peak.
    pub workspace: u64,
    /// Keys, constants and the device's tables.
    pub fixed: u64,
    /// The most ciphertexts alive at a time, factors and rotations not counted.
    pub ciphertexts: usize,
    /// Bytes that are put aside into a file, in all.
    pub written: u64,
    /// Bytes that are read from that file, in all.
    pub read: u64,
}

/// When the inputs of a batch are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// From the beginning.
    AtOnce,
    /// From their first use on: until then they are in a file.
    WhenUsed,
}

/// How an execution goes, as far as its memory is concerned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions {
    /// Steps in progress at a time.
    pub threads: usize,
    /// When inputs are in memory.
    pub loading: Loading,
}

/// The sizes of things in memory, in bytes.
pub(crate) trait Sizes {
    /// Keys, constants and tables.
    fn fixed(&self) -> u64;
    /// A ciphertext of a level.
    fn ciphertext_bytes(&self, level: usize) -> u64;
    /// The same in a file.
    fn stored_bytes(&self, level: usize) -> u64;
    /// A ciphertext of a level made a factor.
    fn factor_bytes(&self, level: usize) -> u64;
    /// A ciphertext of a level made ready for linear maps, with its digits if some automorphism moves it.
    fn rotation_bytes(&self, level: usize, moved: bool) -> u64;
    /// What an operation at a level needs at most while it runs, its operands and its lasting result
    /// apart.
    fn workspace(&self, operation: &Operation, level: usize) -> u64;
}

/// Walks through the waves, and brings the outputs in the end.
pub(crate) fn predict(
    steps: &[Step],
    outputs: &[Vec<OutputSource>],
    waves: &[Wave],
    sizes: &impl Sizes,
    conditions: Conditions,
) -> MemoryUse {
    let mut walk = Walk::new(steps, sizes, conditions);
    walk.note(0);
    for wave in waves {
        walk.begin(wave);
        walk.note(walk.workspace(wave));
        walk.end(wave);
    }
    encrypted(outputs).for_each(|output| walk.bring(output));
    walk.note(0);
    walk.most
}

/// Bytes in memory while each wave is in progress.
pub(crate) fn by_wave(
    steps: &[Step],
    waves: &[Wave],
    sizes: &impl Sizes,
    conditions: Conditions,
) -> Vec<u64> {
    let mut walk = Walk::new(steps, sizes, conditions);
    let bytes = waves.iter().map(|wave| {
        walk.begin(wave);
        let bytes = walk.total(walk.workspace(wave));
        walk.end(wave);
        bytes
    });
    bytes.collect()
}

/// What is in memory while the waves go by.
pub(crate) struct Walk<'a, S> {
    steps: &'a [Step],
    sizes: &'a S,
    conditions: Conditions,
    /// Which values are in memory.
    here: Vec<bool>,
    /// Which values are in the file.
    stored: Vec<bool>,
    count: usize,
    /// Bytes of ciphertexts, factors and rotations. What is freed serves the next ones, so the device never has more than
    /// at the peak.
    live: u64,
    /// What each value that is ready for linear maps takes.
    rotated: HashMap<ValueId, u64>,
    most: MemoryUse,
}

impl<'a, S: Sizes> Walk<'a, S> {
    pub fn new(steps: &'a [Step], sizes: &'a S, conditions: Conditions) -> Self {
        let mut walk = Self {
            steps,
            sizes,
            conditions,
            here: vec![false; steps.len()],
            stored: vec![false; steps.len()],
            count: 0,
            live: 0,
            rotated: HashMap::new(),
            most: MemoryUse {
                fixed: sizes.fixed(),
                ..MemoryUse::default()
            },
        };
        if conditions.loading == Loading::AtOnce {
            let inputs = (0..steps.len()).filter(|value| is_input(&steps[*value]));
            inputs.for_each(|value| walk.come(value));
        }
        walk
    }

    fn size(&self, value: usize) -> u64 {
        self.sizes.ciphertext_bytes(self.steps[value].level)
    }

    /// Whether a value is in memory.
    pub fn is_here(&self, value: ValueId) -> bool {
        self.here[value.0]
    }

    fn come(&mut self, value: usize) {
        if !std::mem::replace(&mut self.here[value], true) {
            self.live += self.size(value);
            self.count += 1;
        }
    }

    fn go(&mut self, value: usize) {
        if std::mem::replace(&mut self.here[value], false) {
            self.live -= self.size(value);
            self.count -= 1;
        }
    }

    /// Whether a value is in the file of the inputs.
    fn is_loaded(&self, value: ValueId) -> bool {
        self.conditions.loading == Loading::WhenUsed && is_input(&self.steps[value.0])
    }

    /// Puts a value aside: what is in a file already is only dropped.
    pub fn put_aside(&mut self, value: ValueId) {
        if !self.is_loaded(value) && !std::mem::replace(&mut self.stored[value.0], true) {
            self.most.written += self.sizes.stored_bytes(self.steps[value.0].level);
        }
        if std::mem::replace(&mut self.here[value.0], false) {
            self.live -= self.size(value.0);
            self.count -= 1;
        }
    }

    /// Brings a value that is not here.
    pub fn bring(&mut self, value: ValueId) {
        if self.stored[value.0] && !self.here[value.0] {
            self.most.read += self.sizes.stored_bytes(self.steps[value.0].level);
        }
        self.come(value.0);
    }

    /// What comes into memory with a wave, its steps' workspace apart.
    pub fn begin(&mut self, wave: &Wave) {
        wave.aside.iter().for_each(|value| self.put_aside(*value));
        wave.brought.iter().for_each(|value| self.bring(*value));
        for (value, _) in &wave.factors {
            self.live += self.sizes.factor_bytes(self.steps[value.0].level);
        }
        for (value, exponents) in &wave.rotations {
            let moved = exponents.iter().any(|exponent| *exponent != 1);
            let size = self.sizes.rotation_bytes(self.steps[value.0].level, moved);
            self.live += size;
            self.rotated.insert(*value, size);
        }
        wave.steps.iter().for_each(|value| self.come(value.0));
    }

    /// The workspace of the steps of a wave that take most, one for each thread; linear maps are made all at once.
    pub fn workspace(&self, wave: &Wave) -> u64 {
        let space = |value: &ValueId| {
            let step = &self.steps[value.0];
            self.sizes.workspace(&step.operation, step.at)
        };
        let is_map = |value: &&ValueId| matches!(self.steps[value.0].operation, Operation::Map { .. });
        let maps: u64 = wave.steps.iter().filter(is_map).map(space).sum();
        let mut spaces: Vec<u64> = wave.steps.iter().map(space).collect();
        spaces.sort_unstable_by(|a, b| b.cmp(a));
        maps.max(spaces.iter().take(self.conditions.threads).sum())
    }

    /// Bytes in memory with so much workspace.
    pub fn total(&self, workspace: u64) -> u64 {
        self.most.fixed + self.live + workspace
    }

    fn note(&mut self, workspace: u64) {
        let peak = self.total(workspace);
        if peak > self.most.peak {
            self.most = MemoryUse {
                peak,
                values: self.live,
                workspace,
                ..self.most
            };
        }
        self.most.ciphertexts = self.most.ciphertexts.max(self.count);
    }

    /// Frees the memory that is no longer needed after a wave.
    pub fn end(&mut self, wave: &Wave) {
        for (value, _) in &wave.spent_factors {
            self.live -= self.sizes.factor_bytes(self.steps[value.0].level);
        }
        for value in &wave.spent_rotations {
            self.live -= self.rotated.remove(value).unwrap_or(0);
        }
        wave.spent.iter().for_each(|value| self.go(value.0));
    }
}
