//! The data of a port for many records.

use crate::WireType;

/// The bits of one port for many records, bit-sliced.
///
/// `lanes[bit][word]` holds bit number `bit` of the port (0 is the least
/// significant) for the 64 records `64 * word` to `64 * word + 63`; record
/// `64 * word + r` is in bit `r` of the `u64`.
pub type PortLanes = Vec<Vec<u64>>;

/// The values of one port for many records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortValues {
    /// The values of a port of bits.
    Bits(PortLanes),
    /// The values of a port of rows of `k` bytes. For each wire there are `records * k` bytes: its row in
    /// every record, one record after the other.
    Rows(Vec<Vec<u8>>),
}

impl PortValues {
    /// The number of wires that have values.
    #[must_use]
    pub fn width(&self) -> usize {
        match self {
            Self::Bits(lanes) => lanes.len(),
            Self::Rows(rows) => rows.len(),
        }
    }

    /// The lanes of a port of bits, or `None` for rows.
    #[must_use]
    pub fn as_bits(&self) -> Option<&PortLanes> {
        match self {
            Self::Bits(lanes) => Some(lanes),
            Self::Rows(_) => None,
        }
    }

    /// The bytes for each wire of a port of rows, or `None` for bits.
    #[must_use]
    pub fn as_rows(&self) -> Option<&[Vec<u8>]> {
        match self {
            Self::Bits(_) => None,
            Self::Rows(rows) => Some(rows),
        }
    }

    /// The values of one record as bytes: bit `i` of a port of bits is bit `i % 8` of byte `i / 8`; rows
    /// follow one another. Missing values count as 0.
    #[must_use]
    pub fn record_bytes(&self, kind: WireType, record: usize) -> Vec<u8> {
        match self {
            Self::Bits(lanes) => {
                let bit = |lane: &Vec<u64>| lane.get(record / 64).map_or(0, |word| word >> (record % 64) & 1);
                let byte = |lanes: &[Vec<u64>]| {
                    let bits = lanes.iter().map(bit).enumerate();
                    bits.fold(0, |byte, (place, bit)| byte | u8::from(bit == 1) << place)
                };
                lanes.chunks(8).map(byte).collect()
            }
            Self::Rows(rows) => {
                let bytes = kind.slots();
                let row = |row: &Vec<u8>| row.iter().skip(record * bytes).take(bytes).copied().collect();
                rows.iter().flat_map::<Vec<u8>, _>(row).collect()
            }
        }
    }
}

impl From<PortLanes> for PortValues {
    fn from(lanes: PortLanes) -> Self {
        Self::Bits(lanes)
    }
}
