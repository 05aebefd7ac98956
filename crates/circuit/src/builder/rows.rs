//! Gates on rows of bytes.

use std::collections::BTreeMap;

use super::{Builder, next_index};
use crate::{
    ByteMap, CircuitError, Gate, Linear, MapId, OutputPort, RowMap, Visibility, Wire, WireType, Word, field,
};

impl Builder {
    /// Declares an input port of `width` wires, at least one, each of which is a row of `bytes` bytes. Names
    /// must differ among input ports. `finish` reports violations of these rules and wrong row lengths.
    pub fn input_rows(
        &mut self,
        name: impl Into<String>,
        visibility: Visibility,
        width: usize,
        bytes: usize,
    ) -> Vec<Wire> {
        self.input_port(name.into(), visibility, width, WireType::Row(bytes))
    }

    /// Declares an output port with these rows, at least one and all of one length. Names must differ among
    /// output ports. `finish` reports violations of these rules.
    pub fn output_rows(&mut self, name: impl Into<String>, rows: &[Wire]) {
        self.outputs.push(OutputPort {
            name: name.into(),
            kind: rows.first().map(|row| self.kind(*row)).unwrap_or_default(),
            wires: rows.to_vec(),
        });
    }

    /// A row that always has these bytes.
    pub fn row_constant(&mut self, bytes: &[u8]) -> Wire {
        if let Some(wire) = self.known_values.get(bytes) {
            return *wire;
        }
        let gate = Gate::Value(next_index(&self.gates.values));
        self.gates.values.push(bytes.to_vec());
        let wire = self.append(gate, WireType::Row(bytes.len()));
        self.known_values.insert(bytes.to_vec(), wire);
        wire
    }

    /// The sum of linear maps of several wires. Each wire is a row as long as its map takes; a bit counts as
    /// a row of one byte, 0 or 1. The result is a row as long as all the maps give.
    ///
    /// The builder adds up maps of one wire, drops maps that are 0 and evaluates maps of constants. It
    /// leaves sums of sums as they are: to save key switches, compose maps with [`RowMap::after`] before
    /// passing them.
    ///
    /// # Errors
    /// [`CircuitError::MapShape`] if the maps do not all give rows of one length, or two maps of one wire
    /// take rows of different lengths; [`CircuitError::RowLength`] if there are no maps.
    pub fn linear(&mut self, terms: &[(Wire, RowMap)]) -> Result<Wire, CircuitError> {
        let (constant, maps) = self.gather(terms)?;
        let kind = WireType::Row(constant.len());
        let constant = self.row_constant(&constant);
        if maps.is_empty() {
            return Ok(constant);
        }
        let sum = self.share_linear(maps, kind);
        Ok(self.xor(sum, constant))
    }

    /// The same as [`linear`](Self::linear) for maps whose sum is 0 or 1 for all operands: the sum is a bit.
    pub(crate) fn linear_bit(&mut self, terms: &[(Wire, RowMap)]) -> Result<Wire, CircuitError> {
        let (constant, maps) = self.gather(terms)?;
        let constant = self.constant(constant.first() == Some(&1));
        if maps.is_empty() {
            return Ok(constant);
        }
        let sum = self.share_linear(maps, WireType::Bit);
        Ok(self.xor(sum, constant))
    }

    /// The sum of the constant terms, and the other terms with the maps of one wire added up.
    fn gather(&self, terms: &[(Wire, RowMap)]) -> Result<(Vec<u8>, BTreeMap<Wire, RowMap>), CircuitError> {
        let Some((_, first)) = terms.first() else {
            return Err(CircuitError::RowLength { bytes: 0 });
        };
        let mut constant = vec![0; first.to()];
        let mut maps: BTreeMap<Wire, RowMap> = BTreeMap::new();
        for (wire, map) in terms {
            if map.to() != first.to() {
                return Err(CircuitError::MapShape {
                    left: (first.from(), first.to()),
                    right: (map.from(), map.to()),
                });
            }
            if let Some(row) = self.known_row(*wire) {
                add_to(&mut constant, &map.apply(&row));
                continue;
            }
            let sum = match maps.get(wire) {
                Some(known) => known.plus(map)?,
                None => map.clone(),
            };
            maps.insert(*wire, sum);
        }
        maps.retain(|_, map| !map.is_zero());
        Ok((constant, maps))
    }

