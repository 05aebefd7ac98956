//! Inputs, outputs and ANDs.

use std::collections::HashMap;

use super::AigerError;
use super::header::Header;
use super::source::{Line, Source};

/// The definition of a variable.
#[derive(Clone, Copy)]
pub(super) enum Definition {
    /// An input, by its number.
    Input(usize),
    /// An AND, by its number.
    And(usize),
}

/// A line with literals.
#[derive(Clone, Copy)]
pub(super) struct Read<const N: usize> {
    pub(super) line: usize,
    pub(super) literals: [u32; N],
}

/// What stands between the header and the symbols.
pub(super) struct Body {
    pub(super) outputs: Vec<Read<1>>,
    pub(super) ands: Vec<Read<2>>,
    definitions: HashMap<u32, Definition>,
}

impl Body {
    /// Reads as much as the header declares. Memory grows with what is read, except for the inputs of a binary
    /// file.
    pub(super) fn read(header: &Header, source: &mut Source<'_>) -> Result<Self, AigerError> {
        let mut body = Self {
            outputs: Vec::new(),
            ands: Vec::new(),
            definitions: HashMap::new(),
        };
        for number in 0..header.inputs {
            let definition = Definition::Input(number as usize);
            if header.binary {
                body.definitions.insert(number + 1, definition);
            } else {
                let line = next(source, "input", number, header.inputs)?;
                let [literal] = line.exactly("an input")?;
                body.define(header, line, literal, definition)?;
            }
        }
        for number in 0..header.outputs {
            let line = next(source, "output", number, header.outputs)?;
            let literals = line.exactly("an output")?;
            check_range(header, line, &literals)?;
            body.outputs.push(Read {
                line: line.number,
                literals,
            });
        }
        for number in 0..header.ands {
            if header.binary {
                body.take_binary(header, source, number)?;
            } else {
                let line = next(source, "AND", number, header.ands)?;
                let [literal, left, right] = line.exactly("an AND")?;
                check_range(header, line, &[left, right])?;
                body.define(header, line, literal, Definition::And(body.ands.len()))?;
                body.ands.push(Read {
                    line: line.number,
                    literals: [left, right],
                });
            }
        }
        body.check_operands()?;
        Ok(body)
    }

    /// The definition of a literal's variable; none of a constant.
    pub(super) fn definition(&self, literal: u32) -> Option<Definition> {
        self.definitions.get(&(literal / 2)).copied()
    }

    fn define(
        &mut self,
        header: &Header,
        line: Line<'_>,
        literal: u32,
        definition: Definition,
    ) -> Result<(), AigerError> {
        check_range(header, line, &[literal])?;
        let line = line.number;
        if literal < 2 || literal % 2 == 1 {
            return Err(AigerError::NotAVariable { line, literal });
        }
        match self.definitions.insert(literal / 2, definition) {
            None => Ok(()),
            Some(_) => Err(AigerError::DefinedTwice { line, literal }),
        }
    }

    /// Takes the next AND of a binary file: the variable after those before it.
    fn take_binary(
        &mut self,
        header: &Header,
        source: &mut Source<'_>,
        number: u32,
    ) -> Result<(), AigerError> {
        let variable = header.inputs + 1 + number;
        let mut operand = || source.difference();
        let (Some(first), Some(second)) = (operand(), operand()) else {
            return Err(AigerError::Ends {
                wanted: "AND",
                number: number + 1,
                declared: header.ands,
            });
        };
        let below = |literal: u32, difference: u32| {
            let lower = literal.checked_sub(difference);
            lower.ok_or(AigerError::BadDifference { number: number + 1 })
        };
        let literal = variable.saturating_mul(2);
        let left = below(literal, first)?;
        if left == literal {
            return Err(AigerError::BadDifference { number: number + 1 });
        }
        let right = below(left, second)?;
        self.definitions
            .insert(variable, Definition::And(self.ands.len()));
        self.ands.push(Read {
            line: 0,
            literals: [left, right],
        });
        Ok(())
    }

    /// Checks that all variables that are read are defined.
    fn check_operands(&self) -> Result<(), AigerError> {
        let outputs = self.outputs.iter().map(|read| (read.line, read.literals[0]));
        let ands = self.ands.iter();
        let operands = ands.flat_map(|read| read.literals.map(|literal| (read.line, literal)));
        for (line, literal) in outputs.chain(operands) {
            if literal > 1 && self.definition(literal).is_none() {
                return Err(AigerError::Undefined { line, literal });
            }
        }
        Ok(())
    }
}

fn next<'a>(
    source: &mut Source<'a>,
    wanted: &'static str,
    number: u32,
    declared: u32,
) -> Result<Line<'a>, AigerError> {
    source.line()?.ok_or(AigerError::Ends {
        wanted,
        number: number + 1,
        declared,
    })
}

fn check_range(header: &Header, line: Line<'_>, literals: &[u32]) -> Result<(), AigerError> {
    let limit = header.greatest_literal();
    match literals.iter().find(|literal| **literal > limit) {
        None => Ok(()),
        Some(literal) => Err(AigerError::LiteralOutOfRange {
            line: line.number,
            literal: *literal,
            limit,
        }),
    }
}
