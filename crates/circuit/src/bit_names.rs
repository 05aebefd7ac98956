//! Names of single bits, as synthesis tools write them: `a[0]`, `a[1]` and so on are the bits of a port `a`.

use std::collections::HashMap;

use thiserror::Error;

use crate::{Builder, Visibility, Wire, Word};

/// The reason why names of bits make no ports.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BitNameError {
    /// A bit is named twice.
    #[error("two {direction} bits are named {name:?}; give each its own name")]
    Twice {
        /// `input` or `output`.
        direction: &'static str,
        /// The name.
        name: String,
    },
    /// A name stands for one bit, and for the bits of a word.
    #[error("{port:?} is an {direction} bit and, as in {name:?}, a word of several; rename one of them")]
    BitAndWord {
        /// `input` or `output`.
        direction: &'static str,
        /// The name without an index.
        port: String,
        /// A name with an index.
        name: String,
    },
    /// A bit between others is missing.
    #[error(
        "the {direction} {port:?} has bits {}, {} and on, but none between them; declare all bits of the word",
        bits.0, bits.1
    )]
    Gap {
        /// `input` or `output`.
        direction: &'static str,
        /// The name without an index.
        port: String,
        /// The indices of the bits below and above the gap.
        bits: (u32, u32),
    },
}

/// The bits that make a port.
struct Port<'a> {
    name: &'a str,
    /// The index of each bit, none in a name without one, and its place among all bits.
    bits: Vec<(Option<u32>, usize)>,
}

/// Declares private input ports for bits of these names, and returns the wire of each.
pub(crate) fn declare_inputs(
    builder: &mut Builder,
    names: &[impl AsRef<str>],
) -> Result<Vec<Wire>, BitNameError> {
    let mut wires = vec![builder.constant(false); names.len()];
    for port in ports("input", names)? {
        let word = builder.input(port.name, Visibility::Private, port.bits.len());
        for ((_, place), wire) in port.bits.iter().zip(word.wires()) {
            if let Some(entry) = wires.get_mut(*place) {
                *entry = *wire;
            }
        }
    }
    Ok(wires)
}

/// Declares output ports for bits of these names and wires.
pub(crate) fn declare_outputs(
    builder: &mut Builder,
    names: &[impl AsRef<str>],
    wires: &[Wire],
) -> Result<(), BitNameError> {
    for port in ports("output", names)? {
        let bits = port.bits.iter().filter_map(|(_, place)| wires.get(*place));
        builder.output(port.name, &Word::new(bits.copied().collect()));
    }
    Ok(())
}

/// Gathers bits into ports, in the order of their first bits. The bit of the lowest index comes first.
fn ports<'a>(direction: &'static str, names: &'a [impl AsRef<str>]) -> Result<Vec<Port<'a>>, BitNameError> {
    let mut ports: Vec<Port<'a>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (place, full) in names.iter().enumerate() {
        let (name, index) = split(full.as_ref());
        let number = *known.entry(name).or_insert(ports.len());
        match ports.get_mut(number) {
            Some(port) => port.bits.push((index, place)),
            None => ports.push(Port {
                name,
                bits: vec![(index, place)],
            }),
        }
    }
    for port in &mut ports {
        port.bits.sort_unstable();
        for pair in port.bits.windows(2) {
            if let [(below, _), (above, place)] = pair {
                let name = || names.get(*place).map_or("", AsRef::as_ref).to_owned();
                check(direction, port.name, (*below, *above), name)?;
            }
        }
    }
    Ok(ports)
}

/// Checks that a bit of a port may follow another one.
fn check(
    direction: &'static str,
    port: &str,
    bits: (Option<u32>, Option<u32>),
    name: impl Fn() -> String,
) -> Result<(), BitNameError> {
    let port = || port.to_owned();
    match bits {
        (below, above) if below == above => Err(BitNameError::Twice {
            direction,
            name: name(),
        }),
        (Some(below), Some(above)) if above - below > 1 => Err(BitNameError::Gap {
            direction,
            port: port(),
            bits: (below, above),
        }),
        (Some(_), Some(_)) => Ok(()),
        (None, _) | (_, None) => Err(BitNameError::BitAndWord {
            direction,
            port: port(),
            name: name(),
        }),
    }
}

/// A name without its index, and the index.
fn split(full: &str) -> (&str, Option<u32>) {
    let indexed = full.strip_suffix(']').and_then(|front| {
        let (name, index) = front.rsplit_once('[')?;
        Some((name, crate::text::number(index)?))
    });
    match indexed {
        Some((name, index)) if !name.is_empty() => (name, Some(index)),
        _ => (full, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(names: &[&str]) -> Result<Vec<(String, Vec<usize>)>, BitNameError> {
        let ports = ports("input", names)?.into_iter();
        let places = |port: &Port<'_>| port.bits.iter().map(|(_, place)| *place).collect();
        Ok(ports.map(|port| (port.name.to_owned(), places(&port))).collect())
    }

    #[test]
    fn bits_are_gathered_by_their_index() {
        let names = [
            "b[1]", "clock", "a[10]", "b[0]", "a[9]", "m[2][0]", "m[2][1]", "[3]", "x[", "y[-1]",
        ];
        let expected = [
            ("b", vec![3, 0]),
            ("clock", vec![1]),
            ("a", vec![4, 2]),
            ("m[2]", vec![5, 6]),
            ("[3]", vec![7]),
            ("x[", vec![8]),
            ("y[-1]", vec![9]),
        ];
        let expected: Vec<_> = expected.map(|(name, places)| (name.to_owned(), places)).to_vec();
        assert_eq!(gathered(&names), Ok(expected));
    }

    #[test]
    fn names_that_make_no_ports() {
        let text = |names: &[&str]| gathered(names).unwrap_err().to_string();
        assert!(text(&["a[1]", "a[0]", "a[1]"]).contains("two input bits are named \"a[1]\""));
        assert!(text(&["a", "b", "a"]).contains("two input bits are named \"a\""));
        assert!(text(&["a[1]", "a"]).contains("\"a\" is an input bit and, as in \"a[1]\", a word"));
        assert!(text(&["a[0]", "a[4294967295]"]).contains("bits 0, 4294967295 and on"));
    }
}
