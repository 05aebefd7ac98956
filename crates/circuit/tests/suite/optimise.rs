//! Tests what the optimiser preserves and what it gains.

use proptest::prelude::*;
use ringmill_circuit::optimise::{Measures, Variant, front, variant};
use ringmill_circuit::{
    Analysis, Builder, ByteMap, Circuit, Gate, InputPort, OutputPort, PortValues, Visibility, Wire, WireType,
    Word, bundled,
};

use crate::common::{all, run, slice, some};

/// A circuit on single bits, with one output.
fn circuit(inputs: usize, write: impl FnOnce(&mut Builder, &[Wire]) -> Wire) -> Circuit {
    let mut builder = Builder::new();
    let bits = builder.input("x", Visibility::Private, inputs);
    let result = write(&mut builder, bits.wires());
    builder.output("y", &Word::new(vec![result]));
    builder.finish().unwrap()
}

fn assert_same_ports(left: &Circuit, right: &Circuit) {
    let inputs = |circuit: &Circuit| -> Vec<_> {
        let ports = circuit.inputs().iter();
        ports
            .map(|port| (port.name.clone(), port.visibility, port.kind, port.wires.len()))
            .collect()
    };
    let outputs = |circuit: &Circuit| -> Vec<_> {
        circuit
            .outputs()
            .iter()
            .map(|port| (port.name.clone(), port.kind, port.wires.len()))
            .collect()
    };
    assert_eq!(inputs(left), inputs(right));
    assert_eq!(outputs(left), outputs(right));
}

fn assert_same_values(left: &Circuit, right: &Circuit, records: &[Vec<u128>]) {
    assert!(run(left, records) == run(right, records));
}

fn widths(circuit: &Circuit) -> Vec<usize> {
    circuit.inputs().iter().map(|port| port.wires.len()).collect()
}

/// Returns the variants after checking their invariants: the ports are the same, each variant is shallower
/// than the one before and takes more ANDs, the circuit itself is as good as none of them, growth is
/// limited, and no gate is dead.
fn variants(circuit: &Circuit) -> Vec<Variant> {
    let variants = front(circuit, &mut |fraction| assert!((0.0..=1.0).contains(&fraction))).unwrap();
    let given = Measures::of(circuit);
    for variant in &variants {
        assert_same_ports(circuit, &variant.circuit);
        assert_eq!(variant.measures, Measures::of(&variant.circuit));
        let (depth, count) = (variant.measures.and_depth, variant.measures.and_count);
        assert!(depth < given.and_depth || count < given.and_count);
        assert!(count <= 8 * given.and_count);
        let facts = Analysis::new(&variant.circuit);
        let live = facts.wires().iter().zip(variant.circuit.gates());
        assert!(
            live.into_iter()
                .all(|(facts, gate)| facts.live || *gate == Gate::Input)
        );
    }
    for pair in variants.windows(2) {
        let [left, right] = [0, 1].map(|place| pair[place].measures);
        assert!(left.and_depth > right.and_depth && left.and_count < right.and_count);
    }
    variants
}

/// Checks all variants on records, and returns the depth and the ANDs of the circuit and of the shallowest
/// variant.
fn gains(circuit: &Circuit) -> ((u32, usize), (u32, usize)) {
    let widths = widths(circuit);
    let records = match widths.iter().sum::<usize>() {
        0..=12 => all(&widths),
        _ => some(&widths, 500),
    };
    let variants = variants(circuit);
    for variant in &variants {
        assert_same_values(circuit, &variant.circuit, &records);
    }
    let key = |measures: Measures| (measures.and_depth, measures.and_count);
    let before = Measures::of(circuit);
    let shallowest = variants.last().map(|variant| variant.measures);
    let after = shallowest
        .filter(|after| key(*after) < key(before))
        .unwrap_or(before);
    (key(before), key(after))
}

/// The fewest ANDs among all variants and the circuit.
fn fewest(circuit: &Circuit) -> usize {
    let counts = variants(circuit)
        .into_iter()
        .map(|variant| variant.measures.and_count);
    counts.fold(circuit.and_count(), usize::min)
}

