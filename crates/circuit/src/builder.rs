//! Writing circuits gate by gate or word by word.

use std::collections::HashMap;

use crate::circuit::{check_gates, numbered};
use crate::{Circuit, CircuitError, Gate, InputPort, OutputPort, Visibility, Wire, Word};

/// Collects gates and ports into a [`Circuit`].
///
/// Gates are simplified as they come: operations with a constant, with an equal
/// operand or with the complement of the other operand become what they are
/// equal to, double negation vanishes, and a gate equal to an earlier one up to
/// the order of its operands is that earlier gate. What remains keeps the order
/// in which it was asked for first. [`finish`](Self::finish) drops gates that
/// no output depends on.
///
/// Wires belong to the builder that returned them. Wires of another builder
/// are not recognised as foreign unless they lie out of range, in which case
/// `finish` reports them.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    gates: Vec<Gate>,
    /// For each gate the most ANDs on any path to it, its own included.
    depths: Vec<u32>,
    /// Earlier gates by content, with operands in ascending order; no inputs.
    known: HashMap<Gate, Wire>,
    inputs: Vec<InputPort>,
    outputs: Vec<OutputPort>,
}

impl Builder {
    /// A builder without gates or ports.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares an input port of `width` bits, at least one, and returns its
    /// bits. Names must differ among input ports; `finish` reports both.
    pub fn input(&mut self, name: impl Into<String>, visibility: Visibility, width: usize) -> Word {
        let wires: Vec<Wire> = (0..width).map(|_| self.append(Gate::Input)).collect();
        self.inputs.push(InputPort {
            name: name.into(),
            visibility,
            wires: wires.clone(),
        });
        Word::new(wires)
    }

    /// Declares an output port with the bits of `word`, at least one. Names
    /// must differ among output ports; `finish` reports both.
    pub fn output(&mut self, name: impl Into<String>, word: &Word) {
        self.outputs.push(OutputPort {
            name: name.into(),
            wires: word.wires().to_vec(),
        });
    }

    /// A wire that always carries `value`.
    pub fn constant(&mut self, value: bool) -> Wire {
        self.share(Gate::Constant(value))
    }

    /// A word of constants, least significant bit first.
    pub fn constant_word(&mut self, bits: impl IntoIterator<Item = bool>) -> Word {
        Word::new(bits.into_iter().map(|bit| self.constant(bit)).collect())
    }

