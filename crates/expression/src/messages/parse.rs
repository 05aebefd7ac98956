//! From text to operations, each made once.

use std::collections::HashMap;

use pest::Parser;
use pest::error::InputLocation;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use pest_derive::Parser;

use super::{MAX_OPERATIONS, MAX_ROTATION, MessageInput, MessageOperation};
use crate::error::{Fault, Outcome, Span};
use crate::parse::{integer, token};
use crate::scan::scan;
use crate::syntax::Identifier;

/// Words that cannot be names.
const RESERVED: [&str; 7] = ["inner", "let", "private", "public", "rotate", "sum", "swap"];

/// What there is, for those who ask for something else.
const OPERATIONS: &str = "messages have `+`, `-`, `*`, `rotate(x, k)`, `swap(x)`, `sum(x)` and `inner(x, y)`; for comparisons, division and \
     conditions of numbers use --expr";

/// The most inputs, and the most outputs.
const MAX_PORTS: usize = 64;

#[derive(Parser)]
#[grammar = "messages/grammar.pest"]
struct Grammar;

/// A program as it is written.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) inputs: Vec<MessageInput>,
    pub(super) operations: Vec<MessageOperation>,
    /// Names and the places of their values.
    pub(super) outputs: Vec<(Identifier, usize)>,
}

/// What a name stands for.
struct Meaning {
    value: usize,
    /// Of an input that is not used yet, where it is declared.
    unused: Option<Span>,
}

#[derive(Default)]
struct Builder {
    parsed: Parsed,
    /// Equal operations are made once.
    known: HashMap<MessageOperation, usize>,
    names: HashMap<String, Meaning>,
}

/// Reads a program.
pub(super) fn parse(source: &str) -> Outcome<Parsed> {
    let text = scan(source)?;
    let program = Grammar::parse(Rule::program, &text).map_err(|error| explain(&error.location, &text))?;
    let operators = PrattParser::new()
        .op(Op::infix(Rule::add, Assoc::Left) | Op::infix(Rule::subtract, Assoc::Left))
        .op(Op::infix(Rule::multiply, Assoc::Left) | Op::infix(Rule::foreign, Assoc::Left))
        .op(Op::prefix(Rule::negate));
    let mut builder = Builder::default();
    for pair in program.filter(|pair| pair.as_rule() != Rule::EOI) {
        builder.statement(&operators, pair)?;
    }
    builder.finish(source)
}

fn span(pair: &Pair<'_, Rule>) -> Span {
    let span = pair.as_span();
    Span::new(span.start(), span.end())
}

/// Says what stands where the parser stopped.
fn explain(location: &InputLocation, text: &str) -> Box<Fault> {
    let at = match *location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let found = token(text.get(at..).unwrap_or_default());
    let message = match found {
        "" => "the program ends too early".to_owned(),
        "\n" => "the line ends too early".to_owned(),
        _ => format!("`{found}` cannot stand here"),
    };
    let help = "a statement is `NAME = ...`, `let NAME = ...` or `NAME: public`; statements end with their line or `;`";
    Fault::new(Span::new(at, at + found.trim_end().len().max(1)), message, help)
}

impl Builder {
    fn statement(&mut self, operators: &PrattParser<Rule>, pair: Pair<'_, Rule>) -> Outcome<()> {
        let (rule, place) = (pair.as_rule(), span(&pair));
        let mut parts = pair.into_inner().filter(|part| part.as_rule() != Rule::let_word);
        let (Some(first), second) = (parts.next(), parts.next()) else {
            return Err(Fault::internal(place));
        };
        let Some(second) = second else {
            let help = "write `NAME = ...` for an output, or `let NAME = ...` for a value in between";
            return Err(Fault::new(place, "this result has no name", help));
        };
        let name = identifier(&first)?;
        if rule == Rule::declaration {
            return self.declare(&name, second.as_rule() == Rule::public);
        }
        let value = self.expression(operators, second)?;
        self.require_new(&name)?;
        self.names
            .insert(name.text.clone(), Meaning { value, unused: None });
        if rule == Rule::output {
            if self.parsed.outputs.len() == MAX_PORTS {
                let message = format!("there are more than {MAX_PORTS} outputs");
                return Err(Fault::new(
                    name.span,
                    message,
                    "use `let` for values in between, or two programs",
                ));
            }
            self.parsed.outputs.push((name, value));
        }
        Ok(())
    }

