//! What the parser says about a text that it cannot read.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::Rule;
use crate::error::{Fault, Span};

/// Says what stands where the parser stopped, and what may stand there.
pub(super) fn explain(error: &Error<Rule>, text: &str) -> Box<Fault> {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let rest = text.get(at..).unwrap_or_default();
    let found = token(rest);
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        ErrorVariant::CustomError { .. } => &[],
    };
    let message = match found {
        "" => "the program ends too early".to_owned(),
        "\n" => "the line ends too early".to_owned(),
        _ => format!("`{found}` cannot stand here"),
    };
    let span = Span::new(at, at + found.trim_end().len().max(1));
    Fault::new(
        span,
        message,
        help(found, text.get(..at).unwrap_or_default(), expected),
    )
}

/// The word or character with which a text begins.
pub(crate) fn token(text: &str) -> &str {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let word = text.bytes().take_while(|byte| is_part(byte)).count();
    let length = word.max(1).min(text.len());
    text.get(..length).unwrap_or_default()
}

fn help(found: &str, before: &str, expected: &[Rule]) -> String {
    let operand = expected.contains(&Rule::integer) || expected.contains(&Rule::word);
    let known = match found {
        "&" if before.ends_with('&') => "write `and` for conditions, and `&` for bits",
        "|" if before.ends_with('|') => "write `or` for conditions, and `|` for bits",
        "=" if operand && before.ends_with(['=', '!', '<', '>']) => {
            "comparisons are `==`, `!=`, `<`, `<=`, `>` and `>=`"
        }
        "=" if !operand => "`==` compares; `=` comes once, after the name of a result",
        "!" => "write `not` for conditions, `~` for bits, and `!=` to compare",
        "?" => "write `if CONDITION then A else B`",
        "." => "there are no fractions; parts of a value are `x[3]` and `x[4..8]`",
        "\"" | "'" => "there are no texts, only numbers, conditions and bits",
        "\n" => "a statement ends with its line; put it in brackets to go on in the next one",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let wanted = if expected.contains(&Rule::type_name) || expected.contains(&Rule::public) {
        "a type is expected, such as `u8`, `i16`, `bool` or `bits[64]`"
    } else if operand {
        "a name, a number or `(` is expected"
    } else if expected.contains(&Rule::entry) {
        "a number of the table is expected, or `]`"
    } else if expected.contains(&Rule::keyword_then) {
        "`if CONDITION then A else B`: `then` is expected"
    } else if expected.contains(&Rule::keyword_else) {
        "`if CONDITION then A else B`: `else` is expected"
    } else {
        "an operator such as `+` or `and` is expected, or the end of the statement: a line end or `;`"
    };
    wanted.to_owned()
}
