//! Totals over all records.

use pest::iterators::Pair;
use ringmill_circuit::AggregateKind;

use super::{Rule, expressions, span};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Identifier, Statement};

/// Reads `records.sum(x)` as the value of an output.
pub(super) fn total(
    operators: &expressions::Operators,
    name: Identifier,
    as_type: Option<Type>,
    pair: Pair<'_, Rule>,
) -> Outcome<Statement> {
    let place = span(&pair);
    if as_type.is_some() {
        let help = format!("leave out the type: `{} = ...`", name.text);
        return Err(Fault::new(
            place,
            "a total is as wide as a sum of all records needs",
            help,
        ));
    }
    let parts = pair.into_inner().flat_map(Pair::into_inner);
    let (mut kind, mut value) = (None, None);
    for part in parts {
        match part.as_rule() {
            Rule::word => kind = Some(self::kind(&part)?),
            _ => value = Some(operators.expression(part)?),
        }
    }
    match (kind, value) {
        (Some(kind), Some(value)) => Ok(Statement::Total { name, kind, value }),
        _ => Err(Fault::internal(place)),
    }
}

fn kind(word: &Pair<'_, Rule>) -> Outcome<AggregateKind> {
    let place = span(word);
    word.as_str().parse().map_err(|_| {
        let message = format!("there is no total `records.{}`", word.as_str());
        let known = AggregateKind::ALL.map(|kind| format!("`records.{kind}(x)`"));
        Fault::new(place, message, format!("totals are {}", known.join(", ")))
    })
}

/// The fault of a total within an expression.
pub(super) fn misplaced(place: Span) -> Box<Fault> {
    Fault::new(
        place,
        "a total over all records cannot be computed with",
        "make it an output of its own, as in `total = records.sum(x)`, and go on with the decrypted result",
    )
}
