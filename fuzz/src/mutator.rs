//! Small random changes of inputs, the same for the same seed.

/// Random numbers: SplitMix64.
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below a limit, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }
}

/// Numbers at which readers change their mind.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    15,
    16,
    31,
    32,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    4095,
    4096,
    65535,
    65536,
    0x7fff_ffff,
    u64::MAX,
];

/// Bits of the doubles at which they change theirs.
const DOUBLES: [f64; 8] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NAN,
];

/// The most changes of an input at a time; one more is half as likely.
const MOST_CHANGES: u32 = 8;

/// The most bytes that are inserted, removed or copied at a time.
const MOST_BLOCK: usize = 64;

/// The material that changes are made of.
pub struct Material<'a> {
    /// Words that mean something.
    pub words: &'a [&'a str],
    /// The other inputs; not empty.
    pub others: &'a [Vec<u8>],
    /// The most bytes of an input.
    pub longest: usize,
}

/// Changes an input in one or a few places.
pub fn mutate(input: &mut Vec<u8>, dice: &mut Dice, material: &Material<'_>) {
    let changes = dice.word().trailing_zeros().min(MOST_CHANGES - 1) + 1;
    for _ in 0..changes {
        change(input, dice, material);
    }
    input.truncate(material.longest);
}

fn change(input: &mut Vec<u8>, dice: &mut Dice, material: &Material<'_>) {
    if input.is_empty() {
        input.push(dice.word() as u8);
        return;
    }
    let at = place(input, dice);
    match dice.below(13) {
        0 => input[at] ^= 1 << dice.below(8),
        1 => input[at] = dice.word() as u8,
        2 => input[at] = input[at].wrapping_add(1),
        3 => input[at] = input[at].wrapping_sub(1),
        4 | 5 => {
            let bytes = number(dice);
            overwrite(input, at, &bytes);
        }
        6 => input.truncate(at),
        7 => drop(input.drain(at..(at + block(dice)).min(input.len()))),
        8 => {
            let bytes: Vec<u8> = (0..block(dice)).map(|_| dice.word() as u8).collect();
            insert(input, at, &bytes);
        }
        9 => {
            let copied = input[at..(at + block(dice)).min(input.len())].to_vec();
            let to = place(input, dice);
            insert(input, to, &copied);
        }
        10 => splice(input, at, dice, material),
        _ => word(input, at, dice, material.words),
    }
}

/// A place in an input, more often near its beginning: there stand the numbers that the rest depends on.
fn place(input: &[u8], dice: &mut Dice) -> usize {
    let limit = if dice.below(2) == 0 {
        input.len()
    } else {
        input.len().min(64)
    };
    dice.below(limit)
}

/// A length, more often a short one.
fn block(dice: &mut Dice) -> usize {
    let most = 1 + dice.below(MOST_BLOCK);
    1 + dice.below(most)
}

/// The bytes of a number of 1 to 8 bytes, little-endian.
fn number(dice: &mut Dice) -> Vec<u8> {
    if dice.below(8) == 0 {
        return DOUBLES[dice.below(DOUBLES.len())].to_le_bytes().to_vec();
    }
    let edge = EDGES[dice.below(EDGES.len())];
    let value = if dice.below(4) == 0 {
        edge.wrapping_neg()
    } else {
        edge
    };
    value.to_le_bytes()[..1 << dice.below(4)].to_vec()
}

fn overwrite(input: &mut [u8], at: usize, bytes: &[u8]) {
    input[at..]
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, byte)| *to = *byte);
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

/// The beginning of this input, and the end of another.
fn splice(input: &mut Vec<u8>, at: usize, dice: &mut Dice, material: &Material<'_>) {
    let other = &material.others[dice.below(material.others.len())];
    let from = if dice.below(2) == 0 {
        at.min(other.len())
    } else {
        dice.below(other.len() + 1)
    };
    input.truncate(at);
    input.extend(&other[from..]);
}

/// A word that means something, or a byte of text.
fn word(input: &mut Vec<u8>, at: usize, dice: &mut Dice, words: &[&str]) {
    if words.is_empty() {
        input[at] = 0x20 + dice.below(0x5f) as u8;
        return;
    }
    let word = words[dice.below(words.len())].as_bytes();
    if dice.below(2) == 0 {
        overwrite(input, at, word);
    } else {
        insert(input, at, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(seed: u64) -> Vec<Vec<u8>> {
        let others = [vec![1, 2, 3], vec![]];
        let material = Material {
            words: &["word"],
            others: &others,
            longest: 40,
        };
        let mut dice = Dice::new(seed);
        let mut input = vec![7; 20];
        let mut next = || {
            mutate(&mut input, &mut dice, &material);
            input.clone()
        };
        (0..2000).map(|_| next()).collect()
    }

    #[test]
    fn changes_are_those_of_the_seed() {
        let made = inputs(1);
        assert_eq!(made, inputs(1));
        assert_ne!(made, inputs(2));
        assert!(made.iter().all(|input| input.len() <= 40));
        assert!(made.iter().any(Vec::is_empty));
        assert!(
            made.iter()
                .any(|input| input.windows(4).any(|four| four == b"word"))
        );
    }

    /// The first numbers of SplitMix64 from the seed 1234567, as its authors' code prints them.
    #[test]
    fn dice_are_splitmix64() {
        let mut dice = Dice::new(1_234_567);
        assert_eq!(
            [(); 2].map(|()| dice.word()),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }
}
