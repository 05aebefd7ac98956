//! Models as the file has them.

use std::collections::{HashMap, HashSet};

use super::BlifError;
use super::cover::Cover;
use super::lines::Line;
use crate::text::shortened;

/// A model. Its signals are numbers.
#[derive(Default)]
pub(super) struct Model<'a> {
    pub(super) name: &'a str,
    /// The name of each signal.
    pub(super) signals: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    pub(super) tables: Vec<Table<'a>>,
    pub(super) copies: Vec<SubModel<'a>>,
    /// The bytes of its words.
    pub(super) bytes: usize,
}

/// A table.
pub(super) struct Table<'a> {
    pub(super) line: usize,
    pub(super) inputs: Vec<usize>,
    pub(super) output: usize,
    pub(super) cover: Cover<'a>,
}

/// A copy of another model.
pub(super) struct SubModel<'a> {
    pub(super) line: usize,
    pub(super) model: &'a str,
    /// A port of the model, and the signal that it is connected to.
    pub(super) connections: Vec<(&'a str, usize)>,
}

impl<'a> Model<'a> {
    pub(super) fn new(name: &'a str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// The number of a signal that there is.
    pub(super) fn signal(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The names of signals.
    pub(super) fn names(&self, signals: &[usize]) -> Vec<&'a str> {
        let names = signals.iter().filter_map(|signal| self.signals.get(*signal));
        names.copied().collect()
    }

    /// Adds a line between those of the model's beginning and its end.
    pub(super) fn add(&mut self, line: &Line<'a>) -> Result<(), BlifError> {
        self.bytes += line.words.iter().map(|word| 1 + word.len()).sum::<usize>();
        let number = line.number;
        let Some((keyword, words)) = line.words.split_first() else {
            return Ok(());
        };
        let found = || shortened(keyword);
        match *keyword {
            ".inputs" => {
                let inputs = self.all(words);
                self.inputs.extend(inputs);
            }
            ".outputs" => {
                let outputs = self.all(words);
                self.outputs.extend(outputs);
            }
            ".names" => self.add_table(number, words)?,
            ".subckt" => self.add_copy(number, words)?,
            ".latch" | ".mlatch" | ".clock" => {
                return Err(BlifError::Memory {
                    line: number,
                    found: found(),
                });
            }
            ".gate" => {
                return Err(BlifError::Library {
                    line: number,
                    found: found(),
                });
            }
            ".exdc" => return Err(BlifError::DontCares { line: number }),
            // What Yosys writes about the origin of signals and cells.
            ".attr" | ".param" | ".cname" => {}
            word if word.starts_with('.') => {
                return Err(BlifError::Unknown {
                    line: number,
                    found: found(),
                });
            }
            _ => match self.tables.last_mut() {
                Some(table) => table.cover.add(line)?,
                None => {
                    return Err(BlifError::RowOutside {
                        line: number,
                        found: found(),
                    });
                }
            },
        }
        Ok(())
    }

    fn add_table(&mut self, line: usize, words: &[&'a str]) -> Result<(), BlifError> {
        let signals = self.all(words);
        let Some((output, inputs)) = signals.split_last() else {
            return Err(BlifError::NoTableOutput { line });
        };
        self.tables.push(Table {
            line,
            inputs: inputs.to_vec(),
            output: *output,
            cover: Cover::new(inputs.len()),
        });
        Ok(())
    }

    fn add_copy(&mut self, line: usize, words: &[&'a str]) -> Result<(), BlifError> {
        let Some((model, connections)) = words.split_first() else {
            return Err(BlifError::ModelName { line });
        };
        let connected = |word: &&'a str| {
            let connection = word.split_once('=').filter(|(_, signal)| !signal.is_empty());
            connection.ok_or_else(|| BlifError::Connection {
                line,
                model: (*model).to_owned(),
                found: shortened(word),
            })
        };
        let connections: Vec<(&str, &str)> = connections.iter().map(connected).collect::<Result<_, _>>()?;
        let connections = connections
            .into_iter()
            .map(|(port, signal)| (port, self.number(signal)))
            .collect();
        self.copies.push(SubModel {
            line,
            model,
            connections,
        });
        Ok(())
    }

    /// Checks that no table has an input of the model as its output. In a copy that input may be a signal that
    /// nothing else defines.
    pub(super) fn check_inputs(&self) -> Result<(), BlifError> {
        let inputs: HashSet<usize> = self.inputs.iter().copied().collect();
        match self.tables.iter().find(|table| inputs.contains(&table.output)) {
            None => Ok(()),
            Some(table) => Err(BlifError::DefinedTwice {
                line: table.line,
                signal: self.names(&[table.output]).concat(),
            }),
        }
    }

    fn all(&mut self, names: &[&'a str]) -> Vec<usize> {
        names.iter().map(|name| self.number(name)).collect()
    }

    /// The number of a signal, a new one if it is not known.
    fn number(&mut self, name: &'a str) -> usize {
        let number = *self.numbers.entry(name).or_insert(self.signals.len());
        if number == self.signals.len() {
            self.signals.push(name);
        }
        number
    }
}
