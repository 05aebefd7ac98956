//! Digests that tell circuits apart.

use sha2::{Digest, Sha256};

use crate::{Circuit, Gate, Visibility, Wire, WireType};

/// The prefix of the hashed text, which keeps these digests different from those of other things.
const DOMAIN: &[u8] = b"ringmill circuit 1";

impl Circuit {
    /// The SHA-256 of gates, tables and ports. Only equal circuits have equal digests; circuits that merely
    /// compute the same function have different ones.
    ///
    /// Hashed are, with numbers as little-endian `u64`: the text `ringmill circuit 1`; the number of gates,
    /// and of each its place in the declaration of [`Gate`] with its constant, wires or table entry, the
    /// latter spelt out (a row as its bytes; a sum of maps as its kind, its terms, and of each the wire and
    /// the map's lengths and entries); then input and output ports as name, visibility (inputs only: 0
    /// public, 1 private), kind and wires. Lists and texts come after their lengths. A kind is 0 for bits
    /// and otherwise the bytes of a row.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Hash(Sha256::new_with_prefix(DOMAIN));
        hash.number(self.gates().len());
        for gate in self.gates() {
            self.hash_gate(&mut hash, *gate);
        }
        hash.number(self.inputs().len());
        for port in self.inputs() {
            hash.bytes(port.name.as_bytes());
            hash.number(usize::from(port.visibility == Visibility::Private));
            hash.port(port.kind, &port.wires);
        }
        hash.number(self.outputs().len());
        for port in self.outputs() {
            hash.bytes(port.name.as_bytes());
            hash.port(port.kind, &port.wires);
        }
        hash.0.finalize().into()
    }

    fn hash_gate(&self, hash: &mut Hash, gate: Gate) {
        match gate {
            Gate::Input => hash.number(0),
            Gate::Constant(value) => hash.numbers([1, usize::from(value)]),
            Gate::Xor(a, b) => hash.numbers([2, a.index(), b.index()]),
            Gate::And(a, b) => hash.numbers([3, a.index(), b.index()]),
            Gate::Not(a) => hash.numbers([4, a.index()]),
            Gate::Value(index) => {
                hash.number(5);
                hash.bytes(self.values().get(index as usize).map_or(&[], Vec::as_slice));
            }
            Gate::Linear(index) => {
                hash.number(6);
                if let Some(linear) = self.linears().get(index as usize) {
                    hash.numbers([kind_number(linear.kind), linear.terms.len()]);
                    for (wire, map) in &linear.terms {
                        hash.number(wire.index());
                        self.hash_map(hash, map.index());
                    }
                }
            }
        }
    }

    fn hash_map(&self, hash: &mut Hash, index: usize) {
        let Some(map) = self.maps().get(index) else {
            return;
        };
        hash.numbers([map.from(), map.to(), map.entries().len()]);
        for entry in map.entries() {
            let (power, factor) = (usize::from(entry.frobenius), usize::from(entry.factor));
            hash.numbers([entry.target, entry.source, power, factor]);
        }
    }
}

fn kind_number(kind: WireType) -> usize {
    match kind {
        WireType::Bit => 0,
        WireType::Row(bytes) => bytes,
    }
}

struct Hash(Sha256);

impl Hash {
    fn number(&mut self, number: usize) {
        self.0.update((number as u64).to_le_bytes());
    }

    fn numbers<const N: usize>(&mut self, numbers: [usize; N]) {
        for number in numbers {
            self.number(number);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }

    fn port(&mut self, kind: WireType, wires: &[Wire]) {
        self.numbers([kind_number(kind), wires.len()]);
        for wire in wires {
            self.number(wire.index());
        }
    }
}
