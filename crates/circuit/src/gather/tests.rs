use super::*;
use crate::Gate;

/// Small random numbers, by xorshift.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A circuit that returns its only input.
fn identity(width: usize) -> Circuit {
    let mut builder = Builder::new();
    let x = builder.input("x", Visibility::Private, width);
    builder.output("x", &x);
    builder.finish().unwrap()
}

/// The result of each record, by the definition of moves.
fn evaluate(gathered: &Gathered, group: &RecordGroup, values: &[u64]) -> Vec<i128> {
    let circuit = gathered.circuit();
    let moves: HashMap<Wire, Move> = gathered.moves().map(|found| (found.wire, found)).collect();
    let [x, present] = &circuit.inputs()[..2] else {
        panic!("too few inputs");
    };
    let mut wires: Vec<Vec<bool>> = Vec::new();
    for (wire, gate) in circuit.numbered_gates() {
        let value = |record: usize| match gate {
            Gate::Input => match moves.get(&wire) {
                Some(found) => wires[found.source.index()][group.product(record, 1 << found.step)],
                None if present.wires[0] == wire => record < values.len(),
                None => {
                    let bit = x.wires.iter().position(|own| *own == wire).unwrap();
                    // What is in slots without a record must not matter.
                    values.get(record).unwrap_or(&0xa5a5_5a5a) >> bit & 1 == 1
                }
            },
            Gate::Constant(value) => value,
            Gate::Xor(a, b) => wires[a.index()][record] ^ wires[b.index()][record],
            Gate::And(a, b) => wires[a.index()][record] & wires[b.index()][record],
            Gate::Not(a) => !wires[a.index()][record],
            Gate::Value(_) | Gate::Linear(_) => panic!("a gate of rows"),
        };
        wires.push((0..group.order()).map(value).collect());
    }
    let port = &circuit.outputs()[0].wires;
    let bit = |record: usize, (place, wire): (usize, &Wire)| i128::from(wires[wire.index()][record]) << place;
    (0..group.order())
        .map(|record| port.iter().enumerate().map(|found| bit(record, found)).sum())
        .collect()
}

fn expected(aggregate: Aggregate, width: usize, values: &[u64]) -> i128 {
    let signed = aggregate.signedness == Signedness::Signed;
    let numbers = values.iter().map(|value| match value >> (width - 1) {
        1 if signed && !aggregate.kind.takes_bits() => i128::from(*value) - (1 << width),
        _ => i128::from(*value),
    });
    match aggregate.kind {
        AggregateKind::Count | AggregateKind::Sum => numbers.sum(),
        AggregateKind::Any | AggregateKind::Max => numbers.max().unwrap(),
        AggregateKind::All | AggregateKind::Min => numbers.min().unwrap(),
    }
}

fn groups() -> Vec<RecordGroup> {
    [
        vec![],
        vec![0],
        vec![0, 0, 0],
        vec![0, 1, 2, 0],
        vec![0, 1, 1, 6, 9],
        vec![0; 6],
    ]
    .map(|squares| RecordGroup::new(squares).unwrap())
    .into()
}

#[test]
fn totals_are_those_of_integers() {
    let mut dice = Dice(7);
    for group in groups() {
        for kind in AggregateKind::ALL {
            let widths = if kind.takes_bits() { 1..2 } else { 1..6 };
            for (width, signedness) in widths.flat_map(|width| {
                [Signedness::Unsigned, Signedness::Signed].map(|signedness| (width, signedness))
            }) {
                let aggregate = Aggregate { kind, signedness };
                let gathered = Gathered::new(&identity(width), &[aggregate], &group).unwrap();
                let bits = aggregate.batch_width(width, group.steps());
                for round in 0..12 {
                    let count = match round {
                        0 => group.order(),
                        1 => 1,
                        _ => 1 + dice.word() as usize % group.order(),
                    };
                    let mask = (1 << width) - 1;
                    let value = |_| match round {
                        2 => mask,
                        3 => 0,
                        _ => dice.word() & mask,
                    };
                    let values: Vec<u64> = (0..count).map(value).collect();
                    let expected = expected(aggregate, width, &values) & ((1 << bits) - 1);
                    let found = evaluate(&gathered, &group, &values);
                    assert_eq!(
                        found,
                        vec![expected; group.order()],
                        "{aggregate:?} {width} {group:?} {values:?}"
                    );
                }
            }
        }
    }
}

