//! The part of a circuit that depends on public inputs only, computed in the clear for all records of
//! a batch at once.

use std::collections::HashMap;
use std::sync::Arc;

use ringmill_arith::secret;
use ringmill_circuit::{MapId, RowMap, WireType, field};

/// The index of a value in the clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClearId(usize);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum ClearGate {
    Input {
        port: usize,
        wire: usize,
    },
    Bit(bool),
    Row(Vec<u8>),
    Xor(ClearId, ClearId),
    And(ClearId, ClearId),
    Linear(Vec<(ClearId, MapId)>),
    /// A bit of another record: the place of the permutation among those of the program.
    Move(ClearId, usize),
}

/// Gates over public bits and rows, in topological order, simplified and shared.
#[derive(Debug, Clone, Default)]
pub struct ClearProgram {
    gates: Vec<ClearGate>,
    kinds: Vec<WireType>,
    maps: Vec<RowMap>,
    /// For each record the one from which its bit comes.
    moves: Vec<Arc<[u32]>>,
    known: HashMap<ClearGate, ClearId>,
}

impl ClearProgram {
    /// No gates; linear maps will be named by their place among these.
    pub(crate) fn new(maps: &[RowMap]) -> Self {
        Self {
            maps: maps.to_vec(),
            ..Self::default()
        }
    }

    /// Has bits of other records come from these places.
    pub(crate) fn set_moves(&mut self, moves: Vec<Arc<[u32]>>) {
        self.moves = moves;
    }

    pub(crate) fn input(&mut self, port: usize, wire: usize, kind: WireType) -> ClearId {
        self.share(ClearGate::Input { port, wire }, kind)
    }

    pub(crate) fn bit(&mut self, value: bool) -> ClearId {
        self.share(ClearGate::Bit(value), WireType::Bit)
    }

    pub(crate) fn row(&mut self, bytes: Vec<u8>) -> ClearId {
        let kind = WireType::Row(bytes.len());
        self.share(ClearGate::Row(bytes), kind)
    }

    /// 0 in all places.
    pub(crate) fn zero(&mut self, kind: WireType) -> ClearId {
        match kind {
            WireType::Bit => self.bit(false),
            WireType::Row(bytes) => self.row(vec![0; bytes]),
        }
    }

    /// The sum of two values of one kind; a zero bit may stand for any zero.
    pub(crate) fn xor(&mut self, a: ClearId, b: ClearId) -> ClearId {
        if a == b {
            return self.zero(self.kinds[a.0]);
        }
        match (self.constant(a), self.constant(b)) {
            (Some(false), _) => b,
            (_, Some(false)) => a,
            (Some(true), Some(true)) => self.zero(self.kinds[a.0]),
            _ => self.share(ClearGate::Xor(a.min(b), a.max(b)), self.kinds[a.0]),
        }
    }

    /// The product of two values of one kind.
    pub(crate) fn and(&mut self, a: ClearId, b: ClearId) -> ClearId {
        if a == b && self.kinds[a.0].is_bit() {
            return a;
        }
        match (self.constant(a), self.constant(b)) {
            (Some(true), _) | (_, Some(false)) => b,
            (_, Some(true)) | (Some(false), _) => a,
            _ => self.share(ClearGate::And(a.min(b), a.max(b)), self.kinds[a.0]),
        }
    }

    pub(crate) fn not(&mut self, a: ClearId) -> ClearId {
        let one = self.bit(true);
        self.xor(a, one)
    }

    /// A sum of linear maps.
    pub(crate) fn linear(&mut self, mut terms: Vec<(ClearId, MapId)>, kind: WireType) -> ClearId {
        terms.retain(|(operand, _)| self.constant(*operand) != Some(false));
        if terms.is_empty() {
            return self.zero(kind);
        }
        self.share(ClearGate::Linear(terms), kind)
    }

    /// A bit of other records.
    pub(crate) fn moved(&mut self, a: ClearId, step: usize) -> ClearId {
        match self.constant(a) {
            Some(_) => a,
            None => self.share(ClearGate::Move(a, step), WireType::Bit),
        }
    }

