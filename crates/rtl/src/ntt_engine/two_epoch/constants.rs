use ringmill_arith::Modulus;

use super::Schedule;
use crate::ntt_engine::Direction;

/// Whose factors: those of the passes that undo or make the split by the upper half of an index's bits, which
/// are the same in all tiles, or a tile's of the other passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    High,
    Low { tile: usize },
}

/// The address of a factor among the constants: for the pair of the word with this number, whose `bit` is 0.
pub(super) const fn address(
    schedule: &Schedule,
    direction: Direction,
    table: Table,
    bit: u32,
    number: usize,
) -> usize {
    let kept = match table {
        Table::High => number >> (bit + 1) << (bit + 1),
        Table::Low { .. } => number & ((1 << bit) - 1),
    };
    first(schedule, direction, table) + kept + (1 << bit)
}

/// The address of 1/N.
pub(super) const fn scale_address(schedule: &Schedule) -> usize {
    first(schedule, Direction::Inverse, Table::High)
}

const fn first(schedule: &Schedule, direction: Direction, table: Table) -> usize {
    let block = match table {
        Table::High => 0,
        Table::Low { tile } => 1 + tile,
    };
    let half = match direction {
        Direction::Forward => 0,
        Direction::Inverse => 1,
    };
    (2 * block + half) * schedule.tiles()
}

/// The constants that the host loads: of each table T words forward and T words back, times `radix`. `root` has
/// order N = T^2.
pub(super) fn constants(schedule: &Schedule, modulus: &Modulus, root: u64, radix: u64) -> Vec<u64> {
    let (tiles, n) = (schedule.tiles(), schedule.tiles() * schedule.tiles());
    let mut powers = vec![1; n];
    for i in 1..n {
        powers[i] = modulus.mul(powers[i - 1], root);
    }
    let mut words = vec![0; 2 * tiles * (tiles + 1)];
    let tables = (0..tiles).map(|tile| Table::Low { tile });
    for table in [Table::High].into_iter().chain(tables) {
        for bit in 0..schedule.log_tiles() {
            let numbers = (0..tiles).filter(|number| number >> bit & 1 == 0);
            for number in numbers {
                let exponent = exponent(schedule, table, bit, number);
                words[address(schedule, Direction::Forward, table, bit, number)] = powers[exponent];
                words[address(schedule, Direction::Inverse, table, bit, number)] = powers[(n - exponent) % n];
            }
        }
    }
    // 1/N = -(q - 1)/N mod q.
    let scale = modulus.neg((modulus.value() - 1) / n as u64);
    words[scale_address(schedule)] = scale;
    let last = address(
        schedule,
        Direction::Inverse,
        Table::High,
        schedule.log_tiles() - 1,
        0,
    );
    words[last] = modulus.mul(words[last], scale);
    for word in &mut words {
        *word = modulus.mul(*word, radix);
    }
    words
}

/// The exponent of the root of unity in a factor. After r passes entry i belongs to the polynomial modulo
/// x^M - c^2, c = root^(N brv_r(the upper r bits of i) / 2^(r + 1)), and c is its factor. The tile is the lower
/// half of i backwards in the first epoch forward, and its upper half in the second one, where the word's
/// number is the lower half backwards.
const fn exponent(schedule: &Schedule, table: Table, bit: u32, number: usize) -> usize {
    let bits = schedule.log_tiles();
    match table {
        Table::High => {
            let passes = bits - 1 - bit;
            reverse(number >> (bit + 1), passes) << (2 * bits - passes - 1)
        }
        Table::Low { tile } => {
            let passes = bits + bit;
            let below = number & ((1 << bit) - 1);
            (below << bits | reverse(tile, bits)) << (2 * bits - passes - 1)
        }
    }
}

/// The lowest bits of a number backwards.
const fn reverse(value: usize, bits: u32) -> usize {
    match bits {
        0 => 0,
        _ => value.reverse_bits() >> (usize::BITS - bits),
    }
}