    /// Applies the same linear map to each byte of a row. A bit counts as a row of one byte, 0 or 1.
    ///
    /// # Errors
    /// Those of [`linear`](Self::linear).
    pub fn bytewise(&mut self, row: Wire, map: ByteMap) -> Result<Wire, CircuitError> {
        let map = RowMap::bytewise(self.kind(row).slots(), map)?;
        self.linear(&[(row, map)])
    }

    /// Raises the bytes of a row to the power `2^power`.
    ///
    /// # Errors
    /// Those of [`linear`](Self::linear).
    pub fn frobenius(&mut self, row: Wire, power: u8) -> Result<Wire, CircuitError> {
        self.bytewise(row, ByteMap::frobenius(power))
    }

    /// The bits of a byte, least significant first.
    ///
    /// # Errors
    /// [`CircuitError::WidthMismatch`] if the wire is a row of another length.
    pub fn byte_to_bits(&mut self, byte: Wire) -> Result<Word, CircuitError> {
        if self.kind(byte) != WireType::BYTE {
            return Err(CircuitError::WidthMismatch {
                left: 8 * self.kind(byte).slots(),
                right: 8,
            });
        }
        let mut bits = Vec::with_capacity(8);
        for index in 0..8 {
            bits.push(self.linear_bit(&[(byte, RowMap::bytewise(1, ByteMap::bit(index))?)])?);
        }
        Ok(Word::new(bits))
    }

    /// The byte with these eight bits, least significant first.
    ///
    /// # Errors
    /// [`CircuitError::WidthMismatch`] if there are not eight bits.
    pub fn bits_to_byte(&mut self, bits: &Word) -> Result<Wire, CircuitError> {
        if bits.width() != 8 {
            return Err(CircuitError::WidthMismatch {
                left: bits.width(),
                right: 8,
            });
        }
        let mut terms = Vec::with_capacity(8);
        for (index, bit) in bits.wires().iter().enumerate() {
            terms.push((*bit, RowMap::bytewise(1, ByteMap::multiple(1 << index))?));
        }
        self.linear(&terms)
    }

    /// The inverse of each byte of a row; the inverse of 0 is 0. This is `x^254`, with four products in
    /// multiplicative depth 3. See [`inverse_with_square`](Self::inverse_with_square).
    ///
    /// # Errors
    /// Those of [`linear`](Self::linear).
    pub fn inverse(&mut self, row: Wire) -> Result<Wire, CircuitError> {
        let square = self.frobenius(row, 1)?;
        self.inverse_with_square(row, square)
    }

    /// The same as [`inverse`](Self::inverse), but given the square of the row, for callers that have a
    /// cheaper way to it than squaring: `x^3 = x x^2`, `x^12 = (x^3)^4`, `x^14 = x^12 x^2`,
    /// `x^15 = x^12 x^3`, `x^254 = (x^15)^16 x^14`.
    ///
    /// # Errors
    /// Those of [`linear`](Self::linear).
    pub fn inverse_with_square(&mut self, row: Wire, square: Wire) -> Result<Wire, CircuitError> {
        let power_3 = self.and(row, square);
        let power_12 = self.frobenius(power_3, 2)?;
        let power_14 = self.and(power_12, square);
        let power_15 = self.and(power_12, power_3);
        let power_240 = self.frobenius(power_15, 4)?;
        Ok(self.and(power_240, power_14))
    }

