//! The types of columns: how a table writes their values.

use std::fmt;

/// Bits of the widest values that are written as integers.
const INTEGER_BITS: usize = 128;

/// The type of a column. Integers have exactly the width of the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnType {
    /// `bool`: one bit, `true` or `false`.
    Bool,
    /// `u<w>`: an unsigned integer of w bits, 1 to 128.
    Unsigned(usize),
    /// `i<w>`: a signed integer of w bits, 1 to 128, in two's complement in the port.
    Signed(usize),
    /// `hex`: bytes as two hexadecimal digits each, the first byte first.
    Hex,
    /// `bools`: one `true` or `false` for each bit, the least significant first.
    Bools,
}

impl ColumnType {
    /// The type of a column without an override: `bool` for one bit, unsigned for up to 128 bits, and
    /// `hex` for wider ones and for rows of bytes. `width` is the bits of a value, at least one.
    pub(crate) fn preset(width: usize, rows: bool) -> Self {
        match width {
            _ if rows => Self::Hex,
            1 => Self::Bool,
            2..=INTEGER_BITS => Self::Unsigned(width),
            _ => Self::Hex,
        }
    }

    /// All types that values of `width` bits can have.
    pub(crate) fn allowed(width: usize) -> Vec<Self> {
        let mut types = vec![Self::Hex, Self::Bools];
        if width <= INTEGER_BITS {
            types.splice(0..0, [Self::Unsigned(width), Self::Signed(width)]);
        }
        if width == 1 {
            types.insert(0, Self::Bool);
        }
        types
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => out.write_str("bool"),
            Self::Unsigned(width) => write!(out, "u{width}"),
            Self::Signed(width) => write!(out, "i{width}"),
            Self::Hex => out.write_str("hex"),
            Self::Bools => out.write_str("bools"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(width: usize) -> String {
        let names: Vec<String> = ColumnType::allowed(width)
            .iter()
            .map(ToString::to_string)
            .collect();
        names.join(" ")
    }

    #[test]
    fn types_by_width() {
        assert_eq!(names(1), "bool u1 i1 hex bools");
        assert_eq!(names(2), "u2 i2 hex bools");
        assert_eq!(names(128), "u128 i128 hex bools");
        assert_eq!(names(129), "hex bools");
        for (width, rows, name) in [
            (1, false, "bool"),
            (2, false, "u2"),
            (128, false, "u128"),
            (129, false, "hex"),
            (8, true, "hex"),
        ] {
            assert_eq!(ColumnType::preset(width, rows).to_string(), name);
        }
    }
}
