//! Compares operations on words with machine arithmetic, and checks their depths.

use ringmill_circuit::Signedness::{Signed, Unsigned};
use ringmill_circuit::{Builder, Circuit, CircuitError, Visibility, Wire, Word};

use crate::common::{all, mask, run, signed, some};

/// A circuit with inputs of these widths.
fn circuit(widths: &[usize], write: impl FnOnce(&mut Builder, &[Word]) -> Vec<Word>) -> Circuit {
    let mut builder = Builder::new();
    let inputs: Vec<Word> = (0..)
        .zip(widths)
        .map(|(index, width)| builder.input(format!("x{index}"), Visibility::Private, *width))
        .collect();
    for (index, word) in write(&mut builder, &inputs).iter().enumerate() {
        builder.output(format!("y{index}"), word);
    }
    builder.finish().unwrap()
}

fn word(wire: Wire) -> Word {
    Word::new(vec![wire])
}

/// Checks an operation on all inputs if they have few bits, and on some otherwise.
fn check(
    widths: &[usize],
    write: impl FnOnce(&mut Builder, &[Word]) -> Vec<Word>,
    expected: impl Fn(&[u128]) -> Vec<u128>,
) -> Circuit {
    let circuit = circuit(widths, write);
    let few = widths.iter().sum::<usize>() <= 13;
    let records = if few { all(widths) } else { some(widths, 2000) };
    for (record, output) in records.iter().zip(run(&circuit, &records)) {
        assert_eq!(output, expected(record), "on {record:x?} of widths {widths:?}");
    }
    circuit
}

const WIDTHS: [usize; 11] = [1, 2, 3, 4, 5, 6, 8, 31, 32, 33, 64];

/// The least `d` with `2^d >= number`.
fn log(number: usize) -> u32 {
    number.next_power_of_two().trailing_zeros()
}

#[test]
fn sums() {
    for w in WIDTHS {
        let plain = check(
            &[w, w],
            |b, x| vec![b.add(&x[0], &x[1]).unwrap()],
            |x| vec![mask(x[0] + x[1], w)],
        );
        assert_eq!(plain.and_depth(), log(w), "width {w}");
        let carry = check(
            &[w.min(6), w.min(6), 1],
            |b, x| {
                let (sum, carry) = b.add_with_carry(&x[0], &x[1], x[2].wires()[0]).unwrap();
                vec![sum.concat(&word(carry))]
            },
            |x| vec![x[0] + x[1] + x[2]],
        );
        assert_eq!(carry.and_depth(), log(w.min(6) + 1));
        let wide = check(
            &[w, w, 1],
            |b, x| {
                let (sum, carry) = b.add_with_carry(&x[0], &x[1], x[2].wires()[0]).unwrap();
                vec![sum.concat(&word(carry))]
            },
            |x| vec![x[0] + x[1] + x[2]],
        );
        assert_eq!(wide.and_depth(), log(w + 1));
    }
}

#[test]
fn differences() {
    for w in WIDTHS {
        let plain = check(
            &[w, w],
            |b, x| vec![b.subtract(&x[0], &x[1]).unwrap()],
            |x| vec![mask(x[0].wrapping_sub(x[1]), w)],
        );
        assert_eq!(plain.and_depth(), log(w));
        check(
            &[w, w, 1],
            |b, x| {
                let (rest, borrow) = b.subtract_with_borrow(&x[0], &x[1], x[2].wires()[0]).unwrap();
                vec![rest, word(borrow)]
            },
            |x| {
                vec![
                    mask(x[0].wrapping_sub(x[1] + x[2]), w),
                    u128::from(x[0] < x[1] + x[2]),
                ]
            },
        );
        let negation = check(
            &[w],
            |b, x| vec![b.negate(&x[0])],
            |x| vec![mask(x[0].wrapping_neg(), w)],
        );
        assert!(negation.and_depth() <= log(w));
        check(
            &[w, 1],
            |b, x| vec![b.increment(&x[0], x[1].wires()[0])],
            |x| vec![mask(x[0] + x[1], w)],
        );
    }
}

#[test]
fn products() {
    for (m, n) in [
        (1, 1),
        (1, 4),
        (4, 1),
        (2, 3),
        (5, 6),
        (6, 7),
        (16, 16),
        (32, 32),
        (64, 17),
        (64, 64),
    ] {
        check(
            &[m, n],
            |b, x| vec![b.multiply(&x[0], &x[1])],
            |x| vec![x[0] * x[1]],
        );
        check(
            &[m, n],
            |b, x| vec![b.multiply_signed(&x[0], &x[1])],
            |x| vec![mask((signed(x[0], m) * signed(x[1], n)) as u128, m + n)],
        );
    }
}