    fn declare(&mut self, name: &Identifier, public: bool) -> Outcome<()> {
        self.require_new(name)?;
        self.input(name, public, Some(name.span)).map(drop)
    }

    fn input(&mut self, name: &Identifier, public: bool, unused: Option<Span>) -> Outcome<usize> {
        let index = self.parsed.inputs.len();
        if index == MAX_PORTS {
            let message = format!("there are more than {MAX_PORTS} inputs");
            return Err(Fault::new(
                name.span,
                message,
                "put several into the slots of one message",
            ));
        }
        self.parsed.inputs.push(MessageInput {
            name: name.text.clone(),
            public,
        });
        let value = self.operation(MessageOperation::Input(index), name.span)?;
        self.names.insert(name.text.clone(), Meaning { value, unused });
        Ok(value)
    }

    fn require_new(&self, name: &Identifier) -> Outcome<()> {
        if !self.names.contains_key(&name.text) {
            return Ok(());
        }
        let message = format!("`{}` has a meaning already", name.text);
        let help =
            "choose another name; a name that is used before it is defined or declared is an encrypted input";
        Err(Fault::new(name.span, message, help))
    }

    fn operation(&mut self, operation: MessageOperation, place: Span) -> Outcome<usize> {
        if let Some(value) = self.known.get(&operation) {
            return Ok(*value);
        }
        let value = self.parsed.operations.len();
        if value == MAX_OPERATIONS {
            let message = format!("there are more than {MAX_OPERATIONS} operations");
            return Err(Fault::new(place, message, "split it into several programs"));
        }
        self.parsed.operations.push(operation);
        self.known.insert(operation, value);
        Ok(value)
    }

    /// The value of an expression. The scan of the text has bounded how deeply this recurses; long chains of operators
    /// do not.
    fn expression(&mut self, operators: &PrattParser<Rule>, pair: Pair<'_, Rule>) -> Outcome<usize> {
        // Operands are taken in order, each before its operator, so that only one closure borrows at a time.
        let this = std::cell::RefCell::new(self);
        operators
            .map_primary(|pair| this.borrow_mut().primary(operators, pair))
            .map_prefix(|operator, operand| {
                let negate = MessageOperation::Negate(operand?);
                this.borrow_mut().operation(negate, span(&operator))
            })
            .map_infix(|left, operator, right| {
                let (left, right) = (left?, right?);
                let operation = match operator.as_rule() {
                    Rule::add => MessageOperation::Add(left, right),
                    Rule::subtract => MessageOperation::Subtract(left, right),
                    Rule::multiply => MessageOperation::Multiply(left, right),
                    _ => {
                        let message = format!("messages have no `{}`", operator.as_str());
                        return Err(Fault::new(span(&operator), message, OPERATIONS));
                    }
                };
                this.borrow_mut().operation(operation, span(&operator))
            })
            .parse(pair.into_inner())
    }

    fn primary(&mut self, operators: &PrattParser<Rule>, pair: Pair<'_, Rule>) -> Outcome<usize> {
        let place = span(&pair);
        match pair.as_rule() {
            Rule::integer => {
                let number = integer(pair.as_str(), place)?;
                let number = u64::try_from(&number)
                    .ok()
                    .filter(|number| *number <= i64::MAX as u64);
                let number = number.ok_or_else(|| {
                    Fault::new(
                        place,
                        "this number is too large",
                        "numbers count modulo t; write one below 2^63",
                    )
                })?;
                self.operation(MessageOperation::Constant(number), place)
            }
            Rule::word => self.name(&pair),
            Rule::call => self.call(operators, pair),
            _ => {
                let inner = pair.into_inner().next().ok_or_else(|| Fault::internal(place))?;
                self.expression(operators, inner)
            }
        }
    }

