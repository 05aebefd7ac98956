//! Records as bytes, and their bits by columns.
//!
//! A record of `width` bits takes ceil(width / 8) bytes; bit i is bit i % 8 of byte i / 8.

use ringmill_circuit::PortLanes;
use zeroize::Zeroizing;

/// Bytes of a record.
pub fn record_bytes(width: usize) -> usize {
    width.div_ceil(8)
}

/// The columns of whole records: `lanes[bit][word]`, 64 records a word.
pub fn to_lanes(bytes: &[u8], width: usize) -> PortLanes {
    let records = bytes.chunks_exact(record_bytes(width).max(1));
    let mut lanes = vec![vec![0; records.len().div_ceil(64)]; width];
    for (index, record) in records.enumerate() {
        for (bit, lane) in lanes.iter_mut().enumerate() {
            lane[index / 64] |= u64::from(record[bit / 8] >> (bit % 8) & 1) << (index % 64);
        }
    }
    lanes
}

/// The records of columns, one `bool` per record and bit, of the same length each.
pub fn from_columns(columns: &[Vec<bool>]) -> Vec<u8> {
    let records = columns.first().map_or(0, Vec::len);
    let size = record_bytes(columns.len());
    let mut bytes = vec![0; records * size];
    for (bit, column) in columns.iter().enumerate() {
        for (record, value) in column.iter().enumerate() {
            bytes[record * size + bit / 8] |= u8::from(*value) << (bit % 8);
        }
    }
    bytes
}

/// One column: bit `bit` of each record.
pub fn column(bytes: &[u8], width: usize, bit: usize) -> Zeroizing<Vec<bool>> {
    let records = bytes.chunks_exact(record_bytes(width).max(1));
    Zeroizing::new(
        records
            .map(|record| record[bit / 8] >> (bit % 8) & 1 == 1)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_back() {
        let bytes: Vec<u8> = (0..100 * 3).map(|i| (i * 37 % 251) as u8).collect();
        for width in [17, 20, 24] {
            let columns: Vec<Vec<bool>> = (0..width)
                .map(|bit| column(&bytes, width, bit).to_vec())
                .collect();
            let back = from_columns(&columns);
            let last = (0xffu16 >> (24 - width)) as u8;
            for (a, b) in bytes.chunks(3).zip(back.chunks(3)) {
                assert_eq!((a[0], a[1], a[2] & last), (b[0], b[1], b[2]));
            }
            let lanes = to_lanes(&bytes, width);
            for (column, lane) in columns.iter().zip(&lanes) {
                assert_eq!(lane.len(), 2);
                for (i, bit) in column.iter().enumerate() {
                    assert_eq!(lane[i / 64] >> (i % 64) & 1 == 1, *bit);
                }
            }
        }
    }
}
