//! Circuits on numbers, for tests.

use ringmill_circuit::{Circuit, PortLanes, PortValues};

/// Bit-slices one number per record.
pub fn slice(records: &[u128], width: usize) -> PortLanes {
    (0..width)
        .map(|bit| {
            let word = |records: &[u128]| {
                let bits = records.iter().map(|record| (record >> bit & 1) as u64);
                bits.enumerate().fold(0, |word, (lane, bit)| word | bit << lane)
            };
            records.chunks(64).map(word).collect()
        })
        .collect()
}

/// The number of each record.
pub fn unslice(lanes: &PortLanes, records: usize) -> Vec<u128> {
    (0..records)
        .map(|record| {
            let bit = |lane: &Vec<u64>| u128::from(lane[record / 64] >> (record % 64) & 1);
            let bits = lanes.iter().map(bit).enumerate();
            bits.fold(0, |number, (place, bit)| number | bit << place)
        })
        .collect()
}

/// Evaluates a circuit on records of one number per input port; the result has
/// one number per output port for each record.
pub fn run(circuit: &Circuit, records: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let inputs: Vec<PortValues> = circuit
        .inputs()
        .iter()
        .enumerate()
        .map(|(port, input)| {
            let numbers: Vec<u128> = records.iter().map(|record| record[port]).collect();
            slice(&numbers, input.wires.len()).into()
        })
        .collect();
    let outputs = circuit.evaluate(&inputs).unwrap();
    let outputs: Vec<Vec<u128>> = outputs
        .iter()
        .map(|values| unslice(values.as_bits().unwrap(), records.len()))
        .collect();
    (0..records.len())
        .map(|record| outputs.iter().map(|port| port[record]).collect())
        .collect()
}

/// All records of numbers with the given widths.
pub fn all(widths: &[usize]) -> Vec<Vec<u128>> {
    let total: usize = widths.iter().sum();
    (0..1_u128 << total).map(|number| cut(number, widths)).collect()
}

/// Pseudo-random records of numbers with the given widths, including extreme ones.
pub fn some(widths: &[usize], count: usize) -> Vec<Vec<u128>> {
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut next = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        u128::from(state ^ state >> 31)
    };
    let mut records = Vec::new();
    for index in 0..count {
        let number = |width: &usize| {
            let number = match (next() >> 7) % 8 {
                0 => 0,
                1 => u128::MAX,
                2 => 1 << ((next() >> 9) % *width as u128),
                _ => next() << 64 | next(),
            };
            mask(number, *width)
        };
        let mut record: Vec<u128> = widths.iter().map(number).collect();
        // Equal operands are rare among random ones.
        if index % 7 == 0 && record.len() > 1 {
            record[1] = mask(record[0], widths[1]);
        }
        records.push(record);
    }
    records
}

/// A number's lowest bits.
pub fn mask(number: u128, width: usize) -> u128 {
    number
        & 1_u128
            .checked_shl(width as u32)
            .map_or(u128::MAX, |power| power - 1)
}

/// A number of `width` bits in two's complement.
pub fn signed(number: u128, width: usize) -> i128 {
    ((number << (128 - width)) as i128) >> (128 - width)
}

/// Pieces of a number, lowest first.
fn cut(mut number: u128, widths: &[usize]) -> Vec<u128> {
    widths
        .iter()
        .map(|width| {
            let piece = mask(number, *width);
            number >>= width;
            piece
        })
        .collect()
}
