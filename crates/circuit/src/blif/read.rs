//! Reads a circuit.

use std::collections::HashSet;
use std::io::Read;

use super::BlifError;
use super::flat::Flat;
use super::lines::lines;
use super::model::Model;
use crate::bit_names::{declare_inputs, declare_outputs};
use crate::optimise::with_sums;
use crate::text::{decode, read_all, shortened};
use crate::{Builder, Circuit};

/// Reads the first model of a text in BLIF as a circuit.
///
/// Equal gates are shared, constants folded, and gates dropped on which no output depends. The length of the
/// text and [`MAX_COPIED_BYTES`](super::MAX_COPIED_BYTES) bound the memory used.
///
/// # Errors
///
/// Every [`BlifError`]: a circuit has no memory, no loops and no cells of a library, and every signal has one
/// source.
pub fn read(text: impl Read) -> Result<Circuit, BlifError> {
    let bytes = read_all(text)?.ok_or(BlifError::TooLong)?;
    let text = decode(&bytes).map_err(|line| BlifError::NotText { line })?;
    let models = models(text)?;
    let top = models.first().ok_or(BlifError::NoModel)?;
    if top.outputs.is_empty() {
        return Err(BlifError::NoOutputs {
            model: top.name.to_owned(),
        });
    }
    let known = models.iter().map(|model| (model.name, model)).collect();

    let mut builder = Builder::new();
    let inputs = declare_inputs(&mut builder, &top.names(&top.inputs))?;
    let outputs = Flat::new(&known, top, &inputs)?.build(&mut builder, &top.outputs)?;
    declare_outputs(&mut builder, &top.names(&top.outputs), &outputs)?;
    Ok(with_sums(&builder.finish()?)?)
}

/// The models of a text.
fn models(text: &str) -> Result<Vec<Model<'_>>, BlifError> {
    let mut models: Vec<Model<'_>> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    let mut is_open = false;
    for line in lines(text) {
        match (line.words.as_slice(), models.last_mut().filter(|_| is_open)) {
            ([".model", name @ ..], _) => {
                let [name] = name else {
                    return Err(BlifError::ModelName { line: line.number });
                };
                if !known.insert(name) {
                    return Err(BlifError::ModelName { line: line.number });
                }
                models.push(Model::new(name));
                is_open = true;
            }
            ([".end", ..], Some(_)) => is_open = false,
            (_, Some(model)) => model.add(&line)?,
            (words, None) => {
                return Err(BlifError::NotAModel {
                    line: line.number,
                    found: shortened(words.first().unwrap_or(&"")),
                });
            }
        }
    }
    models.iter().try_for_each(Model::check_inputs)?;
    Ok(models)
}
