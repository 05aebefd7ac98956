//! The names of a program: which there are, which are used, and which are meant.

use std::collections::{HashMap, HashSet};

use crate::error::{Fault, Outcome, Span};
use crate::lower::functions;
use crate::syntax::Statement;

/// The most differences between a name and one that is suggested for it.
const NEAR: usize = 2;

/// All names that a program defines, and those whose types are known.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Where each name of the program is defined.
    defined: HashMap<String, Span>,
    known: Vec<String>,
}

impl Names {
    /// Collects the names, each of which may be defined once.
    pub(crate) fn new(statements: &[Statement], known: Vec<String>) -> Outcome<Self> {
        let mut defined = HashMap::new();
        for statement in statements {
            let name = statement.name();
            if matches!(statement, Statement::Table(_)) && functions().any(|known| known == name.text) {
                let message = format!("`{}` is a function and cannot be a table", name.text);
                return Err(Fault::new(name.span, message, "choose another name"));
            }
            if defined.insert(name.text.clone(), name.span).is_some() {
                return Err(Fault::new(
                    name.span,
                    format!("`{}` is defined already", name.text),
                    "each name is given once; choose another one",
                ));
            }
        }
        Ok(Self { defined, known })
    }

    pub(crate) fn defines(&self, name: &str) -> bool {
        self.defined.contains_key(name)
    }

    /// The names that expressions use but the program does not define, in order, with the first place of
    /// each.
    pub(crate) fn free<'a>(&self, statements: &'a [Statement]) -> Vec<(&'a str, Span)> {
        let mut seen = HashSet::new();
        let mut free = Vec::new();
        for value in statements.iter().filter_map(Statement::value) {
            value.names(&mut |name, span, called| {
                if !called && !self.defines(name) && seen.insert(name) {
                    free.push((name, span));
                }
            });
        }
        free
    }

    /// The fault of a name that has no value.
    pub(crate) fn missing(&self, name: &str, span: Span) -> Box<Fault> {
        if self.defines(name) {
            return Fault::new(
                span,
                format!("`{name}` is used before it is defined"),
                "move its definition up",
            );
        }
        if functions().any(|known| known == name) {
            let message = format!("`{name}` is a function here");
            return Fault::new(
                span,
                message,
                format!("call it, as in `{name}(x)`, or declare `{name}: u8`"),
            );
        }
        let declare = format!("declare its type, for instance `{name}: u8` in front or --type {name}=u8");
        let all = self.defined.keys().chain(&self.known).map(String::as_str);
        let help = match nearest(name, all) {
            Some(near) => format!("did you mean `{near}`? If not, {declare}"),
            None => declare,
        };
        Fault::new(span, format!("`{name}` has no type"), help)
    }

    /// The fault of a call of something that is no function.
    pub(crate) fn no_function(&self, name: &str, span: Span) -> Box<Fault> {
        if self.defines(name) {
            let message = format!("`{name}` is not a function");
            return Fault::new(
                span,
                message,
                format!("write `{name}` alone, or `{name} * (...)` for a product"),
            );
        }
        let near = nearest(name, functions().chain(self.defined.keys().map(String::as_str)));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let all: Vec<&str> = functions().collect();
                format!(
                    "functions are {}, and `uN(x)`, `iN(x)` to convert",
                    all.join(", ")
                )
            }
        };
        Fault::new(span, format!("there is no function `{name}`"), help)
    }
}

/// The names on which outputs depend.
pub(crate) fn used(statements: &[Statement]) -> HashSet<&str> {
    let mut used = HashSet::new();
    // A value uses only what stands before it.
    for statement in statements.iter().rev() {
        let wanted = statement.is_output() || used.contains(statement.name().text.as_str());
        if let (true, Some(value)) = (wanted, statement.value()) {
            value.names(&mut |name, _, _| {
                used.insert(name);
            });
        }
    }
    used
}

/// The name that differs least, if it differs little.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = NEAR.min(name.len().saturating_sub(1));
    let distances = names.map(|known| (distance(name, known), known));
    let near = distances.filter(|(distance, _)| *distance <= most).min();
    near.map(|(_, known)| known)
}

/// The number of characters to insert, remove or replace between two names, without regard to capitals.
fn distance(left: &str, right: &str) -> usize {
    let lower = |text: &str| text.to_lowercase().into_bytes();
    let (left, right) = (lower(left), lower(right));
    if left.len().abs_diff(right.len()) > NEAR {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, a) in left.iter().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        let mut next = vec![before];
        for (b, above) in right.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(a != b);
            before = replaced.min(above + 1).min(before + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changes() {
        for (left, right, expected) in [
            ("", "", 0),
            ("income", "Income", 0),
            ("incme", "income", 1),
            ("limit", "limti", 2),
            ("score", "store", 1),
            ("ab", "ba", 2),
            ("abc", "xyz", 3),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
        assert_eq!(nearest("incme", ["limit", "income"].into_iter()), Some("income"));
        assert_eq!(nearest("a", ["b"].into_iter()), None);
    }
}
