use std::iter::Sum;
use std::ops::{Add, Mul};

/// What something costs a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Cycles of computation.
    pub cycles: u64,
    /// Words that it reads from memory.
    pub reads: u64,
    /// Words that it writes to memory.
    pub writes: u64,
}

impl Cost {
    /// Words read and written.
    #[must_use]
    pub const fn accesses(&self) -> u64 {
        self.reads + self.writes
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cycles: self.cycles + other.cycles,
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
        }
    }
}

impl Mul<u64> for Cost {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self {
            cycles: self.cycles * times,
            reads: self.reads * times,
            writes: self.writes * times,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

/// A step of an operation, by the paper's name, and what all of it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The paper's name for it.
    pub name: &'static str,
    /// The cost.
    pub cost: Cost,
}

impl Step {
    pub(super) const fn new(name: &'static str, cost: Cost) -> Self {
        Self { name, cost }
    }
}