/// `x0 + x1 (x2 + x3 (...))`.
fn ladder(steps: usize) -> Circuit {
    circuit(2 * steps + 1, |b, x| {
        x[1..].chunks(2).fold(x[0], |carry, pair| {
            let product = b.and(pair[0], carry);
            b.xor(pair[1], product)
        })
    })
}

#[test]
fn chains_become_trees() {
    let chain = circuit(11, |b, x| x[1..].iter().fold(x[0], |all, bit| b.and(all, *bit)));
    assert_eq!(gains(&chain), ((10, 10), (4, 10)));
    // The last factors come late: the others go first.
    let late = circuit(8, |b, x| {
        let deep = x[1..4].iter().fold(x[0], |all, bit| b.and(all, *bit));
        let sum = b.xor(deep, x[4]);
        x[5..].iter().fold(sum, |all, bit| b.and(all, *bit))
    });
    assert_eq!(gains(&late), ((6, 6), (3, 6)));
}

#[test]
fn common_factors_are_taken_out() {
    let sum = circuit(5, |b, x| {
        let products: Vec<Wire> = x[1..].iter().map(|bit| b.and(x[0], *bit)).collect();
        products[1..]
            .iter()
            .fold(products[0], |sum, product| b.xor(sum, *product))
    });
    assert_eq!(gains(&sum), ((1, 4), (1, 1)));
}

#[test]
fn sums_cancel() {
    // (x0 x1 + x2) + (x3 + x0 x1), with complements on the way.
    let sum = circuit(4, |b, x| {
        let product = b.and(x[0], x[1]);
        let other = b.not(product);
        let left = b.xor(product, x[2]);
        let right = b.xor(x[3], other);
        b.xor(left, right)
    });
    let better = variants(&sum).pop().unwrap();
    assert_eq!((better.measures.and_count, better.measures.xor_count), (0, 1));
    assert_same_values(&sum, &better.circuit, &all(&[4]));
}

#[test]
fn ladders_become_prefix_form() {
    assert_eq!(gains(&ladder(6)), ((6, 6), (3, 9)));
    let ((before, ands), (after, grown)) = gains(&ladder(48));
    assert_eq!((before, ands), (48, 48));
    assert!(after <= 7 && grown <= 3 * ands, "depth {after} with {grown} ANDs");
}

#[test]
fn ripple_carry_adders_become_prefix_adders() {
    let mut builder = Builder::new();
    let (a, b) = (
        builder.input("a", Visibility::Private, 24),
        builder.input("b", Visibility::Private, 24),
    );
    let mut carry = builder.constant(false);
    let mut bits = Vec::new();
    for (a, b) in a.wires().iter().zip(b.wires()) {
        let (left, right) = (builder.xor(*a, carry), builder.xor(*b, carry));
        bits.push(builder.xor(left, *b));
        let change = builder.and(left, right);
        carry = builder.xor(change, carry);
    }
    builder.output("sum", &Word::new(bits));
    let adder = builder.finish().unwrap();
    let ((before, _), (after, grown)) = gains(&adder);
    assert_eq!(before, 23);
    assert!(after <= 6 && grown <= 184, "depth {after} with {grown} ANDs");
    assert_eq!(fewest(&adder), 23);
}

/// A ripple-carry adder whose carries are `a b + (a + b) c`, with ORs as in collections of circuits, takes
/// one AND a bit. Between that and the least depth there are many variants.
#[test]
fn adders_have_variants_between_few_ands_and_little_depth() {
    let mut builder = Builder::new();
    let [a, b] = ["a", "b"].map(|name| builder.input(name, Visibility::Private, 16));
    let mut carry = builder.constant(false);
    let mut bits = Vec::new();
    for (a, b) in a.wires().iter().zip(b.wires()) {
        let (sum, both) = (builder.xor(*a, *b), builder.and(*a, *b));
        bits.push(builder.xor(sum, carry));
        let passed = builder.and(sum, carry);
        let [not_both, not_passed] = [both, passed].map(|wire| builder.not(wire));
        let none = builder.and(not_both, not_passed);
        carry = builder.not(none);
    }
    bits.push(carry);
    builder.output("sum", &Word::new(bits));
    let adder = builder.finish().unwrap();
    let ((before, _), (after, _)) = gains(&adder);
    assert!(before > 16 && after <= 5, "{before} {after}");
    let variants = variants(&adder);
    assert_eq!(variants[0].measures.and_count, 16);
    assert!(variants.len() >= 6, "{}", variants.len());
}