#[test]
fn comparisons() {
    for w in WIDTHS {
        let less = check(
            &[w, w],
            |b, x| vec![word(b.less(&x[0], &x[1], Unsigned).unwrap())],
            |x| vec![u128::from(x[0] < x[1])],
        );
        assert_eq!(less.and_depth(), log(w + 1));
        let less = check(
            &[w, w],
            |b, x| vec![word(b.less(&x[0], &x[1], Signed).unwrap())],
            |x| vec![u128::from(signed(x[0], w) < signed(x[1], w))],
        );
        assert_eq!(less.and_depth(), log(w + 1));
        check(
            &[w, w],
            |b, x| {
                let signs = [Unsigned, Signed];
                signs
                    .map(|sign| word(b.greater(&x[0], &x[1], sign).unwrap()))
                    .to_vec()
            },
            |x| {
                vec![
                    u128::from(x[0] > x[1]),
                    u128::from(signed(x[0], w) > signed(x[1], w)),
                ]
            },
        );
        let equal = check(
            &[w, w],
            |b, x| vec![word(b.equal(&x[0], &x[1]).unwrap())],
            |x| vec![u128::from(x[0] == x[1])],
        );
        assert_eq!((equal.and_depth(), equal.and_count()), (log(w), w - 1));
        check(
            &[w],
            |b, x| vec![word(b.is_zero(&x[0]))],
            |x| vec![u128::from(x[0] == 0)],
        );
    }
}

#[test]
fn lesser_and_greater() {
    for w in WIDTHS {
        let both = check(
            &[w, w],
            |b, x| {
                let (min, max) = b.min_max(&x[0], &x[1], Unsigned).unwrap();
                vec![min, max]
            },
            |x| vec![x[0].min(x[1]), x[0].max(x[1])],
        );
        assert_eq!(both.and_depth(), log(w + 1) + 1);
        check(
            &[w, w],
            |b, x| {
                vec![
                    b.min(&x[0], &x[1], Signed).unwrap(),
                    b.max(&x[0], &x[1], Signed).unwrap(),
                ]
            },
            |x| {
                let (left, right) = (signed(x[0], w), signed(x[1], w));
                vec![mask(left.min(right) as u128, w), mask(left.max(right) as u128, w)]
            },
        );
    }
}

#[test]
fn choices() {
    for w in [1, 5, 33] {
        let select = check(
            &[w, w, 1],
            |b, x| vec![b.select(x[2].wires()[0], &x[0], &x[1]).unwrap()],
            |x| vec![if x[2] == 1 { x[0] } else { x[1] }],
        );
        assert_eq!((select.and_depth(), select.and_count()), (1, w));
        check(
            &[w, 1],
            |b, x| vec![b.mask(x[1].wires()[0], &x[0])],
            |x| vec![x[0] * x[1]],
        );
    }
}

/// `number >> count` for any count.
fn right(number: u128, count: usize) -> u128 {
    number.checked_shr(count as u32).unwrap_or(0)
}

#[test]
fn shifts_by_constants() {
    for w in [1, 5, 8] {
        for count in 0..2 * w + 2 {
            check(
                &[w],
                |b, x| {
                    vec![
                        b.shift_left(&x[0], count),
                        b.shift_right(&x[0], count),
                        b.shift_right_signed(&x[0], count),
                    ]
                },
                |x| {
                    let signed = signed(x[0], w) >> count.min(127);
                    vec![
                        mask(x[0] << count, w),
                        right(x[0], count),
                        mask(signed as u128, w),
                    ]
                },
            );
        }
    }
}

#[test]
fn shifts_by_words() {
    for (w, k) in [
        (1, 1),
        (1, 3),
        (4, 2),
        (5, 3),
        (5, 5),
        (8, 3),
        (8, 1),
        (32, 5),
        (32, 9),
        (64, 6),
        (100, 7),
    ] {
        let shifted = check(
            &[w, k],
            |b, x| {
                vec![
                    b.shift_left_by(&x[0], &x[1]),
                    b.shift_right_by(&x[0], &x[1]),
                    b.shift_right_signed_by(&x[0], &x[1]),
                    b.rotate_left_by(&x[0], &x[1]),
                    b.rotate_right_by(&x[0], &x[1]),
                ]
            },
            |x| {
                let count = x[1] as usize;
                let left = if count < w { mask(x[0] << count, w) } else { 0 };
                let signed = signed(x[0], w) >> count.min(127);
                let around = count % w;
                let rotated = mask(x[0] << around, w) | right(x[0], w - around);
                let back = right(x[0], around) | mask(x[0] << (w - around), w);
                vec![left, right(x[0], count), mask(signed as u128, w), rotated, back]
            },
        );
        if 1 << k <= w {
            assert_eq!(shifted.and_depth(), log(k + 1));
        }
    }
}