    /// The value of a constant that is 0 in all places or 1 in all places.
    #[must_use]
    pub fn constant(&self, id: ClearId) -> Option<bool> {
        match &self.gates[id.0] {
            ClearGate::Bit(value) => Some(*value),
            ClearGate::Row(bytes) if bytes.iter().all(|byte| *byte == 0) => Some(false),
            ClearGate::Row(bytes) if bytes.iter().all(|byte| *byte == 1) => Some(true),
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

    /// All values for a batch of so many records. `input(port, wire)` gives what is known of an input,
    /// bits or rows by its kind; what is missing counts as 0.
    pub(crate) fn evaluate<'a>(
        &self,
        records: usize,
        input: impl Fn(usize, usize) -> ClearInput<'a>,
    ) -> ClearValues {
        let mut values: Vec<ClearValue> = Vec::with_capacity(self.gates.len());
        for (gate, kind) in self.gates.iter().zip(&self.kinds) {
            let value = match gate {
                ClearGate::Input { port, wire } => input(*port, *wire).padded(records, *kind),
                ClearGate::Bit(value) => {
                    ClearValue::Bits(vec![if *value { u64::MAX } else { 0 }; records.div_ceil(64)])
                }
                ClearGate::Row(bytes) => ClearValue::Rows(bytes.repeat(records)),
                ClearGate::Xor(a, b) => values[a.0].combine(&values[b.0], |a, b| a ^ b, |a, b| a ^ b),
                ClearGate::And(a, b) => values[a.0].combine(&values[b.0], |a, b| a & b, field::multiply),
                ClearGate::Linear(terms) => {
                    let terms = terms
                        .iter()
                        .map(|(operand, map)| (&values[operand.0], &self.maps[map.index()]));
                    linear(&terms.collect::<Vec<_>>(), records, *kind)
                }
                ClearGate::Move(a, step) => values[a.0].moved(&self.moves[*step]),
            };
            values.push(value);
        }
        ClearValues(values)
    }

    fn share(&mut self, gate: ClearGate, kind: WireType) -> ClearId {
        let next = ClearId(self.gates.len());
        let id = *self.known.entry(gate.clone()).or_insert(next);
        if id == next {
            self.gates.push(gate);
            self.kinds.push(kind);
        }
        id
    }
}

/// A public input of one batch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClearInput<'a> {
    /// Record r in bit r % 64 of word r / 64.
    Bits(&'a [u64]),
    /// The bytes of one record after those of the one before.
    Rows(&'a [u8]),
}

impl ClearInput<'_> {
    fn padded(self, records: usize, kind: WireType) -> ClearValue {
        match self {
            Self::Bits(lanes) => {
                let mut lanes = lanes.to_vec();
                lanes.resize(records.div_ceil(64), 0);
                ClearValue::Bits(lanes)
            }
            Self::Rows(bytes) => {
                let mut bytes = bytes.to_vec();
                bytes.resize(records * kind.slots(), 0);
                ClearValue::Rows(bytes)
            }
        }
    }
}

/// One value for all records of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClearValue {
    /// Record r in bit r % 64 of word r / 64.
    Bits(Vec<u64>),
    /// The bytes of one record after those of the one before.
    Rows(Vec<u8>),
}

impl ClearValue {
    fn combine(&self, other: &Self, bits: fn(u64, u64) -> u64, bytes: fn(u8, u8) -> u8) -> Self {
        match (self, other) {
            (Self::Bits(a), Self::Bits(b)) => {
                Self::Bits(a.iter().zip(b).map(|(a, b)| bits(*a, *b)).collect())
            }
            (Self::Rows(a), Self::Rows(b)) => {
                Self::Rows(a.iter().zip(b).map(|(a, b)| bytes(*a, *b)).collect())
            }
            // Circuits do not combine kinds.
            (value, _) => value.clone(),
        }
    }

    /// Overwrites the value with zeros.
    pub(crate) fn wipe(&mut self) {
        match self {
            Self::Bits(lanes) => secret::wipe(lanes),
            Self::Rows(bytes) => secret::wipe(bytes),
        }
    }

    /// The bits of the first `records` records, those that are missing as 0; `None` for bytes.
    #[must_use]
    pub fn bits(&self, records: usize) -> Option<Vec<bool>> {
        let Self::Bits(lanes) = self else {
            return None;
        };
        let bit = |record: usize| {
            let word = lanes.get(record / 64).copied().unwrap_or(0);
            word >> (record % 64) & 1 == 1
        };
        Some((0..records).map(bit).collect())
    }

