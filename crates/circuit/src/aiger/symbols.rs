//! The names of inputs and outputs.

use std::borrow::Cow;

use super::AigerError;
use super::header::Header;
use super::source::Source;
use crate::text::{number, shortened};

/// A name for each input and each output.
pub(super) struct Symbols<'a> {
    pub(super) inputs: Vec<Cow<'a, str>>,
    pub(super) outputs: Vec<Cow<'a, str>>,
}

impl<'a> Symbols<'a> {
    /// Reads symbols up to the comments or the end.
    pub(super) fn read(header: &Header, source: &mut Source<'a>) -> Result<Self, AigerError> {
        let mut inputs = vec![None; header.inputs as usize];
        let mut outputs = vec![None; header.outputs as usize];
        while let Some(line) = source.line()?.filter(|line| line.text != "c") {
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            let wrong = || AigerError::NotASymbol {
                found: shortened(line.text),
            };
            let (symbol, name) = line.text.split_once(' ').ok_or_else(wrong)?;
            let (list, place) = match (symbol.strip_prefix('i'), symbol.strip_prefix('o')) {
                (Some(place), _) => (&mut inputs, place),
                (_, Some(place)) => (&mut outputs, place),
                (None, None) => return Err(wrong()),
            };
            let place = number(place).ok_or_else(wrong)?;
            let entry = list.get_mut(place as usize).filter(|entry| entry.is_none());
            let entry = entry.ok_or_else(|| AigerError::SymbolPlace {
                symbol: symbol.to_owned(),
            })?;
            *entry = Some(name).filter(|name| !name.is_empty());
        }
        Ok(Self {
            inputs: complete("input", &inputs, "in")?,
            outputs: complete("output", &outputs, "out")?,
        })
    }
}

/// The names; without any, those of the bits of one port.
fn complete<'a>(
    direction: &'static str,
    names: &[Option<&'a str>],
    port: &str,
) -> Result<Vec<Cow<'a, str>>, AigerError> {
    let nameless = names.iter().all(Option::is_none);
    let name = |(number, name): (usize, &Option<&'a str>)| match name {
        Some(name) => Ok(Cow::Borrowed(*name)),
        None if nameless => Ok(Cow::Owned(format!("{port}[{number}]"))),
        None => Err(AigerError::SomeNamed { direction, number }),
    };
    names.iter().enumerate().map(name).collect()
}