#[test]
fn counts_of_ones() {
    for w in [1, 2, 3, 7, 8, 12, 13, 63, 64, 100] {
        let count = check(
            &[w],
            |b, x| vec![b.popcount(&x[0])],
            |x| vec![x[0].count_ones().into()],
        );
        assert_eq!(count.and_depth(), w.ilog2());
        assert!(count.and_count() < w);
    }
}

#[test]
fn sums_of_many() {
    for widths in [
        vec![3],
        vec![2; 6],
        vec![4, 1, 3, 5],
        vec![8; 16],
        vec![32; 7],
        vec![1; 12],
    ] {
        let total = check(&widths, |b, x| vec![b.sum_all(x)], |x| vec![x.iter().sum()]);
        let largest = *widths.iter().max().unwrap();
        assert_eq!(
            total.outputs()[0].wires.len(),
            largest + log(widths.len()) as usize
        );
    }
    let sum = circuit(&[32; 8], |b, x| vec![b.sum_all(x)]);
    // Three levels from eight rows to two, and a prefix adder.
    assert!(sum.and_depth() <= 9, "{}", sum.and_depth());
    let nothing = circuit(&[1], |b, _| vec![b.sum_all(&[])]);
    assert_eq!(run(&nothing, &[vec![1]]), [[0]]);
    for width in [1, 3, 4, 9] {
        let sum = |x: &[u128]| vec![mask(x.iter().sum(), width)];
        check(&[4, 1, 3, 5], |b, x| vec![b.sum_modulo(x, width)], sum);
    }
}

#[test]
fn tables() {
    for (k, entries, width) in [
        (1, 2, 3),
        (3, 8, 4),
        (4, 11, 5),
        (5, 3, 2),
        (8, 256, 8),
        (8, 256, 1),
        (9, 300, 7),
        (0, 1, 4),
    ] {
        let numbers: Vec<u128> = (0..entries)
            .map(|index: u128| mask((index * index * 0x9e37) ^ (index >> 3) ^ 0x155, width))
            .collect();
        let table: Vec<Vec<bool>> = numbers
            .iter()
            .map(|number| (0..width).map(|bit| number >> bit & 1 == 1).collect())
            .collect();
        let lookup = check(
            &[k.max(1)],
            |b, x| {
                let index = Word::new(x[0].wires()[..k].to_vec());
                vec![b.lookup(&index, &table).unwrap()]
            },
            |x| {
                let index = mask(x[0], k) as usize;
                vec![numbers.get(index).copied().unwrap_or(0)]
            },
        );
        assert!(lookup.and_depth() <= log(k.max(1)) + u32::from(k == 5 || k == 9));
    }
}

#[test]
fn sorted_words() {
    for (n, w) in [
        (0, 2),
        (1, 2),
        (2, 4),
        (3, 4),
        (4, 3),
        (5, 2),
        (6, 2),
        (5, 16),
        (8, 8),
    ] {
        if n == 0 {
            assert_eq!(Builder::new().sort(&[], Unsigned).unwrap(), []);
            continue;
        }
        check(
            &vec![w; n],
            |b, x| b.sort(x, Unsigned).unwrap(),
            |x| {
                let mut sorted = x.to_vec();
                sorted.sort_unstable();
                sorted
            },
        );
        check(
            &vec![w; n],
            |b, x| b.sort(x, Signed).unwrap(),
            |x| {
                let mut sorted: Vec<i128> = x.iter().map(|number| signed(*number, w)).collect();
                sorted.sort_unstable();
                sorted.iter().map(|number| mask(*number as u128, w)).collect()
            },
        );
    }
}

