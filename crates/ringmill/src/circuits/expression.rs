use std::io::Read as _;
use std::path::Path;

use ringmill_circuit::Visibility;
use ringmill_expression::{Compiled, KnownTypes, MAX_TEXT_BYTES, PortType, Type, compile};
use ringmill_records::{ReadOptions, TableFormat, Values, narrowest};

use super::{NamedCircuit, PortTypes};
use crate::Error;
use crate::files::Input;
use crate::table::{blame, format_of};

/// Makes a circuit of an expression program (`docs/expressions.md`); `known` has types for inputs that it does not declare.
///
/// ```
/// use ringmill::circuits::{KnownTypes, from_expression};
///
/// # fn main() -> Result<(), ringmill::Error> {
/// let text = "income: u18; limit: public u18; score: u7; flag = income > limit and score < 10";
/// let circuit = from_expression("flag", text, &KnownTypes::default())?;
/// assert_eq!(circuit.circuit().outputs()[0].name, "flag");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage), with line, column and a caret under the place.
pub fn from_expression(name: &str, text: &str, known: &KnownTypes) -> Result<NamedCircuit, Error> {
    let compiled = compile(text, known).map_err(|error| Error::Usage(format!("{name}: {error}")))?;
    from_compiled(name, compiled)
}

/// Makes a circuit of a program that is compiled already, such as one of a [`Trace`](super::Trace).
///
/// # Errors
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for totals that outputs cannot have.
pub fn from_compiled(name: &str, compiled: Compiled) -> Result<NamedCircuit, Error> {
    let types = PortTypes {
        inputs: compiled.inputs.iter().map(column_type).collect(),
        outputs: compiled.outputs.iter().map(column_type).collect(),
    };
    let Compiled {
        circuit, aggregates, ..
    } = compiled;
    let circuit = NamedCircuit::new(name, circuit).with_types(types)?;
    match aggregates.is_empty() {
        true => Ok(circuit),
        false => circuit.with_aggregates(aggregates),
    }
}

/// Reads an expression program from a file.
pub(super) fn open(name: &str, path: &Path, known: &KnownTypes) -> Result<NamedCircuit, Error> {
    let mut text = Vec::new();
    let most = MAX_TEXT_BYTES as u64 + 1;
    let read = Input::open(path)?.take(most).read_to_end(&mut text);
    read.map_err(|error| Error::io(path, error))?;
    let text =
        String::from_utf8(text).map_err(|_| Error::data(path, "not UTF-8; is it an expression program?"))?;
    from_expression(name, &text, known)
}

/// The types of the columns of a table in a file, the narrowest that hold all values, for programs that do not declare their
/// inputs; all are private. Columns of anything but numbers, `true` and `false`, and bytes have none.
///
/// # Errors
/// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io);
/// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if the name of the file does not tell its format.
pub fn known_types(path: &Path, format: Option<TableFormat>) -> Result<KnownTypes, Error> {
    let format = format_of(path, format)?;
    let columns = narrowest(Input::open(path)?, format, ReadOptions::default());
    let mut known = KnownTypes::default();
    for (name, values) in columns.map_err(|error| blame(path, error))? {
        let value_type = match values {
            Values::Bools => Type::Bool,
            Values::Unsigned(bits) => Type::Unsigned(bits),
            Values::Signed(bits) => Type::Signed(bits),
            Values::Hex(bytes) => Type::Bytes(bytes),
            _ => continue,
        };
        known.insert(name, value_type, Visibility::Private);
    }
    Ok(known)
}

/// The type of a port's column, if it is not the usual one of its width.
fn column_type(port: &PortType) -> Option<String> {
    match port.value_type {
        Type::Unsigned(1) => Some("u1".to_owned()),
        Type::Signed(width @ 1..=128) => Some(format!("i{width}")),
        Type::Bits(_) | Type::Bytes(_) => Some("hex".to_owned()),
        _ => None,
    }
}
