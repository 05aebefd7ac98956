//! Values as text and as packed bytes, the lowest first: bit i of a value is bit i % 8 of byte i / 8, and
//! the bits above its width are 0.

use std::fmt::Write;

use crate::ColumnType;

/// Bits of an integer that every JSON library reads exactly.
const JSON_INTEGER_BITS: usize = 53;

/// Reads `text` as a value of `width` bits into `packed`, all of whose ceil(width / 8) bytes it writes;
/// `None` if it is none.
pub(crate) fn parse(text: &str, column_type: ColumnType, width: usize, packed: &mut [u8]) -> Option<()> {
    match column_type {
        ColumnType::Bool => {
            let is = |word: &str| text.eq_ignore_ascii_case(word);
            packed.fill(0);
            *packed.first_mut()? = match text {
                "1" => 1,
                "0" => 0,
                _ if is("true") => 1,
                _ if is("false") => 0,
                _ => return None,
            };
            Some(())
        }
        ColumnType::Unsigned(_) => {
            let value: u128 = text.parse().ok()?;
            (value <= unsigned_max(width)).then(|| put_integer(value, packed))
        }
        ColumnType::Signed(_) => {
            let value: i128 = text.parse().ok()?;
            let largest = signed_max(width);
            (-largest - 1..=largest)
                .contains(&value)
                .then(|| put_integer(value as u128 & unsigned_max(width), packed))
        }
        ColumnType::Hex => {
            let digits = text.as_bytes();
            if digits.len() != 2 * packed.len() {
                return None;
            }
            for (byte, digits) in packed.iter_mut().zip(digits.chunks_exact(2)) {
                *byte = digit(digits[0])? << 4 | digit(digits[1])?;
            }
            fits(width, packed).then_some(())
        }
        ColumnType::Bools => {
            packed.fill(0);
            if text.len() != width {
                return None;
            }
            for (bit, digit) in text.bytes().enumerate() {
                match digit {
                    b'0' => {}
                    b'1' => packed[bit / 8] |= 1 << (bit % 8),
                    _ => return None,
                }
            }
            Some(())
        }
    }
}

/// Whether no bit above the width is set.
pub(crate) fn fits(width: usize, packed: &[u8]) -> bool {
    match (width % 8, packed.last()) {
        (0, _) | (_, None) => true,
        (bits, Some(last)) => last >> bits == 0,
    }
}

/// Says for people what a value must be.
pub(crate) fn allowed(column_type: ColumnType, width: usize) -> String {
    match column_type {
        ColumnType::Bool => "true or false".to_owned(),
        ColumnType::Unsigned(_) => format!("a whole number from 0 to {}", unsigned_max(width)),
        ColumnType::Signed(_) => {
            let largest = signed_max(width);
            format!("a whole number from {} to {largest}", -largest - 1)
        }
        ColumnType::Hex => {
            let digits = format!("{} hexadecimal digits", 2 * width.div_ceil(8));
            match width % 8 {
                0 => digits,
                bits => format!("{digits}, the last two at most {:02x}", (1 << bits) - 1),
            }
        }
        ColumnType::Bools => format!("{width} times true or false (in a text, 1 or 0)"),
    }
}

/// Appends a packed value to a line of CSV.
pub(crate) fn write_csv(column_type: ColumnType, width: usize, packed: &[u8], line: &mut String) {
    match column_type {
        ColumnType::Bool => line.push_str(bool_word(bit(packed, 0))),
        // Writing to a `String` cannot fail.
        ColumnType::Unsigned(_) => _ = write!(line, "{}", integer(packed)),
        ColumnType::Signed(_) => {
            let unused = 128 - width.min(128);
            _ = write!(line, "{}", (integer(packed) << unused) as i128 >> unused);
        }
        ColumnType::Hex => write_hex(packed, line),
        ColumnType::Bools => line.extend((0..width).map(|at| if bit(packed, at) { '1' } else { '0' })),
    }
}

/// Appends a packed value to a line of JSON.
pub(crate) fn write_json(column_type: ColumnType, width: usize, packed: &[u8], line: &mut String) {
    let quoted = match column_type {
        ColumnType::Bool => false,
        ColumnType::Unsigned(_) | ColumnType::Signed(_) => width > JSON_INTEGER_BITS,
        ColumnType::Hex => true,
        ColumnType::Bools => {
            for at in 0..width {
                line.push(if at == 0 { '[' } else { ',' });
                line.push_str(bool_word(bit(packed, at)));
            }
            line.push(']');
            return;
        }
    };
    if quoted {
        line.push('"');
    }
    write_csv(column_type, width, packed, line);
    if quoted {
        line.push('"');
    }
}

/// Appends the hexadecimal digits of bytes.
pub(crate) fn write_hex(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        _ = write!(text, "{byte:02x}");
    }
}

