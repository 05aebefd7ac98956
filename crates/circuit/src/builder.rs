//! Builds circuits gate by gate or word by word.

mod finish;
mod include;
mod rows;

use std::collections::HashMap;

use crate::{
    CircuitError, Gate, Gates, InputPort, Linear, MapId, OutputPort, RowMap, Visibility, Wire, WireType, Word,
};

/// Collects gates and ports into a [`Circuit`](crate::Circuit).
///
/// The builder simplifies gates as they come. Operations with a constant, with an equal operand or with the
/// complement of the other operand become what they are equal to; double negation vanishes; a gate that
/// equals an earlier one up to the order of its operands is that earlier gate. The remaining gates keep the
/// order in which they were first requested. [`finish`](Self::finish) drops gates on which no output
/// depends.
/// no output depends on.
/// Wires belong to the builder that returned them. A builder does not recognise wires of another builder
/// unless they lie out of range; then `finish` reports them, as it does operands of wrong kinds.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    gates: Gates,
    /// The kind of each wire, provided that its operands are right.
    kinds: Vec<WireType>,
    /// For each gate: the most ANDs on any path to it, its own included.
    depths: Vec<u32>,
    /// Earlier gates on bits and sums and products, found by content, with operands in ascending order; no
    /// inputs.
    known: HashMap<Gate, Wire>,
    known_values: HashMap<Vec<u8>, Wire>,
    known_linears: HashMap<Linear, Wire>,
    known_maps: HashMap<RowMap, MapId>,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
}

impl Builder {
    /// Makes a builder without gates or ports.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares an input port of `width` bits, at least one, and returns its bits. Names must differ among
    /// input ports. `finish` reports violations of either rule.
    pub fn input(&mut self, name: impl Into<String>, visibility: Visibility, width: usize) -> Word {
        Word::new(self.input_port(name.into(), visibility, width, WireType::Bit))
    }

    /// Declares an output port with the bits of `word`, at least one. Names must differ among output ports.
    /// `finish` reports violations of either rule.
    pub fn output(&mut self, name: impl Into<String>, word: &Word) {
        self.outputs.push(OutputPort {
            name: name.into(),
            kind: WireType::Bit,
            wires: word.wires().to_vec(),
        });
    }

    /// A wire that always carries `value`.
    pub fn constant(&mut self, value: bool) -> Wire {
        self.share(Gate::Constant(value), WireType::Bit)
    }

    /// A word of constants, least significant bit first.
    pub fn constant_word(&mut self, bits: impl IntoIterator<Item = bool>) -> Word {
        Word::new(bits.into_iter().map(|bit| self.constant(bit)).collect())
    }

    /// The sum of two bits, or of two rows byte by byte.
    pub fn xor(&mut self, left: Wire, right: Wire) -> Wire {
        if !self.are_bits(left, right) {
            return self.xor_rows(left, right);
        }
        if left == right {
            return self.constant(false);
        }
        if self.are_complements(left, right) {
            return self.constant(true);
        }
        match (self.known_value(left), self.known_value(right)) {
            (Some(false), _) => right,
            (_, Some(false)) => left,
            (Some(true), _) => self.not(right),
            (_, Some(true)) => self.not(left),
            (None, None) => self.share(Gate::Xor(left.min(right), left.max(right)), WireType::Bit),
        }
    }

    /// The product of two bits, or of two rows byte by byte in GF(2^8). The square of a row is a linear map
    /// of it and becomes a [`Gate::Linear`].
    pub fn and(&mut self, left: Wire, right: Wire) -> Wire {
        if !self.are_bits(left, right) {
            return self.and_rows(left, right);
        }
        if left == right {
            return left;
        }
        if self.are_complements(left, right) {
            return self.constant(false);
        }
        match (self.known_value(left), self.known_value(right)) {
            (Some(true), _) | (_, Some(false)) => right,
            (_, Some(true)) | (Some(false), _) => left,
            (None, None) => self.share(Gate::And(left.min(right), left.max(right)), WireType::Bit),
        }
    }

    /// The complement of a bit.
    pub fn not(&mut self, wire: Wire) -> Wire {
        match self.gates.list.get(wire.index()) {
            Some(Gate::Constant(value)) => self.constant(!*value),
            Some(Gate::Not(original)) => *original,
            _ => self.share(Gate::Not(wire), WireType::Bit),
        }
    }

    /// The most ANDs on any path from an input to `wire`; operations choose forms of least depth by it. 0
    /// for a wire of another builder.
    #[must_use]
    pub fn and_depth(&self, wire: Wire) -> u32 {
        wire.of(&self.depths)
    }

