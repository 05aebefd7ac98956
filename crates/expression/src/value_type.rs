//! The types of ports and values.

use std::fmt;
use std::str::FromStr;

use num_bigint::{BigInt, Sign};

/// The most bits of a number, of a port or in between.
pub const MAX_NUMBER_BITS: usize = 1024;

/// The most bits of a value of type `bits` or `bytes`.
pub const MAX_BITS: usize = 1 << 16;

/// The type of a port or of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// `bool`: true or false, one bit.
    Bool,
    /// `uN`: a number from 0 to `2^N - 1`, with 1 to [`MAX_NUMBER_BITS`] bits.
    Unsigned(usize),
    /// `iN`: a number in two's complement from `-2^(N-1)` to `2^(N-1) - 1`, with 1 to [`MAX_NUMBER_BITS`] bits.
    Signed(usize),
    /// `bits[N]`: 1 to [`MAX_BITS`] bits that are no number.
    Bits(usize),
    /// `bytes[N]`: as many bytes, whose values are `bits[8 * N]`, the lowest bit of the first byte first.
    Bytes(usize),
}

/// A text is not the name of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType {
    text: String,
}

impl fmt::Display for UnknownType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "there is no type {:?}; {TYPES}", self.text)
    }
}

impl std::error::Error for UnknownType {}

/// The remedy for a wrong type.
pub(crate) const TYPES: &str = "types are `bool`, `u1` to `u1024`, `i1` to `i1024`, `bits[N]` up to 65536 bits, and `bytes[N]` up to 8192";

impl Type {
    /// The number of bits of a value.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Unsigned(width) | Self::Signed(width) | Self::Bits(width) => width,
            Self::Bytes(bytes) => bytes.saturating_mul(8),
        }
    }

    /// Whether values are numbers.
    #[must_use]
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Unsigned(_) | Self::Signed(_))
    }

    /// Whether a value can have this type: whether it has at least one bit and not too many.
    #[must_use]
    pub fn has_valid_width(self) -> bool {
        let most = if self.is_number() {
            MAX_NUMBER_BITS
        } else {
            MAX_BITS
        };
        (1..=most).contains(&self.width())
    }

    /// The type of values of this type: bytes are bits.
    pub(crate) const fn of_values(self) -> Self {
        match self {
            Self::Bytes(_) => Self::Bits(self.width()),
            other => other,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => out.write_str("bool"),
            Self::Unsigned(width) => write!(out, "u{width}"),
            Self::Signed(width) => write!(out, "i{width}"),
            Self::Bits(width) => write!(out, "bits[{width}]"),
            Self::Bytes(bytes) => write!(out, "bytes[{bytes}]"),
        }
    }
}

impl FromStr for Type {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        let listed = |name: &str| text.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']');
        let found = if text == "bool" {
            Some(Self::Bool)
        } else if let Some(width) = listed("bits") {
            size(width).map(Self::Bits)
        } else if let Some(bytes) = listed("bytes") {
            size(bytes).map(Self::Bytes)
        } else {
            number_type(text)
        };
        found
            .filter(|found| found.has_valid_width())
            .ok_or_else(|| UnknownType {
                text: text.chars().take(40).collect(),
            })
    }
}

/// The type `uN` or `iN` of a name of this form; its width may be wrong.
pub(crate) fn number_type(name: &str) -> Option<Type> {
    let unsigned = name.strip_prefix('u').and_then(size).map(Type::Unsigned);
    unsigned.or_else(|| name.strip_prefix('i').and_then(size).map(Type::Signed))
}

/// A number without sign and leading zeros; the largest there is if it overflows.
fn size(digits: &str) -> Option<usize> {
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (canonical && !digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX))
}

/// The values that a number can have, from the least to the greatest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) least: BigInt,
    pub(crate) greatest: BigInt,
}

impl Range {
    pub(crate) fn single(value: BigInt) -> Self {
        Self {
            least: value.clone(),
            greatest: value,
        }
    }

    /// The values of a type; `None` unless they are numbers.
    pub(crate) fn of(of: Type) -> Option<Self> {
        let power = |bits: usize| BigInt::from(1) << bits;
        match of {
            Type::Unsigned(width) => Some(Self {
                least: BigInt::ZERO,
                greatest: power(width) - 1,
            }),
            Type::Signed(width) => {
                let half = power(width.saturating_sub(1));
                Some(Self {
                    least: -&half,
                    greatest: half - 1,
                })
            }
            Type::Bool | Type::Bits(_) | Type::Bytes(_) => None,
        }
    }

    /// The products of a value of this range and one of another.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let low = [&self.least * &other.least, &self.least * &other.greatest];
        let high = [&self.greatest * &other.least, &self.greatest * &other.greatest];
        let [first, rest @ ..] = [low, high].map(|[left, right]| Self {
            least: left.clone().min(right.clone()),
            greatest: left.max(right),
        });
        rest.iter().fold(first, |all, range| all.with(range))
    }

    /// The least range that contains both.
    pub(crate) fn with(&self, other: &Self) -> Self {
        Self {
            least: self.least.clone().min(other.least.clone()),
            greatest: self.greatest.clone().max(other.greatest.clone()),
        }
    }

    pub(crate) fn contains(&self, other: &Self) -> bool {
        self.least <= other.least && other.greatest <= self.greatest
    }

    /// The only value of the range, if there is but one.
    pub(crate) fn only(&self) -> Option<&BigInt> {
        (self.least == self.greatest).then_some(&self.least)
    }

    /// The narrowest type that holds all values; it may be too wide.
    pub(crate) fn narrowest(&self) -> Type {
        let bits = |value: &BigInt| usize::try_from(value.bits()).unwrap_or(usize::MAX - 1);
        if self.least.sign() != Sign::Minus {
            return Type::Unsigned(bits(&self.greatest).max(1));
        }
        let below: BigInt = -&self.least - 1;
        let above = match self.greatest.sign() {
            Sign::Minus => 0,
            _ => bits(&self.greatest),
        };
        Type::Signed(bits(&below).max(above) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        for name in [
            "bool",
            "u1",
            "u1024",
            "i1",
            "i7",
            "bits[1]",
            "bits[65536]",
            "bytes[8192]",
        ] {
            assert_eq!(name.parse::<Type>().unwrap().to_string(), name);
        }
        for name in [
            "",
            "u",
            "u0",
            "u01",
            "u1025",
            "i0",
            "i-1",
            "u+1",
            "bits",
            "bits[]",
            "bits[0]",
            "bits[65537]",
            "bytes[8193]",
            "bytes[99999999999999999999999]",
            "u99999999999999999999999",
            "U8",
            "u8 ",
            "bits[ 1]",
            "int",
        ] {
            assert!(name.parse::<Type>().is_err(), "{name}");
        }
    }

    #[test]
    fn narrowest_types_hold_the_range_and_no_narrower_one_does() {
        for least in -20_i32..20 {
            for greatest in least..20 {
                let range = Range {
                    least: BigInt::from(least),
                    greatest: BigInt::from(greatest),
                };
                let narrowest = range.narrowest();
                assert!(
                    Range::of(narrowest).unwrap().contains(&range),
                    "{least} {greatest}"
                );
                let narrower = match narrowest {
                    Type::Unsigned(width) => Type::Unsigned(width - 1),
                    Type::Signed(width) => Type::Signed(width - 1),
                    other => other,
                };
                if narrower.width() > 0 {
                    assert!(
                        !Range::of(narrower).unwrap().contains(&range),
                        "{least} {greatest}"
                    );
                }
            }
        }
    }
}