    /// The value of a bit in all records.
    #[must_use]
    pub fn from_bits(bits: &[bool]) -> Self {
        let word = |bits: &[bool]| {
            (0..)
                .zip(bits)
                .fold(0, |word, (i, bit)| word | u64::from(*bit) << i)
        };
        Self::Bits(bits.chunks(64).map(word).collect())
    }

    /// The bits in other places; bytes are never moved.
    fn moved(&self, source: &[u32]) -> Self {
        match self.bits(source.len()) {
            None => self.clone(),
            Some(bits) => {
                let moved: Vec<bool> = source.iter().map(|record| bits[*record as usize]).collect();
                Self::from_bits(&moved)
            }
        }
    }

    /// The bytes of `records` records; a bit counts as a byte 0 or 1.
    pub(crate) fn bytes(&self, records: usize) -> Vec<u8> {
        match self {
            Self::Bits(lanes) => (0..records)
                .map(|record| (lanes[record / 64] >> (record % 64) & 1) as u8)
                .collect(),
            Self::Rows(bytes) => bytes.clone(),
        }
    }
}

fn linear(terms: &[(&ClearValue, &RowMap)], records: usize, kind: WireType) -> ClearValue {
    let mut sum = vec![0; records * kind.slots()];
    for (value, map) in terms {
        let operand = value.bytes(records);
        let rows = operand.chunks_exact(map.from());
        for (row, sum) in rows.zip(sum.chunks_exact_mut(map.to())) {
            sum.iter_mut()
                .zip(map.apply(row))
                .for_each(|(sum, byte)| *sum ^= byte);
        }
    }
    match kind {
        WireType::Row(_) => ClearValue::Rows(sum),
        WireType::Bit => ClearValue::Bits(
            sum.chunks(64)
                .map(|bits| {
                    (0..)
                        .zip(bits)
                        .fold(0, |word, (i, bit)| word | u64::from(*bit) << i)
                })
                .collect(),
        ),
    }
}

/// The values of a [`ClearProgram`] for one batch.
#[derive(Debug)]
pub(crate) struct ClearValues(Vec<ClearValue>);

impl ClearValues {
    pub(crate) fn get(&self, id: ClearId) -> &ClearValue {
        &self.0[id.0]
    }
}

#[cfg(test)]
mod tests {
    use ringmill_circuit::ByteMap;

    use super::*;

    #[test]
    fn simplifies_and_evaluates_bits() {
        let mut program = ClearProgram::default();
        let (a, b) = (
            program.input(0, 0, WireType::Bit),
            program.input(0, 1, WireType::Bit),
        );
        assert_eq!(program.input(0, 0, WireType::Bit), a);
        let (zero, one) = (program.bit(false), program.bit(true));
        assert_eq!(
            (program.and(a, zero), program.and(one, a), program.xor(a, zero)),
            (zero, a, a)
        );
        assert_eq!((program.xor(b, b), program.not(one)), (zero, zero));
        let both = program.and(a, b);
        let nand = program.not(both);
        let input = |_, wire| ClearInput::Bits(if wire == 0 { &[12, 1] } else { &[10] });
        let values = program.evaluate(128, input);
        assert_eq!(values.get(both), &ClearValue::Bits(vec![8, 0]));
        assert_eq!(values.get(nand), &ClearValue::Bits(vec![!8, !0]));
        assert_eq!(values.get(both).bytes(5), [0, 0, 0, 1, 0]);
    }

    #[test]
    fn simplifies_and_evaluates_rows() {
        let double = RowMap::bytewise(1, ByteMap::multiple(2)).unwrap();
        let mut program = ClearProgram::new(&[double]);
        let a = program.input(0, 0, WireType::BYTE);
        let (zero, one) = (program.zero(WireType::BYTE), program.row(vec![1]));
        assert_eq!((program.and(a, one), program.and(a, zero)), (a, zero));
        assert_eq!(program.linear(vec![(zero, MapId::new(0))], WireType::BYTE), zero);
        let constant = program.row(vec![0x11]);
        let product = program.and(a, constant);
        let mapped = program.linear(vec![(a, MapId::new(0))], WireType::BYTE);
        let sum = program.xor(product, mapped);
        let values = program.evaluate(2, |_, _| ClearInput::Rows(&[0x80]));
        let expected = [field::multiply(0x80, 0x11 ^ 2), 0];
        assert_eq!(values.get(sum), &ClearValue::Rows(expected.to_vec()));
    }
}