#[test]
fn trees() {
    for w in [1, 2, 3, 9, 13, 64] {
        let tree = check(
            &[w],
            |b, x| {
                let bits = x[0].wires();
                vec![word(b.and_all(bits)), word(b.or_all(bits)), word(b.xor_all(bits))]
            },
            |x| {
                let ones = x[0].count_ones();
                vec![
                    u128::from(ones == w as u32),
                    u128::from(ones > 0),
                    u128::from(ones % 2),
                ]
            },
        );
        assert_eq!((tree.and_depth(), tree.and_count()), (log(w), 2 * (w - 1)));
    }
    let mut builder = Builder::new();
    let (zero, one) = (builder.constant(false), builder.constant(true));
    assert_eq!(
        [builder.and_all(&[]), builder.or_all(&[]), builder.xor_all(&[])],
        [one, zero, zero]
    );
}

#[test]
fn trees_wait_for_what_comes_late() {
    // A product of depth 2, then four more bits: a tree over those four first.
    let late = circuit(&[8], |b, x| {
        let bits = x[0].wires();
        let deep = b.and_all(&bits[..4]);
        let rest = [&[deep], &bits[4..]].concat();
        vec![word(b.and_all(&rest))]
    });
    assert_eq!(late.and_depth(), 3);
}

#[test]
fn extensions() {
    for width in [1, 3, 4, 7] {
        check(
            &[4],
            |b, x| vec![b.extend_unsigned(&x[0], width), b.extend_signed(&x[0], width)],
            |x| vec![mask(x[0], width), mask(signed(x[0], 4) as u128, width)],
        );
    }
}

/// The ANDs of the most common operations, so that a change is noticed.
#[test]
fn prices() {
    let price = |circuit: &Circuit| (circuit.and_depth(), circuit.and_count());
    let add = |w: usize| circuit(&[w, w], |b, x| vec![b.add(&x[0], &x[1]).unwrap()]);
    let less = |w: usize| {
        circuit(&[w, w], |b, x| {
            vec![word(b.less(&x[0], &x[1], Unsigned).unwrap())]
        })
    };
    let multiply = |w: usize| circuit(&[w, w], |b, x| vec![b.multiply(&x[0], &x[1])]);
    let found: Vec<_> = [8, 16, 32, 64].iter().map(|w| price(&add(*w))).collect();
    assert_eq!(found, [(3, 21), (4, 61), (5, 161), (6, 379)]);
    let found: Vec<_> = [8, 16, 32, 64].iter().map(|w| price(&less(*w))).collect();
    assert_eq!(found, [(4, 16), (5, 39), (6, 90), (7, 201)]);
    let found: Vec<_> = [8, 16, 32].iter().map(|w| price(&multiply(*w))).collect();
    assert_eq!(found, [(8, 145), (10, 588), (12, 2283)]);
}

#[test]
fn widths_must_match() {
    let mut builder = Builder::new();
    let wide = builder.input("wide", Visibility::Private, 3);
    let narrow = builder.input("narrow", Visibility::Private, 2);
    let bit = wide.wires()[0];
    let expected = CircuitError::WidthMismatch { left: 3, right: 2 };
    assert_eq!(builder.add(&wide, &narrow).unwrap_err(), expected);
    assert_eq!(builder.add_with_carry(&wide, &narrow, bit).unwrap_err(), expected);
    assert_eq!(builder.subtract(&wide, &narrow).unwrap_err(), expected);
    assert_eq!(
        builder.subtract_with_borrow(&wide, &narrow, bit).unwrap_err(),
        expected
    );
    assert_eq!(builder.less(&wide, &narrow, Signed).unwrap_err(), expected);
    assert_eq!(builder.equal(&wide, &narrow).unwrap_err(), expected);
    assert_eq!(builder.select(bit, &wide, &narrow).unwrap_err(), expected);
    let swapped = CircuitError::WidthMismatch { left: 2, right: 3 };
    assert_eq!(builder.greater(&wide, &narrow, Unsigned).unwrap_err(), swapped);
    assert_eq!(builder.min_max(&wide, &narrow, Unsigned).unwrap_err(), swapped);
    let words = [wide.clone(), wide.clone(), narrow.clone()];
    assert_eq!(builder.sort(&words, Unsigned).unwrap_err(), swapped);

    let table = vec![vec![true]; 5];
    let expected = CircuitError::TableTooLong {
        entries: 5,
        index_bits: 2,
    };
    assert_eq!(builder.lookup(&narrow, &table).unwrap_err(), expected);
    let table = [vec![true, false], vec![true]];
    let expected = CircuitError::TableEntryWidth {
        entry: 1,
        expected: 2,
        found: 1,
    };
    assert_eq!(builder.lookup(&narrow, &table).unwrap_err(), expected);
}