fn bit(packed: &[u8], at: usize) -> bool {
    packed[at / 8] >> (at % 8) & 1 == 1
}

fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|value| value as u8)
}

/// The largest unsigned integer of 1 to 128 bits.
fn unsigned_max(width: usize) -> u128 {
    u128::MAX >> (128 - width.min(128))
}

/// The largest signed integer of 1 to 128 bits.
fn signed_max(width: usize) -> i128 {
    (unsigned_max(width) >> 1) as i128
}

/// An integer of at most 128 bits; its bytes above those of `packed` are 0.
fn put_integer(value: u128, packed: &mut [u8]) {
    for (to, from) in packed.iter_mut().zip(value.to_le_bytes()) {
        *to = from;
    }
}

fn integer(packed: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(packed) {
        *to = *from;
    }
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packed bytes of a text, if it is a value.
    fn packed(text: &str, column_type: ColumnType, width: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0xaa; width.div_ceil(8)];
        parse(text, column_type, width, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn integers_at_the_edges() {
        let unsigned = |text: &str, width| packed(text, ColumnType::Unsigned(width), width);
        assert_eq!(unsigned("511", 9), Some(vec![0xff, 1]));
        assert_eq!(unsigned("512", 9), None);
        assert_eq!(unsigned("-1", 9), None);
        assert_eq!(unsigned("", 9), None);
        assert_eq!(unsigned("1.0", 9), None);
        assert_eq!(unsigned(&u128::MAX.to_string(), 128), Some(vec![0xff; 16]));
        assert_eq!(unsigned("340282366920938463463374607431768211456", 128), None);

        let signed = |text: &str, width| packed(text, ColumnType::Signed(width), width);
        assert_eq!(signed("-256", 9), Some(vec![0, 1]));
        assert_eq!(signed("-1", 9), Some(vec![0xff, 1]));
        assert_eq!(signed("255", 9), Some(vec![0xff, 0]));
        assert_eq!(signed("-257", 9), None);
        assert_eq!(signed("256", 9), None);
        assert_eq!(signed("-1", 1), Some(vec![1]));
        assert_eq!(signed("1", 1), None);
        let mut least = vec![0; 16];
        least[15] = 0x80;
        assert_eq!(signed(&i128::MIN.to_string(), 128), Some(least));
        assert_eq!(signed("170141183460469231731687303715884105728", 128), None);
    }

    #[test]
    fn other_types_at_the_edges() {
        let hex = |text, width| packed(text, ColumnType::Hex, width);
        assert_eq!(hex("00fF1", 20), None);
        assert_eq!(hex("00fF0f", 20), Some(vec![0, 0xff, 0x0f]));
        assert_eq!(hex("00fF10", 20), None);
        assert_eq!(hex("0x", 8), None);
        assert_eq!(hex("+1", 8), None);
        assert_eq!(hex("é", 8), None);

        let bools = |text, width| packed(text, ColumnType::Bools, width);
        assert_eq!(bools("1000000011", 10), Some(vec![1, 3]));
        assert_eq!(bools("100000001", 10), None);
        assert_eq!(bools("100000001x", 10), None);

        for (text, value) in [("true", 1), ("False", 0), ("TRUE", 1), ("1", 1), ("0", 0)] {
            assert_eq!(packed(text, ColumnType::Bool, 1), Some(vec![value]));
        }
        for text in ["", "2", "yes", "01"] {
            assert_eq!(packed(text, ColumnType::Bool, 1), None);
        }
    }

    #[test]
    fn what_is_allowed() {
        let says = |column_type, width| allowed(column_type, width);
        assert_eq!(says(ColumnType::Unsigned(7), 7), "a whole number from 0 to 127");
        assert_eq!(says(ColumnType::Signed(7), 7), "a whole number from -64 to 63");
        assert!(says(ColumnType::Signed(128), 128).contains(&format!("{} to {}", i128::MIN, i128::MAX)));
        assert_eq!(says(ColumnType::Hex, 16), "4 hexadecimal digits");
        assert_eq!(
            says(ColumnType::Hex, 20),
            "6 hexadecimal digits, the last two at most 0f"
        );
    }

    #[test]
    fn json_quotes_what_a_double_cannot_hold() {
        let json = |column_type, width, packed: &[u8]| {
            let mut line = String::new();
            write_json(column_type, width, packed, &mut line);
            line
        };
        assert_eq!(
            json(
                ColumnType::Unsigned(53),
                53,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f]
            ),
            "9007199254740991"
        );
        assert_eq!(
            json(
                ColumnType::Signed(54),
                54,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f]
            ),
            "\"-1\""
        );
        assert_eq!(json(ColumnType::Bools, 3, &[6]), "[false,true,true]");
        assert_eq!(json(ColumnType::Bool, 1, &[1]), "true");
        assert_eq!(json(ColumnType::Hex, 12, &[0xab, 0x0c]), "\"ab0c\"");
    }
}
