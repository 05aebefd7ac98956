//! Circuits of inputs, and values for their ports.

use ringmill_circuit::bristol::{self, BristolError, Ports};
use ringmill_circuit::{Builder, Circuit, CircuitError, PortValues, Visibility, Wire, Word};

use crate::mutator::Dice;

/// Reads a circuit in Bristol Fashion.
pub fn read(text: &[u8]) -> Result<Circuit, BristolError> {
    bristol::read(text, &Ports::default())
}

/// Circuits in Bristol Fashion and in the older format: of all gates.
pub fn texts() -> Vec<Vec<u8>> {
    let fashion = "7 11\n2 2 1\n2 1 2\n\n2 1 0 1 3 AND\n2 1 3 2 4 XOR\n1 1 4 5 INV\n1 1 1 6 EQ\n1 1 5 7 EQW\n\
                   4 2 0 1 2 7 8 9 MAND\n2 1 9 6 10 XOR\n";
    let older = "2 4\n1 1 1\n\n2 1 0 1 2 AND\n1 1 2 3 INV\n";
    [fashion, older, "1 2\n1 1\n1 1\n\n1 1 0 1 INV\n"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}

/// Words of such files.
pub const WORDS: &[&str] = &[
    "AND",
    "XOR",
    "INV",
    "EQ",
    "EQW",
    "MAND",
    "NOT",
    "\n",
    "\n\n",
    " ",
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "10",
    "4294967295",
    "4294967296",
    "1048577",
    "-1",
    "1 1 ",
    "2 1 ",
];

/// Values of all input ports for so many words of records, the same every time.
pub fn values(circuit: &Circuit, words: usize) -> Vec<PortValues> {
    let mut dice = Dice::new(circuit.gates().len() as u64);
    let mut wire = |_: &Wire| (0..words).map(|_| dice.word()).collect();
    let ports = circuit.inputs().iter();
    ports
        .map(|port| PortValues::Bits(port.wires.iter().map(&mut wire).collect()))
        .collect()
}

/// Checks that a circuit can be evaluated, and that nothing changes when it is written as Bristol Fashion and read again.
pub fn is_kept(circuit: &Circuit) {
    let mut written = Vec::new();
    bristol::write(circuit, &mut written).expect("writing to memory");
    let again = read(&written).expect("what was written");
    let inputs = values(circuit, 1);
    let evaluate = |circuit: &Circuit| circuit.evaluate(&inputs).expect("inputs that fit");
    assert_eq!(evaluate(circuit), evaluate(&again));
}

/// The most gates of a circuit that is grown.
const MOST_GATES: usize = 60;

/// Builds a circuit on bits: three bytes are a gate and its operands, counted backwards from the last wire. The last
/// wires are outputs, and so are some that need no gate.
pub fn grown(input: &[u8]) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let mut wires = vec![builder.constant(true)];
    let ports = [
        ("a", Visibility::Private),
        ("p", Visibility::Public),
        ("b", Visibility::Private),
    ];
    for (name, visibility) in ports {
        wires.extend(builder.input(name, visibility, 3).wires());
    }
    let inputs = wires.clone();
    for gate in input.chunks_exact(3).take(MOST_GATES) {
        let pick = |byte: u8| wires[wires.len() - 1 - usize::from(byte) % wires.len()];
        let (a, b) = (pick(gate[1]), pick(gate[2]));
        let made = match gate[0] % 8 {
            0..=2 => builder.and(a, b),
            3..=5 => builder.xor(a, b),
            6 => builder.not(a),
            _ => {
                let (product, sum) = (builder.and(a, b), builder.xor(a, b));
                builder.xor(product, sum)
            }
        };
        wires.push(made);
    }
    let last = wires[wires.len() - 6..].to_vec();
    builder.output("y", &Word::new(last));
    // Inputs as they are, one of them twice, a public one and a constant.
    builder.output("z", &Word::new(vec![inputs[1], inputs[1], inputs[5], inputs[0]]));
    builder.finish()
}

/// Bytes of circuits: a chain of products, sums of products, and a mixture.
pub fn grown_seeds() -> Vec<Vec<u8>> {
    let chain = [[0, 0, 1]; 3].concat();
    let sums = [[0, 0, 5], [0, 2, 4], [3, 0, 1], [0, 4, 8], [4, 0, 1], [6, 0, 0]].concat();
    let mixture = (0..60u8).map(|i| i.wrapping_mul(37) ^ i >> 2).collect();
    vec![chain, sums, mixture, Vec::new()]
}