/// Nothing depends on chance, such as the order of hash tables.
#[test]
fn the_same_circuit_gives_the_same_variants() {
    let ladder = ladder(40);
    let digests = || -> Vec<[u8; 32]> {
        let variants = variants(&ladder).into_iter();
        variants.map(|variant| variant.circuit.digest()).collect()
    };
    let first = digests();
    assert!(!first.is_empty());
    for _ in 0..3 {
        assert_eq!(digests(), first);
    }
}

/// The variants are the same on one thread and on several. Each is found by its digest, and nothing is found
/// by another digest.
#[test]
fn threads_make_no_difference() {
    let circuit = bundled::circuit("less32").unwrap().unwrap();
    let [one, several] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let made = variants(&circuit);
            for known in &made {
                let found = variant(&circuit, known.circuit.digest(), &mut |_| ()).unwrap();
                assert!(found.unwrap() == known.circuit);
            }
            assert!(variant(&circuit, [7; 32], &mut |_| ()).unwrap().is_none());
            made.into_iter()
                .map(|variant| variant.circuit)
                .collect::<Vec<_>>()
        })
    });
    assert!(one == several && !one.is_empty());
}

#[test]
fn unused_inputs_constants_and_shared_outputs_stay() {
    let mut builder = Builder::new();
    let unused = builder.input("unused", Visibility::Public, 3);
    let x = builder.input("x", Visibility::Private, 2);
    let one = builder.constant_word([true]);
    let product = builder.and(x.wires()[0], x.wires()[1]);
    let product = Word::new(vec![product, product]);
    builder.output("constant", &one);
    builder.output("copies", &product.concat(&x).concat(&unused.rotate_left(1)));
    let circuit = builder.finish().unwrap();
    assert_eq!(gains(&circuit), ((1, 1), (1, 1)));
}

#[test]
fn small_bundled_circuits_are_hardly_improved() {
    for name in ["add8", "multiply8", "less32", "equal32", "max32", "hamming64"] {
        let circuit = bundled::circuit(name).unwrap().unwrap();
        let ((depth, ands), (better_depth, better_ands)) = gains(&circuit);
        assert!(better_depth <= depth, "{name}");
        assert!(better_depth < depth || better_ands <= ands, "{name}");
    }
}

/// The large circuits are checked on random records. Rewriting polynomials takes most of the time there, so
/// AES is left to `aes_gets_shallower`.
#[test]
fn large_bundled_circuits_stay_what_they_are() {
    for name in [
        "add32",
        "add64",
        "multiply16",
        "multiply32",
        "simon-encrypt",
        "simon-decrypt",
    ] {
        let circuit = bundled::circuit(name).unwrap().unwrap();
        let ((depth, _), (better_depth, _)) = gains(&circuit);
        assert!(better_depth <= depth, "{name}");
    }
}