/// The depths that the documentation gives; the products with the public bit are not counted.
#[test]
fn depths_are_as_documented() {
    let depths = |kind, width, steps| {
        let aggregate = Aggregate {
            kind,
            signedness: Signedness::Unsigned,
        };
        let group = RecordGroup::new(vec![0; steps]).unwrap();
        let gathered = Gathered::new(&identity(width), &[aggregate], &group).unwrap();
        let products = gathered.circuit().and_count() - width;
        (depth(&gathered) - 1, products, gathered.moves().count())
    };
    // Depth, products and moves over 512 and 2048 records.
    for (kind, width, expected) in [
        (AggregateKind::Any, 1, [(9, 9, 9), (11, 11, 11)]),
        (AggregateKind::Count, 1, [(9, 45, 45), (11, 66, 66)]),
        (AggregateKind::Sum, 8, [(16, 213, 183), (18, 277, 244)]),
        (AggregateKind::Sum, 18, [(20, 473, 353), (24, 590, 454)]),
        (AggregateKind::Sum, 32, [(21, 872, 591), (25, 1066, 748)]),
        (AggregateKind::Max, 8, [(27, 462, 270), (34, 529, 305)]),
        (AggregateKind::Max, 18, [(30, 1140, 540), (38, 1311, 615)]),
        (AggregateKind::Max, 32, [(33, 2232, 918), (42, 2569, 1049)]),
    ] {
        assert_eq!(
            [9, 11].map(|steps| depths(kind, width, steps)),
            expected,
            "{kind} of {width} bits"
        );
    }
}

#[test]
fn unsuitable_ports_are_refused() {
    let group = RecordGroup::new(vec![0]).unwrap();
    let refused = |circuit: &Circuit, kinds: &[AggregateKind]| {
        let aggregate = |kind: &AggregateKind| Aggregate {
            kind: *kind,
            signedness: Signedness::Unsigned,
        };
        let aggregates: Vec<Aggregate> = kinds.iter().map(aggregate).collect();
        Gathered::new(circuit, &aggregates, &group)
            .unwrap_err()
            .to_string()
    };
    let error = refused(&identity(3), &[AggregateKind::Count]);
    assert!(
        error.contains("count") && error.contains("\"x\"") && error.contains("3 wires"),
        "{error}"
    );
    let error = refused(&identity(3), &[]);
    assert!(error.contains("0 aggregates for 1 output port"), "{error}");
    let mut builder = Builder::new();
    let rows = builder.input_rows("r", Visibility::Private, 1, 4);
    builder.output_rows("r", &rows);
    let error = refused(&builder.finish().unwrap(), &[AggregateKind::Sum]);
    assert!(error.contains("row of 4 bytes"), "{error}");
}

/// The most products in a row, through moves too.
fn depth(gathered: &Gathered) -> u32 {
    let circuit = gathered.circuit();
    let moves: HashMap<Wire, Wire> = gathered.moves().map(|found| (found.wire, found.source)).collect();
    let mut depths: Vec<u32> = Vec::new();
    for (wire, gate) in circuit.numbered_gates() {
        let operands = circuit.operands(gate).chain(moves.get(&wire).copied());
        let deepest = operands.map(|operand| depths[operand.index()]).max().unwrap_or(0);
        depths.push(deepest + u32::from(gate.is_product()));
    }
    let results = circuit.outputs().iter().take(gathered.outputs());
    results
        .flat_map(|port| &port.wires)
        .map(|wire| depths[wire.index()])
        .max()
        .unwrap()
}
