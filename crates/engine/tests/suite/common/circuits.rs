//! Random circuits, and random values for their ports.

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_circuit::{Builder, Circuit, MapEntry, PortValues, RowMap, Visibility, Wire, WireType, Word};

/// Small random numbers.
pub struct Dice(Stream);

impl Dice {
    pub fn new(byte: u8) -> Self {
        Self(Stream::new(&Seed::from_bytes([byte; 32])))
    }

    pub fn word(&mut self) -> u64 {
        let mut word = [0];
        self.0.fill_words(&mut word);
        word[0]
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    pub fn byte(&mut self) -> u8 {
        self.word() as u8
    }

    /// Values of so many wires for so many records; those of bits in whole words.
    pub fn values(&mut self, kind: WireType, width: usize, records: usize) -> PortValues {
        match kind {
            WireType::Bit => {
                let words = records.div_ceil(64);
                let lane = |_| (0..words).map(|_| self.word()).collect();
                PortValues::Bits((0..width).map(lane).collect())
            }
            WireType::Row(bytes) => {
                let row = |_| (0..records * bytes).map(|_| self.byte()).collect();
                PortValues::Rows((0..width).map(row).collect())
            }
        }
    }

    /// Values of all input ports of a circuit.
    pub fn inputs(&mut self, circuit: &Circuit, records: usize) -> Vec<PortValues> {
        let ports = circuit.inputs().iter();
        ports
            .map(|port| self.values(port.kind, port.wires.len(), records))
            .collect()
    }
}

/// What wires a random circuit has.
#[derive(Clone, Copy, Debug)]
pub enum Wires {
    Bits,
    /// Bits and bytes.
    Bytes,
    /// Rows of so many bytes.
    Rows(usize),
}

/// A wire, and how much noise there may be in it: 2 for a product of encrypted values, 1 for a linear map
/// or a product with a public value.
#[derive(Clone, Copy)]
struct Known {
    wire: Wire,
    weight: usize,
    private: bool,
}

/// A circuit while it grows.
struct Growth<'a> {
    dice: &'a mut Dice,
    builder: Builder,
    bits: Vec<Known>,
    rows: Vec<Known>,
    /// Bytes of a row.
    length: usize,
    /// The most weight.
    most: usize,
}

/// A random circuit of all kinds of gates that suit its wires, at most `most` / 2 products in a row. Among
/// its outputs are inputs as they are, a wire twice, a public wire and constants.
pub fn random_circuit(dice: &mut Dice, wires: Wires, gates: usize, most: usize) -> Circuit {
    let (bits, length) = match wires {
        Wires::Bits => (true, 0),
        Wires::Bytes => (true, 1),
        Wires::Rows(length) => (false, length),
    };
    let mut growth = Growth {
        dice,
        builder: Builder::new(),
        bits: Vec::new(),
        rows: Vec::new(),
        length,
        most,
    };
    for (name, visibility) in [
        ("a", Visibility::Private),
        ("p", Visibility::Public),
        ("b", Visibility::Private),
    ] {
        growth.input(name, visibility, bits);
    }
    for _ in 0..gates {
        match growth.dice.below(2) {
            0 if bits => growth.bit_gate(),
            _ if length > 0 => growth.row_gate(),
            _ => growth.bit_gate(),
        }
    }
    growth.finish()
}

