//! Circuit files: what is read is read again from what is written of it, and computes the same.

use ringmill_circuit::bristol;

use super::circuits::{WORDS, read, texts, values};
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "bristol",
    readers: &[Reader {
        name: "text",
        read: text,
        seeds: texts,
    }],
    words: WORDS,
    longest: 4000,
    // Input bits take no space in a text: a million of them are allowed.
    memory: 512 << 20,
};

fn text(text: &[u8]) -> Verdict {
    let circuit = read(text).map_err(refused)?;
    let mut written = Vec::new();
    bristol::write(&circuit, &mut written).expect("writing to memory");
    let again = read(&written).expect("what was written");
    let inputs = values(&circuit, 1);
    let evaluate = |circuit: &ringmill_circuit::Circuit| circuit.evaluate(&inputs).expect("inputs that fit");
    assert_eq!(evaluate(&circuit), evaluate(&again));
    Ok(())
}
