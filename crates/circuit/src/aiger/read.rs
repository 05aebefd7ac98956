//! Reads either form.

use std::io::Read;

use super::AigerError;
use super::body::{Body, Definition};
use super::header::Header;
use super::source::Source;
use super::symbols::Symbols;
use crate::bit_names::{declare_inputs, declare_outputs};
use crate::optimise::with_sums;
use crate::order::ordered;
use crate::text::{MAX_INPUT_BITS, read_all};
use crate::{Builder, Circuit, Wire};

/// The most ANDs that [`read`] accepts.
pub const MAX_ANDS: u32 = 1 << 24;

/// Reads a circuit in the AIGER format, as text or in binary, by the file's first word.
///
/// Equal gates are shared, constants folded, and gates dropped on which no output depends. The length of the
/// file, [`MAX_ANDS`] and [`MAX_INPUT_BITS`](crate::bristol::MAX_INPUT_BITS) bound the memory used, whatever
/// the header declares.
///
/// # Errors
///
/// Every [`AigerError`]: the file must be whole, without latches and properties, and define every variable
/// that is read, once and not by itself. ANDs of a text may come in any order.
pub fn read(file: impl Read) -> Result<Circuit, AigerError> {
    let bytes = read_all(file)?.ok_or(AigerError::TooLong)?;
    let mut source = Source::new(&bytes);
    let header = Header::read(&mut source)?;
    let body = Body::read(&header, &mut source)?;
    let symbols = Symbols::read(&header, &mut source)?;

    let mut builder = Builder::new();
    let inputs = declare_inputs(&mut builder, &symbols.inputs)?;
    let outputs = outputs(&body, &mut builder, &inputs)?;
    declare_outputs(&mut builder, &symbols.outputs, &outputs)?;
    Ok(with_sums(&builder.finish()?)?)
}

/// Makes the ANDs, and returns the wires of the outputs.
fn outputs(body: &Body, builder: &mut Builder, inputs: &[Wire]) -> Result<Vec<Wire>, AigerError> {
    let operands = |and: usize| {
        let literals = body.ands.get(and).map_or([0; 2], |read| read.literals);
        let definitions = literals.into_iter().map(|literal| body.definition(literal));
        definitions.filter_map(|definition| match definition {
            Some(Definition::And(and)) => Some(and),
            Some(Definition::Input(_)) | None => None,
        })
    };
    let order = ordered(body.ands.len(), operands).map_err(|and| AigerError::Cycle {
        line: body.ands.get(and).map_or(0, |read| read.line),
    })?;
    let zero = builder.constant(false);
    let mut made = vec![zero; body.ands.len()];
    let wire = |builder: &mut Builder, made: &[Wire], literal: u32| {
        let wire = match body.definition(literal) {
            Some(Definition::Input(input)) => inputs.get(input),
            Some(Definition::And(and)) => made.get(and),
            None => None,
        };
        let wire = wire.copied().unwrap_or(zero);
        if literal % 2 == 1 { builder.not(wire) } else { wire }
    };
    for and in order {
        if let (Some(read), true) = (body.ands.get(and), and < made.len()) {
            let [left, right] = read.literals.map(|literal| wire(builder, &made, literal));
            made[and] = builder.and(left, right);
        }
    }
    let outputs = body.outputs.iter();
    Ok(outputs
        .map(|read| wire(builder, &made, read.literals[0]))
        .collect())
}

// The literals of the largest binary file are numbers of 32 bits.
const _: () = assert!(2 * (MAX_INPUT_BITS + MAX_ANDS as u64) < u32::MAX as u64);
