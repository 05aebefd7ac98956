//! Totals over records: what they are, and how they are computed in the clear.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::Signedness;

/// Bits by which sums are wider than the values that are summed, and bits of counts: enough for 2^32 - 1 records.
const RECORD_BITS: usize = 32;

/// The most records that a total is of.
pub const MAX_TOTAL_RECORDS: u64 = (1 << RECORD_BITS) - 1;

/// How the values of a port in all records become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateKind {
    /// How many records have a 1, for ports of one bit.
    Count,
    /// The sum of numbers.
    Sum,
    /// Whether any record has a 1, for ports of one bit.
    Any,
    /// Whether all records have a 1, for ports of one bit.
    All,
    /// The greatest number.
    Max,
    /// The least number.
    Min,
}

/// A text that names no [`AggregateKind`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no aggregate {text:?}; the aggregates are {}",
    AggregateKind::names()
)]
pub struct UnknownAggregate {
    text: String,
}

impl AggregateKind {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Count, Self::Sum, Self::Any, Self::All, Self::Max, Self::Min];

    /// The name shown to people, which [`str::parse`] reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Any => "any",
            Self::All => "all",
            Self::Max => "max",
            Self::Min => "min",
        }
    }

    /// The names of all, for people.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// Whether it takes ports of a single bit only.
    #[must_use]
    pub const fn takes_bits(self) -> bool {
        matches!(self, Self::Count | Self::Any | Self::All)
    }
}

impl fmt::Display for AggregateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AggregateKind {
    type Err = UnknownAggregate;

    fn from_str(text: &str) -> Result<Self, UnknownAggregate> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownAggregate {
            text: text.to_owned(),
        })
    }
}

/// An aggregate of numbers that are read in a way.
///
/// Its methods compute in the clear, on numbers as bits, the lowest first. A *total* is as wide as
/// [`total_width`](Self::total_width) says, whatever the number of records. Under encryption the records of a batch
/// become one number of [`batch_width`](Self::batch_width) bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// What becomes of the values.
    pub kind: AggregateKind,
    /// How the bits of a value are read. Makes no difference for ports of one bit but in sums and extremes.
    pub signedness: Signedness,
}

impl Aggregate {
    /// Bits of the result of a batch of 2^`steps` records, each of `width` bits.
    #[must_use]
    pub const fn batch_width(self, width: usize, steps: usize) -> usize {
        match self.kind {
            AggregateKind::Count | AggregateKind::Sum => width + steps,
            AggregateKind::Any | AggregateKind::All | AggregateKind::Max | AggregateKind::Min => width,
        }
    }

    /// Bits of a total of values of `width` bits.
    #[must_use]
    pub const fn total_width(self, width: usize) -> usize {
        match self.kind {
            AggregateKind::Count => RECORD_BITS,
            AggregateKind::Sum => width + RECORD_BITS,
            AggregateKind::Any | AggregateKind::All | AggregateKind::Max | AggregateKind::Min => width,
        }
    }

    /// Whether totals are signed numbers.
    #[must_use]
    pub fn is_signed(self) -> bool {
        !self.kind.takes_bits() && self.signedness == Signedness::Signed
    }

    /// A value of one record, or the result of a batch, as a total of values of `width` bits.
    #[must_use]
    pub fn widen(self, mut value: Vec<bool>, width: usize) -> Vec<bool> {
        let sign = self.is_signed() && value.last().is_some_and(|sign| *sign);
        value.resize(self.total_width(width), sign);
        value
    }

    /// The total of two totals, modulo 2 to the power of their width.
    #[must_use]
    pub fn combine(self, a: &[bool], b: &[bool]) -> Vec<bool> {
        match self.kind {
            AggregateKind::Count | AggregateKind::Sum => add(a, b),
            AggregateKind::Any => a.iter().zip(b).map(|(a, b)| *a || *b).collect(),
            AggregateKind::All => a.iter().zip(b).map(|(a, b)| *a && *b).collect(),
            AggregateKind::Max => if self.is_less(a, b) { b } else { a }.to_vec(),
            AggregateKind::Min => if self.is_less(a, b) { a } else { b }.to_vec(),
        }
    }

    /// Whether one number is less than another of the same width.
    fn is_less(self, a: &[bool], b: &[bool]) -> bool {
        let from_top = |bits: &[bool]| {
            let mut bits: Vec<bool> = bits.iter().rev().copied().collect();
            if let (true, Some(sign)) = (self.is_signed(), bits.first_mut()) {
                *sign = !*sign;
            }
            bits
        };
        from_top(a) < from_top(b)
    }

    /// The SHA-256 of the aggregates of all output ports in order: of the text `ringmill aggregates 1`, their number as a
    /// little-endian `u64`, and of each its place in the declaration of [`AggregateKind`] and 1 for signed values, each a
    /// byte.
    #[must_use]
    pub fn digest(all: &[Self]) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(b"ringmill aggregates 1");
        hash.update((all.len() as u64).to_le_bytes());
        for aggregate in all {
            hash.update([
                aggregate.kind as u8,
                u8::from(aggregate.signedness == Signedness::Signed),
            ]);
        }
        hash.finalize().into()
    }
}

/// The sum modulo 2 to the power of the width.
fn add(a: &[bool], b: &[bool]) -> Vec<bool> {
    let mut carry = false;
    let bits = a.iter().zip(b).map(|(a, b)| {
        let ones = u8::from(*a) + u8::from(*b) + u8::from(carry);
        carry = ones > 1;
        ones & 1 == 1
    });
    bits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: i128, width: usize) -> Vec<bool> {
        (0..width).map(|bit| value >> bit & 1 == 1).collect()
    }

    fn number(bits: &[bool], signed: bool) -> i128 {
        let number: i128 = (0..).zip(bits).map(|(bit, set)| i128::from(*set) << bit).sum();
        match bits.last() {
            Some(true) if signed => number - (1 << bits.len()),
            _ => number,
        }
    }

    #[test]
    fn totals_are_those_of_integers() {
        for signedness in [Signedness::Unsigned, Signedness::Signed] {
            let signed = signedness == Signedness::Signed;
            let values: Vec<i128> = if signed {
                (-4..4).collect()
            } else {
                (0..8).collect()
            };
            for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
                for (kind, expected) in [
                    (AggregateKind::Sum, a + b),
                    (AggregateKind::Max, a.max(b)),
                    (AggregateKind::Min, a.min(b)),
                ] {
                    let aggregate = Aggregate { kind, signedness };
                    let total = |value| aggregate.widen(bits(value, 3), 3);
                    let found = aggregate.combine(&total(a), &total(b));
                    assert_eq!(found.len(), aggregate.total_width(3));
                    assert_eq!(number(&found, signed), expected, "{kind} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn names_are_read_again() {
        for kind in AggregateKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        let error = "mean".parse::<AggregateKind>().unwrap_err().to_string();
        assert!(
            error.contains("\"mean\"") && error.contains("count, sum, any"),
            "{error}"
        );
    }
}
