//! A scheme that encrypts nothing: bits at a level.

use std::fmt;

use ringmill_circuit::WireType;
use ringmill_engine::{ClearValue, Encoding, Schedule, Scheme, Side};

/// The scheme of a schedule.
pub struct Clear {
    name: String,
    records: usize,
}

/// Bits of all records at a level.
#[derive(Debug, Clone)]
pub struct Bits {
    pub words: Vec<u64>,
    level: usize,
}

/// What a levelled scheme could not do.
#[derive(Debug)]
pub struct Impossible(String);

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Impossible {}

impl Clear {
    pub fn of(schedule: &Schedule) -> Self {
        Self {
            name: schedule.scheme().to_owned(),
            records: schedule.records(),
        }
    }

    pub fn fresh(&self, words: &[u64], level: usize) -> Bits {
        let words = words.to_vec();
        Bits { words, level }
    }
}

impl Encoding for Clear {
    type Plaintext = Vec<u64>;
    type Error = Impossible;

    fn name(&self) -> &str {
        &self.name
    }

    fn records(&self) -> usize {
        self.records
    }

    fn encode(&self, value: &ClearValue) -> Result<Vec<u64>, Impossible> {
        match value {
            ClearValue::Bits(words) if words.len() * 64 == self.records => Ok(words.clone()),
            other => Err(Impossible(format!("{other:?} in {} records", self.records))),
        }
    }

    fn decode(&self, _: WireType, words: &Vec<u64>) -> Result<ClearValue, Impossible> {
        Ok(ClearValue::Bits(words.clone()))
    }
}

/// Combines bits of one level.
fn combine(a: &Bits, b: &Bits, with: impl Fn(u64, u64) -> u64) -> Result<Bits, Impossible> {
    if a.level != b.level {
        return Err(Impossible(format!(
            "operands of levels {} and {}",
            a.level, b.level
        )));
    }
    Ok(with_words(a, &b.words, with))
}

fn with_words(a: &Bits, words: &[u64], with: impl Fn(u64, u64) -> u64) -> Bits {
    let words = a.words.iter().zip(words).map(|(a, b)| with(*a, *b));
    Bits {
        words: words.collect(),
        level: a.level,
    }
}

/// The sum of bits of one level.
fn sum<'a>(terms: impl IntoIterator<Item = &'a Bits>) -> Result<Bits, Impossible> {
    let mut terms = terms.into_iter();
    let first = terms
        .next()
        .ok_or_else(|| Impossible("a sum of nothing".to_owned()))?;
    terms.try_fold(first.clone(), |sum, term| combine(&sum, term, |a, b| a ^ b))
}

impl Scheme for Clear {
    type Ciphertext = Bits;
    type PreparedOperand = Bits;
    type Product<'a> = Bits;
    type Error = Impossible;
    type Encoding = Self;

    fn encoding(&self) -> &Self {
        self
    }

    fn level(&self, a: &Bits) -> usize {
        a.level
    }

    fn factor(&self, a: &Bits, _: Side) -> Result<Bits, Impossible> {
        Ok(a.clone())
    }

    fn multiply<'a>(&'a self, pairs: &[(&'a Bits, &'a Bits)]) -> Result<Bits, Impossible> {
        let products = pairs.iter().map(|(a, b)| combine(a, b, |a, b| a & b));
        sum(&products.collect::<Result<Vec<_>, _>>()?)
    }

    fn relinearize(&self, product: Bits, terms: &[&Bits], level: usize) -> Result<Bits, Impossible> {
        self.switch(&sum([&product].into_iter().chain(terms.iter().copied()))?, level)
    }

    fn sum(&self, terms: &[&Bits], complement: bool) -> Result<Bits, Impossible> {
        let mut sum = sum(terms.iter().copied())?;
        if complement {
            sum.words.iter_mut().for_each(|word| *word = !*word);
        }
        Ok(sum)
    }

    fn trivial(&self, words: &Vec<u64>, level: usize) -> Result<Bits, Impossible> {
        Ok(Bits {
            words: words.clone(),
            level,
        })
    }

    fn multiply_plain(&self, a: &Bits, words: &Vec<u64>) -> Result<Bits, Impossible> {
        Ok(with_words(a, words, |a, b| a & b))
    }

    fn switch(&self, a: &Bits, level: usize) -> Result<Bits, Impossible> {
        if level == 0 || level > a.level {
            return Err(Impossible(format!("a switch from level {} to {level}", a.level)));
        }
        Ok(Bits { level, ..a.clone() })
    }
}
