//! The values of all wires for a few records.

use super::CHUNK;
use crate::{ByteMap, Circuit, Gate, InputPort, Linear, OutputPort, PortValues, Wire, WireType, field};

/// One map of bytes inside a map of rows, as `(target, source, map)`.
type Block = (usize, usize, ByteMap);

/// The values of all wires for [`CHUNK`] records.
pub(super) struct Chunk {
    /// For each bit wire: its records, one in each bit.
    bits: Vec<u64>,
    /// For each row wire: its records one after the other; empty for bits.
    rows: Vec<Vec<u8>>,
    /// The maps of the circuit, ready to apply.
    maps: Vec<Vec<Block>>,
    has_rows: bool,
}

impl Chunk {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let bytes = |kind: &WireType| if kind.is_bit() { 0 } else { CHUNK * kind.slots() };
        let kinds = circuit.kinds();
        let has_rows = kinds.iter().any(|kind| !kind.is_bit());
        let rows = if has_rows {
            kinds.iter().map(|kind| vec![0; bytes(kind)]).collect()
        } else {
            Vec::new()
        };
        Self {
            bits: vec![0; circuit.gates().len()],
            rows,
            maps: circuit.maps().iter().map(|map| map.blocks()).collect(),
            has_rows,
        }
    }

    /// Loads `count` records of a port, from record `start` on, which is a multiple of [`CHUNK`].
    pub(super) fn load(&mut self, port: &InputPort, values: &PortValues, start: usize, count: usize) {
        match values {
            PortValues::Bits(lanes) => {
                for (wire, lane) in port.wires.iter().zip(lanes) {
                    if let Some(bits) = self.bits.get_mut(wire.index()) {
                        *bits = lane.get(start / CHUNK).copied().unwrap_or_default();
                    }
                }
            }
            PortValues::Rows(rows) => {
                let bytes = port.kind.slots();
                for (wire, row) in port.wires.iter().zip(rows) {
                    let given = row.iter().skip(start * bytes).take(count * bytes);
                    if let Some(row) = self.rows.get_mut(wire.index()) {
                        row.iter_mut().zip(given).for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
    }

    /// Appends the first `count` records of a port.
    pub(super) fn store(&self, port: &OutputPort, values: &mut PortValues, count: usize) {
        match values {
            PortValues::Bits(lanes) => {
                for (wire, lane) in port.wires.iter().zip(lanes) {
                    lane.push(wire.of(&self.bits));
                }
            }
            PortValues::Rows(rows) => {
                for (wire, row) in port.wires.iter().zip(rows) {
                    row.extend(self.row(*wire).iter().take(count * port.kind.slots()));
                }
            }
        }
    }

    /// Computes every wire that is not an input.
    pub(super) fn compute(&mut self, circuit: &Circuit) {
        if !self.has_rows {
            for (wire, gate) in circuit.numbered_gates() {
                self.compute_bit(wire, gate);
            }
            return;
        }
        for ((wire, gate), kind) in circuit.numbered_gates().zip(circuit.kinds()) {
            match (gate, kind) {
                (Gate::Linear(index), _) => {
                    if let Some(linear) = usize::try_from(index).ok().and_then(|i| circuit.linears().get(i)) {
                        self.compute_linear(wire, linear);
                    }
                }
                (_, WireType::Bit) => self.compute_bit(wire, gate),
                (_, WireType::Row(_)) => self.compute_row(circuit, wire, gate),
            }
        }
    }

    fn compute_bit(&mut self, wire: Wire, gate: Gate) {
        let values = &self.bits;
        let result = match gate {
            Gate::Constant(false) => 0,
            Gate::Constant(true) => u64::MAX,
            Gate::Xor(left, right) => left.of(values) ^ right.of(values),
            Gate::And(left, right) => left.of(values) & right.of(values),
            Gate::Not(operand) => !operand.of(values),
            Gate::Input | Gate::Value(_) | Gate::Linear(_) => return,
        };
        if let Some(value) = self.bits.get_mut(wire.index()) {
            *value = result;
        }
    }

    fn compute_row(&mut self, circuit: &Circuit, wire: Wire, gate: Gate) {
        let mut result = self.take_row(wire);
        match gate {
            Gate::Value(index) => {
                let value = usize::try_from(index)
                    .ok()
                    .and_then(|index| circuit.values().get(index));
                let bytes = value.into_iter().flatten().cycle();
                result.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            }
            Gate::Xor(left, right) => {
                let operands = self.row(left).iter().zip(self.row(right));
                for (result, (left, right)) in result.iter_mut().zip(operands) {
                    *result = left ^ right;
                }
            }
            Gate::And(left, right) => {
                let operands = self.row(left).iter().zip(self.row(right));
                for (result, (left, right)) in result.iter_mut().zip(operands) {
                    *result = field::multiply(*left, *right);
                }
            }
            Gate::Input | Gate::Constant(_) | Gate::Not(_) | Gate::Linear(_) => {}
        }
        self.put_row(wire, result);
    }

    fn compute_linear(&mut self, wire: Wire, linear: &Linear) {
        let mut sum = vec![0; CHUNK * linear.kind.slots()];
        for (operand, map) in &linear.terms {
            let blocks = self.maps.get(map.index()).map(Vec::as_slice).unwrap_or_default();
            match self.row(*operand) {
                [] => {
                    let bits = operand.of(&self.bits);
                    let bytes: [u8; CHUNK] = std::array::from_fn(|record| u8::from(bits >> record & 1 == 1));
                    add_image(&mut sum, &bytes, blocks);
                }
                row => add_image(&mut sum, row, blocks),
            }
        }
        if linear.kind.is_bit() {
            let bits = sum.iter().enumerate();
            let word = bits.fold(0, |word, (record, bit)| word | u64::from(*bit & 1) << record);
            if let Some(value) = self.bits.get_mut(wire.index()) {
                *value = word;
            }
        } else {
            self.put_row(wire, sum);
        }
    }

    /// The records of a row wire; empty for bits.
    fn row(&self, wire: Wire) -> &[u8] {
        self.rows.get(wire.index()).map(Vec::as_slice).unwrap_or_default()
    }

    fn take_row(&mut self, wire: Wire) -> Vec<u8> {
        self.rows
            .get_mut(wire.index())
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn put_row(&mut self, wire: Wire, row: Vec<u8>) {
        if let Some(place) = self.rows.get_mut(wire.index()) {
            *place = row;
        }
    }
}

/// Adds the image of every record's row under a map that is given as maps of single bytes.
fn add_image(sum: &mut [u8], operand: &[u8], blocks: &[Block]) {
    let (to, from) = (sum.len() / CHUNK, operand.len() / CHUNK);
    for (target, source, map) in blocks {
        let sources = operand.iter().skip(*source).step_by(from);
        let targets = sum.iter_mut().skip(*target).step_by(to);
        for (sum, byte) in targets.zip(sources) {
            *sum ^= map.apply(*byte);
        }
    }
}
