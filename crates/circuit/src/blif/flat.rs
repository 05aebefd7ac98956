//! One network of all models.

use std::collections::HashMap;

use super::BlifError;
use super::model::{Model, SubModel, Table};
use crate::order::ordered;
use crate::{Builder, Wire};

/// The most bytes of text that copies of models may stand for. A few lines can ask for any number of copies.
pub const MAX_COPIED_BYTES: usize = 1 << 21;

/// The source of a signal.
enum Source<'m, 'a> {
    Input(Wire),
    Table(&'m Table<'a>, Vec<usize>),
}

/// The network of a model with those that it holds copies of. Its signals are numbers.
pub(super) struct Flat<'m, 'a> {
    models: &'m HashMap<&'a str, &'m Model<'a>>,
    sources: Vec<Option<Source<'m, 'a>>>,
    /// The name of each signal, and its model.
    names: Vec<(&'a str, &'a str)>,
    /// The bytes of text of all copies.
    copied: usize,
}

/// A model to be added.
struct Open<'m, 'a> {
    model: &'m Model<'a>,
    /// The number of each of its signals that is connected to others.
    numbers: Vec<Option<usize>>,
    /// The line of the copy.
    line: usize,
    /// The number of models around it.
    depth: usize,
}

impl<'m, 'a> Flat<'m, 'a> {
    /// The network of `top`, whose inputs have these wires.
    pub(super) fn new(
        models: &'m HashMap<&'a str, &'m Model<'a>>,
        top: &'m Model<'a>,
        inputs: &[Wire],
    ) -> Result<Self, BlifError> {
        let mut flat = Self {
            models,
            sources: Vec::new(),
            names: Vec::new(),
            copied: 0,
        };
        // The signals of the first model keep their numbers.
        let mut open = vec![Open {
            model: top,
            numbers: vec![None; top.signals.len()],
            line: 0,
            depth: 0,
        }];
        while let Some(next) = open.pop() {
            flat.add(next, &mut open)?;
        }
        for (signal, wire) in top.inputs.iter().zip(inputs) {
            flat.define(*signal, Source::Input(*wire), 0)?;
        }
        Ok(flat)
    }

    /// Adds the tables of a model, and opens the models that it holds copies of.
    fn add(&mut self, open: Open<'m, 'a>, others: &mut Vec<Open<'m, 'a>>) -> Result<(), BlifError> {
        let Open {
            model, depth, line, ..
        } = open;
        if depth > self.models.len() {
            return Err(BlifError::Recursive {
                line,
                model: model.name.to_owned(),
            });
        }
        let numbers = open.numbers.into_iter().zip(&model.signals);
        let numbers: Vec<usize> = numbers
            .map(|(number, name)| number.unwrap_or_else(|| self.fresh(name, model.name)))
            .collect();
        let global = |signal: &usize| numbers.get(*signal).copied().unwrap_or_default();
        for table in &model.tables {
            let inputs = table.inputs.iter().map(global).collect();
            self.define(global(&table.output), Source::Table(table, inputs), table.line)?;
        }
        for copy in &model.copies {
            let part = self.model_of(copy)?;
            self.copied += part.bytes;
            if self.copied > MAX_COPIED_BYTES {
                return Err(BlifError::TooManyCopies);
            }
            others.push(Open {
                model: part,
                numbers: connected(copy, part, global)?,
                line: copy.line,
                depth: depth + 1,
            });
        }
        Ok(())
    }

    fn fresh(&mut self, name: &'a str, model: &'a str) -> usize {
        self.sources.push(None);
        self.names.push((name, model));
        self.sources.len() - 1
    }

    fn define(&mut self, signal: usize, source: Source<'m, 'a>, line: usize) -> Result<(), BlifError> {
        match self.sources.get_mut(signal) {
            Some(entry @ None) => {
                *entry = Some(source);
                Ok(())
            }
            _ => Err(BlifError::DefinedTwice {
                line,
                signal: self.name(signal).0,
            }),
        }
    }

