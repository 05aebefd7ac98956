//! Infers the kind of every wire, and checks that gates get operands of the right kinds.

use std::collections::HashSet;

use crate::{ByteMap, CircuitError, Gate, Gates, InputPort, Linear, RowMap, Wire, WireType};

/// The kind of each wire of a list of gates that reads only earlier wires. Ports list exactly the inputs.
pub(crate) fn infer_kinds(gates: &Gates, inputs: &[InputPort]) -> Result<Vec<WireType>, CircuitError> {
    let mut input_kinds = vec![WireType::Bit; gates.list.len()];
    for port in inputs {
        check_size(port.kind)?;
        for wire in &port.wires {
            if let Some(kind) = input_kinds.get_mut(wire.index()) {
                *kind = port.kind;
            }
        }
    }
    let mut kinds: Vec<WireType> = Vec::with_capacity(gates.list.len());
    for (wire, gate) in gates.numbered() {
        kinds.push(match gate {
            Gate::Input => wire.of(&input_kinds),
            Gate::Constant(_) => WireType::Bit,
            Gate::Not(operand) => expect_kind(wire, operand, WireType::Bit, &kinds)?,
            Gate::Xor(left, right) | Gate::And(left, right) => {
                expect_kind(wire, right, left.of(&kinds), &kinds)?
            }
            Gate::Value(index) => {
                let bytes = gates.value(index).ok_or(missing(wire, "values"))?.len();
                check_size(WireType::Row(bytes))?
            }
            Gate::Linear(index) => {
                let linear = gates.linear(index).ok_or(missing(wire, "linears"))?;
                check_linear(wire, linear, &gates.maps, &kinds)?
            }
        });
    }
    Ok(kinds)
}

fn missing(gate: Wire, table: &'static str) -> CircuitError {
    CircuitError::MissingEntry { gate, table }
}

fn check_size(kind: WireType) -> Result<WireType, CircuitError> {
    if kind.has_valid_size() {
        Ok(kind)
    } else {
        Err(CircuitError::RowLength { bytes: kind.slots() })
    }
}

fn expect_kind(
    gate: Wire,
    operand: Wire,
    expected: WireType,
    kinds: &[WireType],
) -> Result<WireType, CircuitError> {
    let found = operand.of(kinds);
    if found == expected {
        Ok(expected)
    } else {
        Err(CircuitError::OperandKind {
            gate,
            operand,
            expected,
            found,
        })
    }
}

/// Checks one sum of maps against the kinds of the wires before it.
fn check_linear(
    gate: Wire,
    linear: &Linear,
    maps: &[RowMap],
    kinds: &[WireType],
) -> Result<WireType, CircuitError> {
    check_size(linear.kind)?;
    if linear.terms.is_empty() {
        return Err(CircuitError::EmptySum { gate });
    }
    let mut seen = HashSet::new();
    for (operand, id) in &linear.terms {
        let map = maps.get(id.index()).ok_or(missing(gate, "maps"))?;
        let operand_kind = operand.of(kinds);
        if (map.from(), map.to()) != (operand_kind.slots(), linear.kind.slots()) {
            return Err(CircuitError::MapKind {
                gate,
                operand: *operand,
                map: (map.from(), map.to()),
                kinds: (operand_kind, linear.kind),
            });
        }
        if !seen.insert(*operand) {
            return Err(CircuitError::RepeatedOperand {
                gate,
                operand: *operand,
            });
        }
        if linear.kind.is_bit() && !gives_bits(map, operand_kind) {
            return Err(CircuitError::NotABit {
                gate,
                operand: *operand,
            });
        }
    }
    Ok(linear.kind)
}

/// Whether a map to one byte gives 0 or 1 for every operand of this kind. Because it is linear, the bits of
/// each operand byte decide, one at a time.
fn gives_bits(map: &RowMap, operand: WireType) -> bool {
    let is_bits = |map: ByteMap| match operand {
        WireType::Bit => map.apply(1) <= 1,
        WireType::Row(_) => map.images().iter().all(|image| *image <= 1),
    };
    map.blocks().into_iter().all(|(_, _, map)| is_bits(map))
}
