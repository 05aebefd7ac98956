//! Circuit files: whatever is read is either refused, or computes the same once written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringmill_circuit::bristol::{self, Ports};

fuzz_target!(|data: &[u8]| {
    let Ok(circuit) = bristol::read(data, &Ports::default()) else { return };
    let mut written = Vec::new();
    bristol::write(&circuit, &mut written).expect("writing to memory");
    let again = bristol::read(written.as_slice(), &Ports::default()).expect("what was written");
    let inputs: Vec<Vec<Vec<u64>>> = circuit
        .inputs()
        .iter()
        .map(|port| port.wires.iter().map(|wire| vec![0x9e37_79b9_7f4a_7c15_u64.rotate_left(wire.index() as u32)]).collect())
        .collect();
    let evaluate = |circuit: &ringmill_circuit::Circuit| circuit.evaluate(&inputs).expect("inputs that fit");
    assert_eq!(evaluate(&circuit), evaluate(&again));
});
