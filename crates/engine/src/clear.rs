//! The part of a circuit that depends on public inputs only, computed in the clear for all records of
//! a batch at once.

use std::collections::HashMap;

/// The index of a value in the clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClearId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ClearGate {
    Input { port: usize, bit: usize },
    Constant(bool),
    Xor(ClearId, ClearId),
    And(ClearId, ClearId),
}

/// Gates over public bits, in topological order, simplified and shared.
#[derive(Debug, Clone, Default)]
pub struct ClearProgram {
    gates: Vec<ClearGate>,
    known: HashMap<ClearGate, ClearId>,
}

impl ClearProgram {
    pub(crate) fn input(&mut self, port: usize, bit: usize) -> ClearId {
        self.share(ClearGate::Input { port, bit })
    }

    pub(crate) fn constant(&mut self, value: bool) -> ClearId {
        self.share(ClearGate::Constant(value))
    }

    pub(crate) fn xor(&mut self, a: ClearId, b: ClearId) -> ClearId {
        if a == b {
            return self.constant(false);
        }
        match (self.value(a), self.value(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), Some(true)) => self.constant(false),
            _ => self.share(ClearGate::Xor(a.min(b), a.max(b))),
        }
    }

    pub(crate) fn and(&mut self, a: ClearId, b: ClearId) -> ClearId {
        if a == b {
            return a;
        }
        match (self.value(a), self.value(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            _ => self.share(ClearGate::And(a.min(b), a.max(b))),
        }
    }

    pub(crate) fn not(&mut self, a: ClearId) -> ClearId {
        let one = self.constant(true);
        self.xor(a, one)
    }

    /// The value of a constant.
    #[must_use]
    pub fn value(&self, id: ClearId) -> Option<bool> {
        match self.gates[id.0] {
            ClearGate::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }

    /// All values for a batch, as `words` words of 64 records each. `input(port, bit)` are the records'
    /// input bits, missing words being 0.
    pub(crate) fn evaluate<'a>(
        &self,
        words: usize,
        input: impl Fn(usize, usize) -> &'a [u64],
    ) -> ClearValues {
        let mut values: Vec<Vec<u64>> = Vec::with_capacity(self.gates.len());
        let combine = |values: &[Vec<u64>], a: ClearId, b: ClearId, f: fn(u64, u64) -> u64| {
            let pairs = values[a.0].iter().zip(&values[b.0]);
            pairs.map(|(a, b)| f(*a, *b)).collect::<Vec<_>>()
        };
        for gate in &self.gates {
            let value = match *gate {
                ClearGate::Input { port, bit } => {
                    let given = input(port, bit);
                    (0..words)
                        .map(|word| given.get(word).copied().unwrap_or(0))
                        .collect()
                }
                ClearGate::Constant(value) => vec![if value { u64::MAX } else { 0 }; words],
                ClearGate::Xor(a, b) => combine(&values, a, b, |a, b| a ^ b),
                ClearGate::And(a, b) => combine(&values, a, b, |a, b| a & b),
            };
            values.push(value);
        }
        ClearValues(values)
    }

    fn share(&mut self, gate: ClearGate) -> ClearId {
        let next = ClearId(self.gates.len());
        let id = *self.known.entry(gate).or_insert(next);
        if id == next {
            self.gates.push(gate);
        }
        id
    }
}

/// The values of a [`ClearProgram`] for one batch.
#[derive(Debug)]
pub(crate) struct ClearValues(Vec<Vec<u64>>);

impl ClearValues {
    /// The words of a value.
    pub(crate) fn lanes(&self, id: ClearId) -> &[u64] {
        &self.0[id.0]
    }

    /// The first `records` bits of a value.
    pub(crate) fn bits(&self, id: ClearId, records: usize) -> Vec<bool> {
        let lanes = self.lanes(id);
        (0..records)
            .map(|record| lanes[record / 64] >> (record % 64) & 1 == 1)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplifies_and_evaluates() {
        let mut program = ClearProgram::default();
        let (a, b) = (program.input(0, 0), program.input(0, 1));
        assert_eq!(program.input(0, 0), a);
        let (zero, one) = (program.constant(false), program.constant(true));
        assert_eq!(
            (program.and(a, zero), program.and(one, a), program.xor(a, zero)),
            (zero, a, a)
        );
        assert_eq!((program.xor(b, b), program.not(one)), (zero, zero));
        let both = program.and(a, b);
        let nand = program.not(both);
        let values = program.evaluate(2, |_, bit| if bit == 0 { &[12, 1] } else { &[10] });
        assert_eq!(
            (values.lanes(both), values.lanes(nand)),
            ([8, 0].as_slice(), [!8, !0].as_slice())
        );
        assert_eq!(values.bits(both, 5), [false, false, false, true, false]);
    }
}
