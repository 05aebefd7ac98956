//! Operations on two private unsigned numbers `a` and `b`.

use crate::{Builder, Circuit, CircuitError, Signedness, Visibility, Word};

/// Builds a circuit with both inputs and one named output.
fn binary(
    width: usize,
    output: &str,
    write: impl FnOnce(&mut Builder, &Word, &Word) -> Result<Word, CircuitError>,
) -> Result<Circuit, CircuitError> {
    let mut builder = Builder::new();
    let a = builder.input("a", Visibility::Private, width);
    let b = builder.input("b", Visibility::Private, width);
    let result = write(&mut builder, &a, &b)?;
    builder.output(output, &result);
    builder.finish()
}

pub(super) fn add(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "sum", Builder::add)
}

pub(super) fn multiply(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "product", |builder, a, b| Ok(builder.multiply(a, b)))
}

pub(super) fn less(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "less", |builder, a, b| {
        Ok(Word::new(vec![builder.less(a, b, Signedness::Unsigned)?]))
    })
}

pub(super) fn equal(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "equal", |builder, a, b| {
        Ok(Word::new(vec![builder.equal(a, b)?]))
    })
}

pub(super) fn max(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "max", |builder, a, b| {
        builder.max(a, b, Signedness::Unsigned)
    })
}

pub(super) fn hamming(width: usize) -> Result<Circuit, CircuitError> {
    binary(width, "distance", |builder, a, b| {
        let differences = builder.xor_words(a, b)?;
        Ok(builder.popcount(&differences))
    })
}