    /// The sum over GF(2) of two wires.
    pub fn xor(&mut self, left: Wire, right: Wire) -> Wire {
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
            (None, None) => self.share(Gate::Xor(left.min(right), left.max(right))),
        }
    }

    /// The product over GF(2) of two wires.
    pub fn and(&mut self, left: Wire, right: Wire) -> Wire {
        if left == right {
            return left;
        }
        if self.are_complements(left, right) {
            return self.constant(false);
        }
        match (self.known_value(left), self.known_value(right)) {
            (Some(true), _) | (_, Some(false)) => right,
            (_, Some(true)) | (Some(false), _) => left,
            (None, None) => self.share(Gate::And(left.min(right), left.max(right))),
        }
    }

    /// The complement of a wire.
    pub fn not(&mut self, wire: Wire) -> Wire {
        match self.gates.get(wire.index()) {
            Some(Gate::Constant(value)) => self.constant(!*value),
            Some(Gate::Not(original)) => *original,
            _ => self.share(Gate::Not(wire)),
        }
    }

    /// The most ANDs on any path from an input to `wire`, by which forms of
    /// least depth are chosen. 0 for a wire of another builder.
    #[must_use]
    pub fn and_depth(&self, wire: Wire) -> u32 {
        wire.of(&self.depths)
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

    /// The circuit made of the declared ports and of the gates that the
    /// outputs depend on. All input ports stay, also bits that nothing reads.
    ///
    /// # Errors
    ///
    /// Those of [`Circuit::new`]; from this builder's own wires only
    /// [`CircuitError::NoOutputs`], [`CircuitError::EmptyPort`],
    /// [`CircuitError::DuplicatePortName`] and
    /// [`CircuitError::TooManyGates`] can arise.
    pub fn finish(self) -> Result<Circuit, CircuitError> {
        // Before wires are renumbered, so that all gates read existing ones.
        check_gates(&self.gates)?;
        let live = self.live_gates();

        let mut gates = Vec::new();
        let mut renumbered = Vec::with_capacity(self.gates.len());
        for (gate, live) in self.gates.iter().zip(live) {
            // Wires of dropped gates are read by nobody; what they become
            // does not matter, but the table keeps its place for them.
            renumbered.push(next_wire(&gates));
            if live {
                gates.push(rename(*gate, &renumbered));
            }
        }

        let rename_all = |wires: Vec<Wire>| {
            let rename = |wire: Wire| match renumbered.get(wire.index()) {
                Some(new) => *new,
                // Foreign, and as out of range in the smaller circuit.
                None => wire,
            };
            wires.into_iter().map(rename).collect()
        };
        let inputs = self
            .inputs
            .into_iter()
            .map(|port| InputPort {
                wires: rename_all(port.wires),
                ..port
            })
            .collect();
        let outputs = self
            .outputs
            .into_iter()
            .map(|port| OutputPort {
                wires: rename_all(port.wires),
                ..port
            })
            .collect();
        Circuit::new(gates, inputs, outputs)
    }

    /// For each gate whether it is an input or an output depends on it.
    fn live_gates(&self) -> Vec<bool> {
        let mut live: Vec<bool> = self.gates.iter().map(|gate| *gate == Gate::Input).collect();
        let mark = |live: &mut [bool], wire: Wire| {
            if let Some(live) = live.get_mut(wire.index()) {
                *live = true;
            }
        };
        for wire in self.outputs.iter().flat_map(|port| &port.wires) {
            mark(&mut live, *wire);
        }
        for (wire, gate) in numbered(&self.gates).rev() {
            if wire.of(&live) {
                for operand in gate.operands() {
                    mark(&mut live, operand);
                }
            }
        }
        live
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

    /// The value of a wire that is a constant.
    fn known_value(&self, wire: Wire) -> Option<bool> {
        match self.gates.get(wire.index()) {
            Some(Gate::Constant(value)) => Some(*value),
            _ => None,
        }
    }

    /// Whether one of two wires is defined as the complement of the other.
    fn are_complements(&self, left: Wire, right: Wire) -> bool {
        self.gates.get(left.index()) == Some(&Gate::Not(right))
            || self.gates.get(right.index()) == Some(&Gate::Not(left))
    }

    /// The wire of an equal earlier gate, or of this one, appended.
    fn share(&mut self, gate: Gate) -> Wire {
        if let Some(wire) = self.known.get(&gate) {
            return *wire;
        }
        let wire = self.append(gate);
        self.known.insert(gate, wire);
        wire
    }

    fn append(&mut self, gate: Gate) -> Wire {
        let wire = next_wire(&self.gates);
        let operands = gate.operands().map(|operand| self.and_depth(operand));
        let deepest = operands.max().unwrap_or_default();
        self.depths
            .push(deepest + u32::from(matches!(gate, Gate::And(..))));
        self.gates.push(gate);
        wire
    }
}

/// The wire that the next gate appended will define. Beyond `u32::MAX` gates
/// the answer is wrong, but the length of the list then makes `finish` fail.
fn next_wire(gates: &[Gate]) -> Wire {
    Wire::new(u32::try_from(gates.len()).unwrap_or(u32::MAX))
}

/// The gate with its operands looked up in `names`, which has an entry for
/// every wire below the gate.
fn rename(gate: Gate, names: &[Wire]) -> Gate {
    let name = |wire: Wire| names.get(wire.index()).copied().unwrap_or(wire);
    match gate {
        Gate::Input | Gate::Constant(_) => gate,
        Gate::Xor(left, right) => Gate::Xor(name(left), name(right)),
        Gate::And(left, right) => Gate::And(name(left), name(right)),
        Gate::Not(operand) => Gate::Not(name(operand)),
    }
}