    fn name(&mut self, pair: &Pair<'_, Rule>) -> Outcome<usize> {
        let name = identifier(pair)?;
        if let Some(meaning) = self.names.get_mut(&name.text) {
            meaning.unused = None;
            return Ok(meaning.value);
        }
        self.input(&name, false, None)
    }

    fn call(&mut self, operators: &PrattParser<Rule>, pair: Pair<'_, Rule>) -> Outcome<usize> {
        let place = span(&pair);
        let mut parts = pair.into_inner();
        let word = parts.next().ok_or_else(|| Fault::internal(place))?;
        let wanted = match word.as_str() {
            "rotate" | "inner" => 2,
            "swap" | "sum" => 1,
            other => {
                let message = format!("there is no function `{other}`");
                return Err(Fault::new(span(&word), message, OPERATIONS));
            }
        };
        let mut values = Vec::new();
        for part in parts {
            let place = span(&part);
            values.push((self.expression(operators, part)?, place));
        }
        let found = values.len();
        let wrong = || {
            let message = format!("`{}` takes {wanted} arguments, not {found}", word.as_str());
            Fault::new(place, message, OPERATIONS)
        };
        let operation = match (word.as_str(), values.as_slice()) {
            ("swap", [(a, _)]) => MessageOperation::Swap(*a),
            ("sum", [(a, _)]) => MessageOperation::Sum(*a),
            ("inner", [(a, _), (b, _)]) => {
                MessageOperation::Sum(self.operation(MessageOperation::Multiply(*a, *b), place)?)
            }
            ("rotate", [(a, _), (by, place)]) => match self.distance(*by, *place)? {
                0 => return Ok(*a),
                by => MessageOperation::Rotate(*a, by),
            },
            _ => return Err(wrong()),
        };
        self.operation(operation, place)
    }

    /// By how many slots to rotate.
    fn distance(&self, value: usize, place: Span) -> Outcome<i32> {
        let operation = |value: usize| self.parsed.operations.get(value);
        let number = match operation(value) {
            Some(MessageOperation::Constant(number)) => Some((*number, 1)),
            Some(MessageOperation::Negate(inner)) => match operation(*inner) {
                Some(MessageOperation::Constant(number)) => Some((*number, -1)),
                _ => None,
            },
            _ => None,
        };
        let Some((number, sign)) = number else {
            let help = "write a number of slots, such as `rotate(x, 1)` or `rotate(x, -2)`";
            return Err(Fault::new(place, "this is not a number of slots", help));
        };
        match i32::try_from(number) {
            Ok(number) if number.unsigned_abs() <= MAX_ROTATION => Ok(sign * number),
            _ => Err(Fault::new(
                place,
                format!("no half of a message has more than {} slots", MAX_ROTATION + 1),
                format!("rotate by at most {MAX_ROTATION} slots, to the left or to the right"),
            )),
        }
    }

    fn finish(self, source: &str) -> Outcome<Parsed> {
        let unused = self
            .names
            .iter()
            .filter_map(|(name, meaning)| Some((meaning.unused?, name)));
        if let Some((place, name)) = unused.min_by_key(|(place, _)| place.start) {
            let message = format!("`{name}` is declared and never used");
            return Err(Fault::new(
                place,
                message,
                "leave the declaration out, or use the input",
            ));
        }
        if self.parsed.outputs.is_empty() {
            let end = Span::new(source.len(), source.len());
            return Err(Fault::new(
                end,
                "the program has no output",
                "write `NAME = ...` for each",
            ));
        }
        Ok(self.parsed)
    }
}

/// A word as a name.
fn identifier(pair: &Pair<'_, Rule>) -> Outcome<Identifier> {
    let text = pair.as_str();
    if RESERVED.contains(&text) {
        let message = format!("`{text}` is a word of the language and cannot be a name here");
        return Err(Fault::new(span(pair), message, "choose another name"));
    }
    Ok(Identifier {
        text: text.to_owned(),
        span: span(pair),
    })
}
