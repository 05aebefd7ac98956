//! What is wrong with a program, where, and how to mend it.

use std::fmt;

/// The most characters of a line that an error shows.
const SHOWN: usize = 100;

/// A place in the text: bytes from `start` to before `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// From the start of this one to the end of another.
    pub(crate) const fn to(self, end: Self) -> Self {
        Self::new(self.start, end.end)
    }
}

/// A mistake, before its place is shown.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    span: Span,
    message: String,
    help: String,
}

/// What a step of the compiler returns.
pub(crate) type Outcome<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            span,
            message: message.into(),
            help: help.into(),
        })
    }

    /// What cannot happen.
    pub(crate) fn internal(span: Span) -> Box<Self> {
        Self::new(
            span,
            "this cannot be compiled",
            "please report this program as a defect",
        )
    }

    /// Shows the place in the program.
    pub(crate) fn within(self, source: &str) -> ExpressionError {
        let start = floor(source, self.span.start);
        let end = floor(source, self.span.end.max(start));
        let before = source.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = source.get(line_start..).unwrap_or_default();
        let line_text = rest.split('\n').next().unwrap_or_default().trim_end();
        let column = source.get(line_start..start).unwrap_or_default().chars().count();
        let marked = source.get(start..end).unwrap_or_default();
        let marked = marked.split('\n').next().unwrap_or_default().chars().count();
        // A long line is shown around the mark.
        let first = column.saturating_sub(SHOWN / 2);
        let shown: String = line_text.chars().skip(first).take(SHOWN).map(printable).collect();
        let caret = column - first;
        ExpressionError {
            line: before.matches('\n').count() + 1,
            column: column + 1,
            message: self.message,
            help: self.help,
            marks: marked.min(SHOWN.saturating_sub(caret)).max(1),
            shown,
            caret,
        }
    }
}

/// The last boundary of a character that is not after `at`.
fn floor(source: &str, at: usize) -> usize {
    let at = at.min(source.len());
    (0..=at)
        .rev()
        .find(|at| source.is_char_boundary(*at))
        .unwrap_or(0)
}

fn printable(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

/// What is wrong with a program. Printed, it shows the place:
///
/// ```text
/// line 1, column 8: there is no `incme`
///   1 | flag = incme > 10
///     |        ^^^^^
/// help: did you mean `income`?
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The line, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
    /// The line, or the part of it around the mistake.
    shown: String,
    /// Where the mark begins in `shown`, from 0, and its length.
    caret: usize,
    marks: usize,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let (margin, caret) = (number.len(), self.caret);
        writeln!(out, "line {number}, column {}: {}", self.column, self.message)?;
        writeln!(out, "  {number} | {}", self.shown)?;
        writeln!(out, "  {:margin$} | {:caret$}{}", "", "", "^".repeat(self.marks))?;
        write!(out, "help: {}", self.help)
    }
}

impl std::error::Error for ExpressionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shown() {
        let source = "a = 1\n\u{e4}\u{e4}\tb = x + y\n";
        let at = source.find('x').unwrap();
        let error = Fault::new(Span::new(at, at + 5), "message", "remedy").within(source);
        assert_eq!((error.line, error.column), (2, 8));
        let expected =
            "line 2, column 8: message\n  2 | \u{e4}\u{e4} b = x + y\n    |        ^^^^^\nhelp: remedy";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn places_out_of_range_or_within_characters_are_shown_too() {
        let source = format!("\u{e4}{}", "x".repeat(1000));
        for (start, end) in [(1, 2), (999, 10), (5000, 6000), (usize::MAX, 0)] {
            let error = Fault::new(Span::new(start, end), "message", "remedy").within(&source);
            assert!(error.to_string().len() < 400);
        }
        let error = Fault::new(Span::default(), "message", "remedy").within("");
        assert_eq!((error.line, error.column), (1, 1));
    }
}
