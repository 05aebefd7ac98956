//! Circuit files: whatever is read is either refused, or computes the same once written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringmill_circuit::bristol::{self, Ports};
use ringmill_circuit::{PortValues, Wire};

fuzz_target!(|data: &[u8]| {
    let Ok(circuit) = bristol::read(data, &Ports::default()) else { return };
    let mut written = Vec::new();
    bristol::write(&circuit, &mut written).expect("writing to memory");
    let again = bristol::read(written.as_slice(), &Ports::default()).expect("what was written");
    let lanes = |port: &ringmill_circuit::InputPort| {
        let word = |wire: &Wire| vec![0x9e37_79b9_7f4a_7c15_u64.rotate_left(wire.index() as u32)];
        PortValues::Bits(port.wires.iter().map(word).collect())
    };
    let inputs: Vec<PortValues> = circuit.inputs().iter().map(lanes).collect();
    let evaluate = |circuit: &ringmill_circuit::Circuit| circuit.evaluate(&inputs).expect("inputs that fit");
    assert_eq!(evaluate(&circuit), evaluate(&again));
});