/// The depth falls to three quarters, because the S-box is a polynomial of degree 7 in eight bits. One
/// record holds all 1408 bits of a key, so the ports are filled with random lanes instead of numbers.
#[test]
fn aes_gets_shallower() {
    for name in ["aes128-encrypt", "aes128-decrypt"] {
        let circuit = bundled::circuit(name).unwrap().unwrap();
        let variants = variants(&circuit);
        let better = variants.last().unwrap();
        assert_eq!(better.measures.and_depth, 30, "{name}");
        assert!(better.measures.and_count <= 3 * 5280, "{}", better.measures);
        let lanes = some(&[64; 4], 128 + 1408);
        let lane = |numbers: &Vec<u128>| numbers.iter().map(|number| *number as u64).collect();
        let lanes: Vec<Vec<u64>> = lanes.iter().map(lane).collect();
        let inputs = [&lanes[..128], &lanes[128..]].map(|lanes| lanes.to_vec().into());
        for variant in &variants {
            assert!(circuit.evaluate(&inputs).unwrap() == variant.circuit.evaluate(&inputs).unwrap());
        }
    }
}

/// Evaluates two circuits with the inputs `x`, 4 bits, and `r`, one byte, on all
/// 4096 records.
fn assert_same_mixed_values(left: &Circuit, right: &Circuit) {
    let numbers: Vec<u128> = (0..4096).collect();
    let bits = PortValues::Bits(slice(&numbers, 4));
    let bytes = numbers.iter().map(|number| (number >> 4) as u8).collect();
    let inputs = [bits, PortValues::Rows(vec![bytes])];
    assert!(left.evaluate(&inputs).unwrap() == right.evaluate(&inputs).unwrap());
}

/// There are products on either side of a ladder on bits; only the ladder gets shallower.
#[test]
fn gates_on_rows_stay_and_bits_between_them_are_optimised() {
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, 4);
    let r = builder.input_rows("r", Visibility::Private, 1, 1)[0];
    let inverse = builder.inverse(r).unwrap();
    let bits = builder.byte_to_bits(inverse).unwrap();
    let mut carry = x.wires()[0];
    let mut carries = Vec::new();
    for (index, bit) in bits.wires().iter().enumerate() {
        let product = builder.and(*bit, carry);
        carry = builder.xor(x.wires()[index % 4], product);
        carries.push(carry);
    }
    let byte = builder.bits_to_byte(&Word::new(carries)).unwrap();
    let result = builder.inverse(byte).unwrap();
    builder.output("carry", &Word::new(vec![carry]));
    builder.output_rows("result", &[result]);
    let circuit = builder.finish().unwrap();

    let variants = variants(&circuit);
    let better = &variants.last().unwrap().circuit;
    assert_same_mixed_values(&circuit, better);
    assert_eq!(circuit.and_depth(), 3 + 8 + 3);
    assert_eq!(better.and_depth(), 3 + 4 + 3);
    let row_products = |circuit: &Circuit| {
        let gates = circuit.numbered_gates();
        let is_bit = |wire| circuit.kind(wire).unwrap().is_bit();
        gates
            .filter(|(wire, gate)| matches!(gate, Gate::And(..)) && !is_bit(*wire))
            .count()
    };
    assert_eq!((row_products(&circuit), row_products(better)), (8, 8));
    assert_eq!(circuit.linear_count(), better.linear_count());
}

/// A value from a row may turn out to be constant only when sums cancel.
#[test]
fn constants_found_reach_gates_on_rows() {
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, 4);
    let r = builder.input_rows("r", Visibility::Private, 1, 1)[0];
    let [a, b] = [0, 1].map(|index| x.wires()[index]);
    let (sum, product) = (builder.xor(a, b), builder.and(a, b));
    let square = builder.and(sum, a);
    let zero = builder.xor(square, product);
    let zero = builder.xor(zero, a);
    let one = builder.not(zero);
    let ones = builder.bits_to_byte(&Word::new(vec![one; 8])).unwrap();
    let product = builder.and(ones, r);
    let bits = builder.byte_to_bits(ones).unwrap();
    builder.output("bits", &bits);
    builder.output_rows("product", &[product]);
    let circuit = builder.finish().unwrap();
    let better = variants(&circuit).pop().unwrap();
    assert_same_mixed_values(&circuit, &better.circuit);
    assert_eq!((better.measures.and_depth, better.measures.and_count), (1, 1));
    assert_eq!(better.circuit.linear_count(), 0);
}

