//! From text to trees.

mod expressions;
mod faults;
mod totals;

use num_bigint::BigInt;
use pest::Parser;
use pest::iterators::Pair;
use pest_derive::Parser;

pub(crate) use faults::token;

use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::scan::scan;
use crate::syntax::{Entry, Identifier, Statement, TableStatement};
use crate::value_type::{TYPES, number_type};

/// Words that cannot be names.
const RESERVED: [&str; 16] = [
    "and", "bits", "bool", "bytes", "const", "else", "false", "if", "let", "not", "or", "public", "table",
    "then", "true", "xor",
];

#[derive(Parser)]
#[grammar = "grammar.pest"]
struct Grammar;

/// Reads a program.
pub(crate) fn parse(source: &str) -> Outcome<Vec<Statement>> {
    let text = scan(source)?;
    let program = Grammar::parse(Rule::program, &text).map_err(|error| faults::explain(&error, &text))?;
    let parser = expressions::Operators::new();
    let statements = program.filter(|pair| pair.as_rule() != Rule::EOI);
    statements.map(|pair| statement(&parser, pair)).collect()
}

fn span(pair: &Pair<'_, Rule>) -> Span {
    let span = pair.as_span();
    Span::new(span.start(), span.end())
}

fn statement(operators: &expressions::Operators, pair: Pair<'_, Rule>) -> Outcome<Statement> {
    let (rule, place) = (pair.as_rule(), span(&pair));
    let mut parts = pair.into_inner().filter(|part| {
        !matches!(
            part.as_rule(),
            Rule::keyword_const | Rule::keyword_let | Rule::keyword_table
        )
    });
    let first = parts.next().ok_or_else(|| Fault::internal(place))?;
    if rule == Rule::bare {
        return Err(Fault::new(
            place,
            "this result has no name",
            "write `NAME = ...` for an output, or `let NAME = ...` for a value in between",
        ));
    }
    let name = identifier(&first)?;
    if rule == Rule::table {
        return table(name, place, parts.collect());
    }
    let (mut as_type, mut public, mut value, mut total) = (None, false, None, None);
    for part in parts {
        match part.as_rule() {
            Rule::type_name => as_type = Some(type_name(&part)?),
            Rule::public => public = true,
            Rule::total => total = Some(part),
            _ => value = Some(operators.expression(part)?),
        }
    }
    if let Some(total) = total {
        return totals::total(operators, name, as_type, total);
    }
    match (rule, value, as_type) {
        (Rule::constant, Some(value), _) => Ok(Statement::Constant { name, value }),
        (Rule::binding, Some(value), _) => Ok(Statement::Binding { name, value }),
        (Rule::output, Some(value), as_type) => Ok(Statement::Output { name, as_type, value }),
        (Rule::port, None, Some(port_type)) => Ok(Statement::Port {
            name,
            port_type,
            public,
        }),
        _ => Err(Fault::internal(place)),
    }
}

fn table(name: Identifier, place: Span, parts: Vec<Pair<'_, Rule>>) -> Outcome<Statement> {
    let mut parts = parts.into_iter();
    let (Some(index), Some(entry)) = (parts.next(), parts.next()) else {
        return Err(Fault::internal(place));
    };
    let (index, entry) = (
        (type_name(&index)?, span(&index)),
        (type_name(&entry)?, span(&entry)),
    );
    let entries = parts.map(|part| Ok((table_entry(&part)?, span(&part))));
    Ok(Statement::Table(TableStatement {
        name,
        index,
        entry,
        entries: entries.collect::<Outcome<_>>()?,
    }))
}

fn table_entry(pair: &Pair<'_, Rule>) -> Outcome<Entry> {
    match pair.as_str() {
        "true" => Ok(Entry::Truth(true)),
        "false" => Ok(Entry::Truth(false)),
        text => match text.strip_prefix('-') {
            Some(digits) => Ok(Entry::Number(-integer(digits, span(pair))?)),
            None => Ok(Entry::Number(integer(text, span(pair))?)),
        },
    }
}

/// A word, or what stands in backquotes, as a name.
fn identifier(pair: &Pair<'_, Rule>) -> Outcome<Identifier> {
    let text = pair.as_str();
    if pair.as_rule() == Rule::quoted {
        return Ok(Identifier {
            text: text.trim_matches('`').to_owned(),
            span: span(pair),
        });
    }
    if RESERVED.contains(&text) {
        let message = format!("`{text}` is a word of the language and cannot be a name here");
        return Err(Fault::new(span(pair), message, "choose another name"));
    }
    if number_type(text).is_some() {
        let message = format!("`{text}` is a type and cannot be a name here");
        return Err(Fault::new(
            span(pair),
            message,
            format!("choose another name; `{text}(x)` converts x"),
        ));
    }
    Ok(Identifier {
        text: text.to_owned(),
        span: span(pair),
    })
}

fn type_name(pair: &Pair<'_, Rule>) -> Outcome<Type> {
    let text: String = pair
        .as_str()
        .chars()
        .filter(|part| !part.is_whitespace())
        .collect();
    let unknown = |_| Fault::new(span(pair), format!("there is no type `{text}`"), TYPES);
    text.parse().map_err(unknown)
}

/// A number: decimal, or hexadecimal after `0x`, or binary after `0b`, with `_` between digits.
pub(crate) fn integer(text: &str, place: Span) -> Outcome<BigInt> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (text.get(2..).unwrap_or_default(), 16),
        Some("0b" | "0B") => (text.get(2..).unwrap_or_default(), 2),
        _ => (text, 10),
    };
    let digits: Vec<u8> = digits.bytes().filter(|byte| *byte != b'_').collect();
    BigInt::parse_bytes(&digits, radix).ok_or_else(|| {
        Fault::new(
            place,
            format!("`{text}` is not an integer"),
            "write 1000, 1_000, 0x3e8 or 0b11; names do not begin with a digit, and there are no fractions",
        )
    })
}