    fn model_of(&self, copy: &SubModel<'a>) -> Result<&'m Model<'a>, BlifError> {
        let model = self.models.get(copy.model).copied();
        model.ok_or_else(|| BlifError::NoSuchModel {
            line: copy.line,
            model: copy.model.to_owned(),
        })
    }

    /// Writes the tables of these signals, and of those that they depend on, and returns their wires.
    pub(super) fn build(&self, builder: &mut Builder, outputs: &[usize]) -> Result<Vec<Wire>, BlifError> {
        let needed = self.needed(outputs)?;
        let order = ordered(self.sources.len(), |signal| {
            self.sources.get(signal).into_iter().flat_map(operands)
        });
        let order = order.map_err(|signal| {
            let (signal, model) = self.name(signal);
            BlifError::Cycle { signal, model }
        })?;
        let mut wires = vec![builder.constant(false); self.sources.len()];
        for signal in order {
            let source = self.sources.get(signal).and_then(Option::as_ref);
            let wire = match source.filter(|_| needed.get(signal) == Some(&true)) {
                Some(Source::Input(wire)) => *wire,
                Some(Source::Table(table, inputs)) => {
                    let inputs = inputs.iter().filter_map(|input| wires.get(*input));
                    let inputs: Vec<Wire> = inputs.copied().collect();
                    table.cover.build(builder, &inputs)
                }
                None => continue,
            };
            if let Some(entry) = wires.get_mut(signal) {
                *entry = wire;
            }
        }
        let outputs = outputs.iter().filter_map(|signal| wires.get(*signal));
        Ok(outputs.copied().collect())
    }

    /// Whether a signal is needed for these ones. Yosys leaves others in a file that depend on nothing.
    fn needed(&self, outputs: &[usize]) -> Result<Vec<bool>, BlifError> {
        let mut needed = vec![false; self.sources.len()];
        let mut open = outputs.to_vec();
        while let Some(signal) = open.pop() {
            let known = needed
                .get_mut(signal)
                .is_none_or(|needed| std::mem::replace(needed, true));
            if known {
                continue;
            }
            match self.sources.get(signal) {
                Some(source @ Some(_)) => open.extend(operands(source)),
                None | Some(None) => {
                    let (signal, model) = self.name(signal);
                    return Err(BlifError::Undefined { signal, model });
                }
            }
        }
        Ok(needed)
    }

    /// The name of a signal and of its model, for errors.
    fn name(&self, signal: usize) -> (String, String) {
        let (name, model) = self.names.get(signal).copied().unwrap_or_default();
        (name.to_owned(), model.to_owned())
    }
}

/// The signals that a source reads.
fn operands(source: &Option<Source<'_, '_>>) -> impl Iterator<Item = usize> {
    let inputs = match source {
        Some(Source::Table(_, inputs)) => inputs.as_slice(),
        Some(Source::Input(_)) | None => &[],
    };
    inputs.iter().copied()
}

/// For each signal of a part: the number of the signal outside that it is connected to.
fn connected(
    copy: &SubModel<'_>,
    part: &Model<'_>,
    global: impl Fn(&usize) -> usize,
) -> Result<Vec<Option<usize>>, BlifError> {
    let model = || part.name.to_owned();
    let mut numbers = vec![None; part.signals.len()];
    let ports = || part.inputs.iter().chain(&part.outputs);
    for (port, signal) in &copy.connections {
        let place = part
            .signal(port)
            .filter(|place| ports().any(|port| port == place));
        match place.and_then(|place| numbers.get_mut(place)) {
            Some(entry @ None) => *entry = Some(global(signal)),
            _ => {
                return Err(BlifError::Connection {
                    line: copy.line,
                    model: model(),
                    found: (*port).to_owned(),
                });
            }
        }
    }
    let is_open = |input: &&usize| numbers.get(**input) == Some(&None);
    match part.inputs.iter().find(is_open) {
        None => Ok(numbers),
        Some(input) => Err(BlifError::Unconnected {
            line: copy.line,
            model: model(),
            port: part.names(&[*input]).concat(),
        }),
    }
}