    /// The number of gates so far, inputs and constants among them. [`finish`](Self::finish) may drop some of
    /// them; a caller that does not trust its own input can stop in time.
    #[must_use]
    pub fn gate_count(&self) -> usize {
        self.gates.list.len()
    }

    /// The sum over GF(2) of two words, bit by bit.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn xor_words(&mut self, left: &Word, right: &Word) -> Result<Word, CircuitError> {
        self.bitwise(left, right, Self::xor)
    }

    /// The product over GF(2) of two words, bit by bit.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn and_words(&mut self, left: &Word, right: &Word) -> Result<Word, CircuitError> {
        self.bitwise(left, right, Self::and)
    }

    /// The complement of every bit of a word.
    pub fn not_word(&mut self, word: &Word) -> Word {
        Word::new(word.wires().iter().map(|wire| self.not(*wire)).collect())
    }

    fn bitwise(
        &mut self,
        left: &Word,
        right: &Word,
        operation: impl Fn(&mut Self, Wire, Wire) -> Wire,
    ) -> Result<Word, CircuitError> {
        if left.width() != right.width() {
            return Err(CircuitError::WidthMismatch {
                left: left.width(),
                right: right.width(),
            });
        }
        let pairs = left.wires().iter().zip(right.wires());
        Ok(Word::new(
            pairs
                .map(|(left, right)| operation(self, *left, *right))
                .collect(),
        ))
    }

    /// The value of a wire, if it is a constant.
    pub(crate) fn known_value(&self, wire: Wire) -> Option<bool> {
        match self.gates.list.get(wire.index()) {
            Some(Gate::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    /// The wire of which a wire is defined as the complement.
    pub(crate) fn complement_of(&self, wire: Wire) -> Option<Wire> {
        match self.gates.list.get(wire.index()) {
            Some(Gate::Not(original)) => Some(*original),
            _ => None,
        }
    }

    /// Declares a private input port of one bit that stands for another bit, in another record, and so is as deep.
    pub(crate) fn stand_in(&mut self, name: String, other: Wire) -> Wire {
        let depth = self.and_depth(other);
        let port = self.input_port(name, Visibility::Private, 1, WireType::Bit);
        let wire = port.first().copied().unwrap_or(other);
        if let Some(own) = self.depths.get_mut(wire.index()) {
            *own = depth;
        }
        wire
    }

    /// Declares an input port like one of another circuit.
    pub(crate) fn input_like(&mut self, port: &InputPort) -> Vec<Wire> {
        self.input_port(port.name.clone(), port.visibility, port.wires.len(), port.kind)
    }

    /// Whether one of two wires is defined as the complement of the other.
    fn are_complements(&self, left: Wire, right: Wire) -> bool {
        self.gates.list.get(left.index()) == Some(&Gate::Not(right))
            || self.gates.list.get(right.index()) == Some(&Gate::Not(left))
    }

    /// The kind of a wire; a foreign one, which `finish` reports, counts as a bit.
    fn kind(&self, wire: Wire) -> WireType {
        wire.of(&self.kinds)
    }

    fn are_bits(&self, left: Wire, right: Wire) -> bool {
        self.kind(left).is_bit() && self.kind(right).is_bit()
    }

    /// Declares an input port.
    fn input_port(
        &mut self,
        name: String,
        visibility: Visibility,
        width: usize,
        kind: WireType,
    ) -> Vec<Wire> {
        let wires: Vec<Wire> = (0..width).map(|_| self.append(Gate::Input, kind)).collect();
        self.inputs.push(InputPort {
            name,
            visibility,
            kind,
            wires: wires.clone(),
        });
        wires
    }

    /// Returns the wire of an equal earlier gate, or appends this one.
    fn share(&mut self, gate: Gate, kind: WireType) -> Wire {
        if let Some(wire) = self.known.get(&gate) {
            return *wire;
        }
        let wire = self.append(gate, kind);
        self.known.insert(gate, wire);
        wire
    }

    fn append(&mut self, gate: Gate, kind: WireType) -> Wire {
        let wire = next_wire(&self.gates.list);
        let operands = self.gates.operands(gate).map(|operand| self.and_depth(operand));
        let deepest = operands.max().unwrap_or_default();
        self.depths.push(deepest + u32::from(gate.is_product()));
        self.gates.list.push(gate);
        self.kinds.push(kind);
        wire
    }
}

/// The wire that the next gate appended will define. Beyond `u32::MAX` gates the answer is wrong, but then
/// the length of the list makes `finish` fail.
fn next_wire(gates: &[Gate]) -> Wire {
    Wire::new(next_index(gates))
}

/// The number of the next entry of a table. The same holds beyond `u32::MAX` as for wires, because no table
/// outgrows the list of gates.
fn next_index<T>(table: &[T]) -> u32 {
    u32::try_from(table.len()).unwrap_or(u32::MAX)
}
