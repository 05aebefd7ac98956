//! Evaluation in the clear, 64 records per machine word.

use crate::{Circuit, EvaluateError, Gate};

/// The bits of one port for many records, bit-sliced.
///
/// `lanes[bit][word]` holds bit number `bit` of the port (0 is the least
/// significant) for the 64 records `64 * word` to `64 * word + 63`; record
/// `64 * word + r` is in bit `r` of the `u64`.
pub type PortLanes = Vec<Vec<u64>>;

impl Circuit {
    /// Evaluates the circuit on many records at once.
    ///
    /// `inputs` has one entry per input port, in the order of
    /// [`Circuit::inputs`], each as wide as the port, and all bits have the
    /// same number of words. The result has one entry per output port with that
    /// number of words; a circuit without inputs gives one word. All 64
    /// records of every word are evaluated: where the last word is not full,
    /// its remaining output bits belong to whatever input bits stood there.
    ///
    /// # Errors
    ///
    /// * [`EvaluateError::PortCount`]: not one entry per input port.
    /// * [`EvaluateError::PortWidth`]: an entry with a wrong number of bits.
    /// * [`EvaluateError::LaneLength`]: bits with different numbers of words.
    pub fn evaluate(&self, inputs: &[PortLanes]) -> Result<Vec<PortLanes>, EvaluateError> {
        let words = self.check_inputs(inputs)?;
        let mut outputs: Vec<PortLanes> = self
            .outputs()
            .iter()
            .map(|port| vec![Vec::with_capacity(words); port.wires.len()])
            .collect();

        // One word position after the other keeps the working set at 8 bytes
        // per gate, which for circuits of interest stays in cache.
        let mut values = vec![0_u64; self.gates().len()];
        for word in 0..words {
            self.load(inputs, word, &mut values);
            self.compute(&mut values);
            for (port, lanes) in self.outputs().iter().zip(&mut outputs) {
                for (wire, lane) in port.wires.iter().zip(lanes) {
                    lane.push(wire.of(&values));
                }
            }
        }
        Ok(outputs)
    }

    /// Evaluates the circuit on one record: one entry per input port with one
    /// `bool` per bit, least significant first, and likewise for the result.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::PortCount`] and [`EvaluateError::PortWidth`] as for
    /// [`Circuit::evaluate`].
    pub fn evaluate_record(&self, inputs: &[Vec<bool>]) -> Result<Vec<Vec<bool>>, EvaluateError> {
        let lanes: Vec<PortLanes> = inputs
            .iter()
            .map(|bits| bits.iter().map(|bit| vec![u64::from(*bit)]).collect())
            .collect();
        let outputs = self.evaluate(&lanes)?;
        let record = |lane: &Vec<u64>| lane.first().is_some_and(|word| word & 1 == 1);
        Ok(outputs
            .iter()
            .map(|lanes| lanes.iter().map(record).collect())
            .collect())
    }

    /// Checks shapes and returns the number of words in each lane.
    fn check_inputs(&self, inputs: &[PortLanes]) -> Result<usize, EvaluateError> {
        if inputs.len() != self.inputs().len() {
            return Err(EvaluateError::PortCount {
                expected: self.inputs().len(),
                found: inputs.len(),
            });
        }
        let words = inputs.first().and_then(|lanes| lanes.first());
        let words = words.map_or(1, Vec::len);
        for (port, lanes) in self.inputs().iter().zip(inputs) {
            if lanes.len() != port.wires.len() {
                return Err(EvaluateError::PortWidth {
                    port: port.name.clone(),
                    expected: port.wires.len(),
                    found: lanes.len(),
                });
            }
            for (bit, lane) in lanes.iter().enumerate() {
                if lane.len() != words {
                    return Err(EvaluateError::LaneLength {
                        port: port.name.clone(),
                        bit,
                        expected: words,
                        found: lane.len(),
                    });
                }
            }
        }
        Ok(words)
    }

    /// Puts one word of every input bit in place.
    fn load(&self, inputs: &[PortLanes], word: usize, values: &mut [u64]) {
        for (port, lanes) in self.inputs().iter().zip(inputs) {
            for (wire, lane) in port.wires.iter().zip(lanes) {
                if let (Some(value), Some(bits)) = (values.get_mut(wire.index()), lane.get(word)) {
                    *value = *bits;
                }
            }
        }
    }

    /// Computes every wire that is not an input.
    fn compute(&self, values: &mut [u64]) {
        for (wire, gate) in self.numbered_gates() {
            let result = match gate {
                Gate::Input => continue,
                Gate::Constant(false) => 0,
                Gate::Constant(true) => u64::MAX,
                Gate::Xor(left, right) => left.of(values) ^ right.of(values),
                Gate::And(left, right) => left.of(values) & right.of(values),
                Gate::Not(operand) => !operand.of(values),
            };
            if let Some(value) = values.get_mut(wire.index()) {
                *value = result;
            }
        }
    }
}