impl Growth<'_> {
    fn input(&mut self, name: &str, visibility: Visibility, bits: bool) {
        let known = |wire: &Wire| Known {
            wire: *wire,
            weight: 0,
            private: visibility == Visibility::Private,
        };
        if bits {
            let word = self.builder.input(format!("{name}_bits"), visibility, 3);
            self.bits.extend(word.wires().iter().map(known));
        }
        if self.length > 0 {
            let rows = self
                .builder
                .input_rows(format!("{name}_rows"), visibility, 2, self.length);
            self.rows.extend(rows.iter().map(known));
        }
    }

    /// Mostly recent wires, so that the circuit gets deep.
    fn pick(&mut self, bits: bool) -> Known {
        let wires = if bits { &self.bits } else { &self.rows };
        let low = match self.dice.below(2) {
            0 => wires.len().saturating_sub(6),
            _ => 0,
        };
        wires[low + self.dice.below(wires.len() - low)]
    }

    fn bit_gate(&mut self) {
        let [a, b] = [(); 2].map(|()| self.pick(true));
        let (sum, product) = (sum(a, b), product(a, b));
        let made = match self.dice.below(16) {
            0 | 1 => (self.builder.not(a.wire), a.weight, a.private),
            2 => {
                let value = self.dice.below(2) == 1;
                (self.builder.constant(value), 0, false)
            }
            3 if self.length == 1 => {
                let byte = self.pick(false);
                if byte.weight < self.most {
                    self.byte_to_bits(byte);
                }
                return;
            }
            4..=9 if product <= self.most => {
                let wire = self.builder.and(a.wire, b.wire);
                (wire, product, a.private || b.private)
            }
            _ => (self.builder.xor(a.wire, b.wire), sum, a.private || b.private),
        };
        self.bits.push(Known {
            wire: made.0,
            weight: made.1,
            private: made.2,
        });
    }

    fn byte_to_bits(&mut self, byte: Known) {
        let bits = self.builder.byte_to_bits(byte.wire).unwrap();
        let known = |wire: &Wire| Known {
            wire: *wire,
            weight: byte.weight + 1,
            ..byte
        };
        self.bits.extend(bits.wires()[..4].iter().map(known));
    }

    fn row_gate(&mut self) {
        let [a, b] = [(); 2].map(|()| self.pick(false));
        let (sum, product) = (sum(a, b), product(a, b));
        let made = match self.dice.below(16) {
            0 => {
                let row: Vec<u8> = (0..self.length).map(|_| self.dice.byte()).collect();
                (self.builder.row_constant(&row), 0, false)
            }
            1 if self.length == 1 => {
                let bits: Vec<Known> = (0..8).map(|_| self.pick(true)).collect();
                let weight = bits.iter().map(|bit| bit.weight).max().unwrap();
                if weight >= self.most {
                    return;
                }
                let word = Word::new(bits.iter().map(|bit| bit.wire).collect());
                let private = bits.iter().any(|bit| bit.private);
                (self.builder.bits_to_byte(&word).unwrap(), weight + 1, private)
            }
            2 | 3 if a.weight < self.most => {
                let power = 1 + self.dice.below(7) as u8;
                let wire = self.builder.frobenius(a.wire, power).unwrap();
                (wire, a.weight + 1, a.private)
            }
            4..=6 if sum < self.most => {
                let maps = [a, b].map(|known| (known.wire, self.map()));
                let wire = self.builder.linear(&maps).unwrap();
                (wire, sum + 1, a.private || b.private)
            }
            7..=10 if product <= self.most => {
                let wire = self.builder.and(a.wire, b.wire);
                (wire, product, a.private || b.private)
            }
            _ => (self.builder.xor(a.wire, b.wire), sum, a.private || b.private),
        };
        self.rows.push(Known {
            wire: made.0,
            weight: made.1,
            private: made.2,
        });
    }

    fn map(&mut self) -> RowMap {
        let (dice, length) = (&mut *self.dice, self.length);
        let entries = (0..1 + dice.below(4)).map(|_| MapEntry {
            target: dice.below(length),
            source: dice.below(length),
            frobenius: dice.below(8) as u8,
            // Ones more often than by chance.
            factor: if dice.below(3) == 0 { 1 } else { dice.byte() },
        });
        let entries: Vec<MapEntry> = entries.collect();
        RowMap::new(length, length, entries).unwrap()
    }

    fn finish(mut self) -> Circuit {
        if !self.bits.is_empty() {
            let recent: Vec<Wire> = self.bits.iter().rev().take(5).map(|known| known.wire).collect();
            self.builder.output("bits", &Word::new(recent.clone()));
            let constant = self.builder.constant(true);
            // A private input, a public one, and a wire twice.
            let odd = [
                self.bits[0].wire,
                self.bits[3].wire,
                recent[0],
                constant,
                recent[0],
            ];
            self.builder.output("odd_bits", &Word::new(odd.to_vec()));
        }
        if !self.rows.is_empty() {
            let recent: Vec<Wire> = self.rows.iter().rev().take(4).map(|known| known.wire).collect();
            self.builder.output_rows("rows", &recent);
            let constant = self.builder.row_constant(&vec![7; self.length]);
            let odd = [
                self.rows[0].wire,
                self.rows[2].wire,
                recent[0],
                constant,
                recent[0],
            ];
            self.builder.output_rows("odd_rows", &odd);
        }
        self.builder.finish().unwrap()
    }
}

/// The weight of a sum.
fn sum(a: Known, b: Known) -> usize {
    a.weight.max(b.weight)
}

/// The weight of a product.
fn product(a: Known, b: Known) -> usize {
    let own = match (a.private, b.private) {
        (true, true) => 2,
        (false, false) => 0,
        _ => 1,
    };
    sum(a, b) + own
}

/// a AND itself rotated, `depth` times over.
pub fn tower(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut word = builder.input("a", Visibility::Private, 4);
    for _ in 0..depth {
        let product = builder.and_words(&word, &word.rotate_left(1)).unwrap();
        word = builder.xor_words(&product, &word.rotate_left(2)).unwrap();
    }
    builder.output("x", &word);
    builder.finish().unwrap()
}
