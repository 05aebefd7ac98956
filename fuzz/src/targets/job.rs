//! Circuits in job files: the steps that make them. What is read is written back the same, and makes the same circuit.

use ringmill::circuit::{Builder, Visibility};
use ringmill::fuzzing::{circuit_of_steps, steps_of_circuit};
use ringmill::{NamedCircuit, circuits};

use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "job",
    readers: &[Reader {
        name: "steps",
        read: steps,
        seeds,
    }],
    words: &["and8", "less32", "a", "b", "add8", "\u{4}", "\u{5}"],
    longest: 2000,
    // AES-256 is the largest of the circuits that come with the library.
    memory: 64 << 20,
};

fn steps(payload: &[u8]) -> Verdict {
    let (circuit, written) = circuit_of_steps(payload).map_err(refused)?;
    assert_eq!(written, payload);
    assert_eq!(steps_of_circuit(&circuit), payload);
    Ok(())
}

fn seeds() -> Vec<Vec<u8>> {
    let named = |name: &str| circuits::by_name(name).expect("there is one");
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let text = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 AND\n";
    let bristol = circuits::from_bristol("two", text.as_bytes()).expect("a circuit");
    let bristol = bristol
        .with_names(&list(&["a", "b"]), &list(&["c"]))
        .expect("names");
    let chain = circuits::chain(vec![named("add32"), named("less32")], &list(&["less32.a"]), false);
    let widened = circuits::chain(
        vec![named("hamming64"), named("less32")],
        &list(&["less32.b"]),
        true,
    );
    let mut builder = Builder::new();
    let word = builder.input("x", Visibility::Public, 2);
    let not = builder.not(word.wires()[0]);
    let both = builder.and(not, word.wires()[1]);
    builder.output("y", &ringmill::circuit::Word::new(vec![both, not]));
    let gates = NamedCircuit::new("gates", builder.finish().expect("a circuit"));
    let expression = |name: &str, text: &str| {
        circuits::from_expression(name, text, &circuits::KnownTypes::default()).expect("a program")
    };
    let all = [
        named("and8"),
        bristol,
        gates,
        chain.expect("a chain"),
        expression("i", "x: i8; y = x < 0; z = -x"),
        widened.expect("a chain"),
        expression("t", "x: i8; some = records.any(x > 3); sum = records.sum(x)"),
    ];
    let mut seeds: Vec<Vec<u8>> = all.iter().map(steps_of_circuit).collect();
    // A second step that would extend the 32 bits of the sum to 32: refused, as the circuit would not have it.
    let mut idle = steps_of_circuit(&named("add32"));
    idle[0] = 2;
    idle.extend([7, 1, 0, 0, 0, 32, 0, 0, 0]);
    seeds.push(idle);
    seeds
}
