//! Memory that a plan needs.

use std::collections::HashMap;

use crate::order::Wave;
use crate::program::{Operation, ValueId};
use crate::steps::Step;

/// Predicted memory of an execution, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The most at a time, all below included.
    pub peak: u64,
    /// Ciphertexts, factors and rotations, at the peak.
    pub values: u64,
    /// Operations in progress, at the peak.
    pub workspace: u64,
    /// Keys, constants and the device's tables.
    pub fixed: u64,
    /// The most ciphertexts alive at a time, factors and rotations not counted.
    pub ciphertexts: usize,
}

/// What things take in memory, in bytes.
pub(crate) trait Sizes {
    /// Keys, constants and tables.
    fn fixed(&self) -> u64;
    /// A ciphertext of a level.
    fn ciphertext_bytes(&self, level: usize) -> u64;
    /// A ciphertext of a level made a factor.
    fn factor_bytes(&self, level: usize) -> u64;
    /// One rotation of a ciphertext of a level.
    fn rotation_bytes(&self, level: usize) -> u64;
    /// What an operation at a level needs at most while it runs, its operands and its lasting result
    /// apart.
    fn workspace(&self, operation: &Operation, level: usize) -> u64;
}

/// Walks through the waves with `threads` steps in progress at a time. All inputs are there from the
/// beginning.
pub(crate) fn predict(steps: &[Step], waves: &[Wave], sizes: &impl Sizes, threads: usize) -> MemoryUse {
    let fixed = sizes.fixed();
    let size = |index: usize| sizes.ciphertext_bytes(steps[index].level);
    let inputs = || {
        steps
            .iter()
            .enumerate()
            .filter(|(_, step)| matches!(step.operation, Operation::Input { .. }))
    };
    let mut live: u64 = inputs().map(|(index, _)| size(index)).sum();
    let mut count = inputs().count();
    let mut most = MemoryUse {
        peak: fixed + live,
        values: live,
        workspace: 0,
        fixed,
        ciphertexts: count,
    };
    let factor = |value: &ValueId| sizes.factor_bytes(steps[value.0].level);
    // Rotations are freed by value: what each took.
    let mut rotated: HashMap<ValueId, u64> = HashMap::new();
    let mut ready = 0;
    for wave in waves {
        ready += wave.factors.iter().map(factor).sum::<u64>();
        for (value, exponents) in &wave.rotations {
            let bytes = exponents.len() as u64 * sizes.rotation_bytes(steps[value.0].level);
            rotated.insert(*value, bytes);
            ready += bytes;
        }
        live += wave.steps.iter().map(|value| size(value.0)).sum::<u64>();
        count += wave.steps.len();
        let spaces = wave
            .steps
            .iter()
            .map(|value| sizes.workspace(&steps[value.0].operation, steps[value.0].at));
        let mut spaces: Vec<u64> = spaces.collect();
        spaces.sort_unstable_by(|a, b| b.cmp(a));
        let workspace = spaces.iter().take(threads).sum();
        let peak = fixed + live + ready + workspace;
        if peak > most.peak {
            most = MemoryUse {
                peak,
                values: live + ready,
                workspace,
                ..most
            };
        }
        most.ciphertexts = most.ciphertexts.max(count);
        ready -= wave.spent_factors.iter().map(factor).sum::<u64>();
        let spent = wave.spent_rotations.iter();
        ready -= spent.filter_map(|value| rotated.remove(value)).sum::<u64>();
        live -= wave.spent.iter().map(|value| size(value.0)).sum::<u64>();
        count -= wave.spent.len();
    }
    most
}
