//! Functions of up to eight bits as tables of 256 bits.

/// The most arguments of a function in this module.
pub(super) const ARGUMENTS: usize = 8;

/// The bits of each 64 where argument `i` is 1.
const ARGUMENT: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Bit `m` of the 256 belongs to the arguments set in `m`: it is the value there, or the coefficient of
/// their product. Arguments that a function does not have do not change its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Truth(pub(super) [u64; 4]);

impl Truth {
    /// The function that is argument 0.
    pub(super) const FIRST: Self = Self([ARGUMENT[0]; 4]);

    /// Combines two functions bit by bit.
    pub(super) fn with(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }

    /// The complement.
    pub(super) fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    /// The function with its argument `i` renamed to `names[i]`. Names ascend.
    pub(super) fn renamed(self, names: &[usize]) -> Self {
        // Starting from the last keeps the target of each move free.
        let moves = names.iter().enumerate().rev();
        moves.fold(self, |table, (from, to)| table.swapped(from, *to))
    }

    /// The function with two arguments, `low <= high`, exchanged.
    fn swapped(self, low: usize, high: usize) -> Self {
        if low == high {
            return self;
        }
        let [a, b, c, d] = self.0;
        let within = |word: u64, low_mask: u64, high_mask: u64| {
            let distance = (1_u32 << high) - (1 << low);
            let moving = low_mask & !high_mask;
            let up = (word & moving) << distance;
            let down = (word >> distance) & moving;
            word & !(moving | moving << distance) | up | down
        };
        // One argument lies within words; the other tells words apart.
        let across = |clear: u64, set: u64, mask: u64| {
            let distance = 1_u32 << low;
            let new_clear = clear & !mask | (set & !mask) << distance;
            let new_set = set & mask | (clear & mask) >> distance;
            (new_clear, new_set)
        };
        match (ARGUMENT.get(low), ARGUMENT.get(high)) {
            (Some(low), Some(high)) => Self(self.0.map(|word| within(word, *low, *high))),
            (Some(mask), None) if high == 6 => {
                let ((a, b), (c, d)) = (across(a, b, *mask), across(c, d, *mask));
                Self([a, b, c, d])
            }
            (Some(mask), None) => {
                let ((a, c), (b, d)) = (across(a, c, *mask), across(b, d, *mask));
                Self([a, b, c, d])
            }
            (None, _) => Self([a, c, b, d]),
        }
    }

    /// Converts values to coefficients, or back.
    pub(super) fn transformed(self) -> Self {
        let words = self.0.map(|word| {
            let arguments = ARGUMENT.iter().zip(0..);
            arguments.fold(word, |word, (mask, argument)| {
                word ^ (word << (1_u32 << argument) & mask)
            })
        });
        let [a, b, c, d] = words;
        let (b, d) = (a ^ b, c ^ d);
        Self([a, b, a ^ c, b ^ d])
    }

    /// Bit `m`.
    pub(super) fn bit(self, m: usize) -> bool {
        let word = self.0.get(m / 64).copied().unwrap_or_default();
        word >> (m % 64) & 1 == 1
    }

    /// The numbers of the set bits among the first `2^arguments`.
    pub(super) fn ones(self, arguments: usize) -> impl Iterator<Item = usize> {
        let words = self.0.into_iter().zip((0..).step_by(64));
        let ones = words.flat_map(|(word, first)| Ones(word).map(move |bit| first + bit));
        ones.take_while(move |m| m >> arguments == 0)
    }
}

/// The numbers of the set bits of a word.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a function of four arguments, `f(i) = bit i of word`.
    fn table(names: [usize; 4], function: u16) -> Truth {
        let mut table = Truth::default();
        for m in 0..256 {
            let index = names
                .iter()
                .enumerate()
                .fold(0, |index, (argument, name)| index | (m >> name & 1) << argument);
            table.0[m / 64] |= u64::from(function >> index & 1) << (m % 64);
        }
        table
    }

    #[test]
    fn renaming() {
        for function in [0x1234, 0x8000, 0x6996, 0xbeef] {
            let plain = table([0, 1, 2, 3], function);
            for names in [
                [0, 1, 2, 3],
                [0, 2, 5, 6],
                [1, 2, 3, 7],
                [4, 5, 6, 7],
                [0, 1, 6, 7],
                [2, 3, 4, 5],
            ] {
                assert_eq!(plain.renamed(&names), table(names, function), "{names:?}");
            }
        }
    }

    #[test]
    fn coefficients_give_the_values_back() {
        let table = Truth([0x0123_4567_89ab_cdef, 0xfeed_beef_dead_cafe, 42, u64::MAX]);
        let coefficients = table.transformed();
        for m in 0..256_usize {
            let below = (0..=m).filter(|subset| subset & m == *subset && coefficients.bit(*subset));
            assert_eq!(table.bit(m), below.count() % 2 == 1);
        }
        assert_eq!(coefficients.transformed(), table);
    }
}