/// Circuits on four bits `x` and a byte `r` with gates of all kinds.
fn mixed_circuits() -> impl Strategy<Value = Circuit> {
    let gates = prop::collection::vec((0..16_u8, any::<u16>(), any::<u16>()), 1..60);
    gates.prop_map(|choices| {
        let mut builder = Builder::new();
        let mut bits = builder.input("x", Visibility::Private, 4).wires().to_vec();
        let mut rows = builder.input_rows("r", Visibility::Private, 1, 1);
        for (kind, left, right) in choices {
            let pick = |wires: &[Wire], choice: u16| wires[wires.len() - 1 - choice as usize % wires.len()];
            let [a, b] = [left, right].map(|choice| pick(&bits, choice % 12));
            let [r, s] = [left, right].map(|choice| pick(&rows, choice % 4));
            match kind {
                0..=3 => bits.push(builder.and(a, b)),
                4..=6 => bits.push(builder.xor(a, b)),
                7 => bits.push(builder.not(a)),
                8 => bits.extend(builder.byte_to_bits(r).unwrap().wires()),
                9 | 10 => {
                    let word = Word::new(
                        (0..8)
                            .map(|index| pick(&bits, left.wrapping_add(right.wrapping_mul(index))))
                            .collect(),
                    );
                    rows.push(builder.bits_to_byte(&word).unwrap());
                }
                11 => rows.push(builder.row_constant(&[left as u8])),
                12 => rows.push(builder.xor(r, s)),
                13 => rows.push(builder.and(r, s)),
                14 => rows.push(builder.bytewise(r, ByteMap::multiple(right as u8)).unwrap()),
                _ => bits.push(builder.constant(left % 2 == 1)),
            }
        }
        let last = bits.len().saturating_sub(3);
        builder.output("bits", &Word::new(bits[last..].to_vec()));
        let last = rows.len().saturating_sub(2);
        builder.output_rows("rows", &rows[last..]);
        builder.finish().unwrap()
    })
}

/// Circuits on at most eight inputs with gates of all kinds in any order.
fn circuits() -> impl Strategy<Value = Circuit> {
    let gates = prop::collection::vec((0..7_u8, any::<u32>(), any::<u32>()), 1..120);
    let outputs = prop::collection::vec(any::<prop::sample::Index>(), 1..6);
    // References near the end of the list make circuits deep.
    (1..9_u32, 1..20_u32, gates, outputs).prop_map(|(inputs, window, choices, outputs)| {
        let mut gates = vec![Gate::Input; inputs as usize];
        for (index, (kind, left, right)) in (inputs..).zip(choices) {
            let near = |choice: u32| Wire::new(index - 1 - choice % window.min(index));
            let any = |choice: u32| Wire::new(choice % index);
            gates.push(match kind {
                0 => Gate::Constant(left % 2 == 1),
                1 => Gate::Not(near(left)),
                2 | 3 => Gate::Xor(near(left), any(right)),
                _ => Gate::And(near(left), any(right)),
            });
        }
        let wires = (0..inputs).map(Wire::new).collect();
        let inputs = vec![InputPort {
            name: "x".into(),
            visibility: Visibility::Private,
            kind: WireType::Bit,
            wires,
        }];
        let wires = outputs
            .into_iter()
            .map(|index| Wire::new(index.index(gates.len()) as u32))
            .collect();
        let outputs = vec![OutputPort {
            name: "y".into(),
            kind: WireType::Bit,
            wires,
        }];
        Circuit::new(gates, inputs, outputs).unwrap()
    })
}

proptest! {
    #[test]
    fn small_circuits_compute_the_same_on_all_inputs(circuit in circuits()) {
        for variant in variants(&circuit) {
            assert_same_values(&circuit, &variant.circuit, &all(&widths(&circuit)));
        }
    }

    #[test]
    fn circuits_with_rows_compute_the_same_on_all_inputs(circuit in mixed_circuits()) {
        for variant in variants(&circuit) {
            assert_same_mixed_values(&circuit, &variant.circuit);
        }
    }
}