    /// The sum of a row and another: [`xor`](Self::xor) on rows.
    pub(super) fn xor_rows(&mut self, left: Wire, right: Wire) -> Wire {
        let kind = self.kind(left);
        if left == right {
            return self.row_constant(&vec![0; kind.slots()]);
        }
        match (self.known_bytes(left), self.known_bytes(right)) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let mut sum = a.to_vec();
                add_to(&mut sum, b);
                self.row_constant(&sum)
            }
            (Some(row), _) if is_zero(row) && self.kind(right) == kind => right,
            (_, Some(row)) if is_zero(row) && self.kind(right) == kind => left,
            _ => self.share(Gate::Xor(left.min(right), left.max(right)), kind),
        }
    }

    /// The product of a row and another: [`and`](Self::and) on rows.
    pub(super) fn and_rows(&mut self, left: Wire, right: Wire) -> Wire {
        let kind = self.kind(left);
        let is_one = |row: &[u8]| row.iter().all(|byte| *byte == 1);
        if left == right {
            // Rows of impossible lengths have no maps; `finish` reports them.
            return self.frobenius(left, 1).unwrap_or(left);
        }
        match (self.known_bytes(left), self.known_bytes(right)) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let products = a.iter().zip(b).map(|(a, b)| field::multiply(*a, *b));
                let product: Vec<u8> = products.collect();
                self.row_constant(&product)
            }
            (Some(row), _) if self.kind(right) == kind && is_zero(row) => left,
            (_, Some(row)) if self.kind(right) == kind && is_zero(row) => right,
            (Some(row), _) if self.kind(right) == kind && is_one(row) => right,
            (_, Some(row)) if self.kind(right) == kind && is_one(row) => left,
            _ => self.share(Gate::And(left.min(right), left.max(right)), kind),
        }
    }

    /// The bytes of a row, if it is a constant.
    fn known_bytes(&self, wire: Wire) -> Option<&[u8]> {
        match self.gates.list.get(wire.index()) {
            Some(Gate::Value(index)) => self.gates.value(*index).map(Vec::as_slice),
            _ => None,
        }
    }

    /// The bytes of a constant row, or of a constant bit as a row.
    fn known_row(&self, wire: Wire) -> Option<Vec<u8>> {
        let bit = || self.known_value(wire).map(|bit| vec![u8::from(bit)]);
        self.known_bytes(wire).map(<[u8]>::to_vec).or_else(bit)
    }

    /// The sum of these maps, none of which is 0: the wire itself, the wire of an equal earlier sum, or a
    /// new one.
    fn share_linear(&mut self, maps: BTreeMap<Wire, RowMap>, kind: WireType) -> Wire {
        if let [(wire, map)] = maps.iter().collect::<Vec<_>>().as_slice()
            && map.is_identity()
            && self.kind(**wire) == kind
        {
            return **wire;
        }
        let maps = maps.into_iter();
        let terms = maps.map(|(wire, map)| (wire, self.share_map(map))).collect();
        let linear = Linear { terms, kind };
        if let Some(wire) = self.known_linears.get(&linear) {
            return *wire;
        }
        let gate = Gate::Linear(next_index(&self.gates.linears));
        self.gates.linears.push(linear.clone());
        let wire = self.append(gate, kind);
        self.known_linears.insert(linear, wire);
        wire
    }

    /// Returns the number of an equal earlier map, or appends this one.
    fn share_map(&mut self, map: RowMap) -> MapId {
        if let Some(id) = self.known_maps.get(&map) {
            return *id;
        }
        let id = MapId::new(next_index(&self.gates.maps));
        self.gates.maps.push(map.clone());
        self.known_maps.insert(map, id);
        id
    }
}

fn is_zero(row: &[u8]) -> bool {
    row.iter().all(|byte| *byte == 0)
}

/// Adds one row to another.
fn add_to(sum: &mut [u8], row: &[u8]) {
    for (sum, byte) in sum.iter_mut().zip(row) {
        *sum ^= byte;
    }
}
