//! Hexadecimal numbers as they are typed.

use zeroize::Zeroizing;

/// Parses N bytes, as [`parse_bytes`].
///
/// # Errors
/// As [`parse_bytes`].
pub fn parse<const N: usize>(text: &str) -> Result<Zeroizing<[u8; N]>, String> {
    let mut bytes = Zeroizing::new([0; N]);
    bytes.copy_from_slice(&parse_bytes(text, N)?);
    Ok(bytes)
}

/// Parses `length` bytes; spaces around them are allowed.
///
/// # Errors
/// The fault and the right form. The text itself is not repeated, because it may be a secret.
pub fn parse_bytes(text: &str, length: usize) -> Result<Zeroizing<Vec<u8>>, String> {
    let text = text.trim();
    let digits = text.chars().count();
    if digits != 2 * length {
        return Err(format!(
            "{digits} characters where {} hexadecimal digits are needed",
            2 * length
        ));
    }
    let mut bytes = Zeroizing::new(vec![0; length]);
    let mut digits = text
        .chars()
        .enumerate()
        .map(|(at, digit)| match digit.to_digit(16) {
            Some(value) => Ok(value as u8),
            None => Err(format!("character {} is no hexadecimal digit", at + 1)),
        });
    for byte in bytes.iter_mut() {
        for _ in 0..2 {
            *byte = *byte << 4 | digits.next().unwrap_or(Ok(0))?;
        }
    }
    Ok(bytes)
}

/// Writes the digits of bytes.
#[must_use]
pub fn format(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_refuses() {
        assert_eq!(*parse::<3>(" 00fFa1\n").unwrap(), [0, 255, 0xa1]);
        assert!(parse::<3>("00ff").unwrap_err().contains("6 hexadecimal digits"));
        assert!(parse::<2>("00g0").unwrap_err().contains("character 3"));
        assert_eq!(format(&[1, 0xab]), "01ab");
    }
}
