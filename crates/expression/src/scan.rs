//! A first look at the text, before the parser, which recurses: bounds its length, the length of its words and
//! how deeply it is nested, and checks its brackets.

use crate::error::{Fault, Outcome, Span};

/// The most bytes of a program.
pub const MAX_TEXT_BYTES: usize = 1 << 19;
/// The most characters of a name.
pub(crate) const MAX_NAME: usize = 64;
/// The most characters of a number: room for 1024 bits in binary, with separators.
const MAX_DIGITS: usize = 2200;
/// The most brackets and `if`s within each other, and the most signs and `not`s in a row.
const MAX_NESTING: usize = 64;

/// Returns the program with comments, and line ends within brackets, replaced by as many spaces. All other
/// bytes keep their places.
pub(crate) fn scan(source: &str) -> Outcome<String> {
    if source.len() > MAX_TEXT_BYTES {
        return Err(Fault::new(
            Span::default(),
            format!(
                "the program has {} bytes; the most is {MAX_TEXT_BYTES}",
                source.len()
            ),
            "split it into several programs",
        ));
    }
    let mut scanner = Scanner::default();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = scanner.token(rest, first)?;
        rest = rest.get(length..).unwrap_or_default();
    }
    match scanner.open.last() {
        None => Ok(scanner.text),
        Some(open) => Err(Fault::new(
            open.span,
            format!("`{}` is never closed", open.bracket),
            format!("close it with `{}`", closing(open.bracket)),
        )),
    }
}

struct Open {
    bracket: char,
    span: Span,
    /// The `if`s before it.
    ifs: usize,
}

#[derive(Default)]
struct Scanner {
    text: String,
    open: Vec<Open>,
    /// The `if`s within which the next token may be.
    ifs: usize,
    /// The signs and `not`s directly before the next token.
    prefixes: usize,
}

impl Scanner {
    /// Takes a token from the start of `rest`, whose first character is `first`; returns its length.
    fn token(&mut self, rest: &str, first: char) -> Outcome<usize> {
        match first {
            // Some editors begin a file with this mark.
            '\u{feff}' if self.text.is_empty() => {
                self.blank(first.len_utf8());
                return Ok(first.len_utf8());
            }
            '#' => {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.blank(length);
                return Ok(length);
            }
            ' ' | '\t' | '\r' => {
                self.blank(1);
                return Ok(1);
            }
            '\n' if !self.open.is_empty() => {
                self.blank(1);
                return Ok(1);
            }
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => return self.word(rest),
            '`' => return self.quoted(rest),
            '(' | '[' => self.opens(first)?,
            ')' | ']' => self.closes(first)?,
            ',' => self.ifs = self.open.last().map_or(0, |open| open.ifs),
            '\n' | ';' => self.ifs = 0,
            ' '..='~' => {}
            _ => {
                return Err(Fault::new(
                    self.here(first.len_utf8()),
                    format!("{first:?} cannot stand in a program"),
                    "names have the letters a to z and A to Z, digits and `_`, or stand in backquotes; other characters are for \
                     comments",
                ));
            }
        }
        self.count_prefix(matches!(first, '-' | '~'))?;
        self.text.push(first);
        Ok(1)
    }

    /// A name in backquotes, which may have nearly any characters.
    fn quoted(&mut self, rest: &str) -> Outcome<usize> {
        let inner = rest.get(1..).unwrap_or_default();
        let inner = inner.lines().next().unwrap_or_default();
        let Some((name, _)) = inner.split_once('`') else {
            return Err(Fault::new(
                self.here(1),
                "this backquote opens a name that is not closed on its line",
                "close it with another backquote",
            ));
        };
        let length = name.len() + 2;
        let problem = if name.is_empty() || name.trim() != name {
            "is empty, or begins or ends with a space"
        } else if name.chars().count() > MAX_NAME {
            "has more than 64 characters"
        } else if name.contains(',') || name.chars().any(char::is_control) {
            "has a comma or a control character"
        } else {
            self.count_prefix(false)?;
            self.text.push_str(rest.get(..length).unwrap_or_default());
            return Ok(length);
        };
        Err(Fault::new(
            self.here(length),
            format!("this name {problem}"),
            "use another one",
        ))
    }

    fn word(&mut self, rest: &str) -> Outcome<usize> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.bytes().take_while(|byte| is_part(byte)).count();
        let word = rest.get(..length).unwrap_or_default();
        let number = word.starts_with(|first: char| first.is_ascii_digit());
        let most = if number { MAX_DIGITS } else { MAX_NAME };
        if length > most {
            return Err(Fault::new(
                self.here(length),
                format!("this word has {length} characters; the most is {most}"),
                "use a shorter one",
            ));
        }
        if word == "if" {
            self.ifs += 1;
            self.check_nesting(self.here(length))?;
        }
        self.count_prefix(word == "not")?;
        self.text.push_str(word);
        Ok(length)
    }

    fn opens(&mut self, bracket: char) -> Outcome<()> {
        let span = self.here(1);
        let ifs = self.ifs;
        self.open.push(Open { bracket, span, ifs });
        self.check_nesting(span)
    }

    fn closes(&mut self, bracket: char) -> Outcome<()> {
        let span = self.here(1);
        let Some(open) = self.open.pop() else {
            return Err(Fault::new(
                span,
                format!("`{bracket}` closes nothing"),
                "leave it out, or open it before",
            ));
        };
        self.ifs = open.ifs;
        let wanted = closing(open.bracket);
        if wanted == bracket {
            return Ok(());
        }
        Err(Fault::new(
            span,
            format!("`{bracket}` stands where `{}` must be closed", open.bracket),
            format!("close it with `{wanted}`"),
        ))
    }

    fn check_nesting(&self, span: Span) -> Outcome<()> {
        if self.open.len() + self.ifs <= MAX_NESTING {
            return Ok(());
        }
        Err(Fault::new(
            span,
            format!("more than {MAX_NESTING} brackets and `if`s are nested here"),
            "give parts of the expression names with `let`",
        ))
    }

    fn count_prefix(&mut self, is_prefix: bool) -> Outcome<()> {
        self.prefixes = if is_prefix { self.prefixes + 1 } else { 0 };
        if self.prefixes <= MAX_NESTING {
            return Ok(());
        }
        Err(Fault::new(
            self.here(1),
            format!("more than {MAX_NESTING} signs in a row"),
            "two of them cancel each other",
        ))
    }

    fn blank(&mut self, length: usize) {
        self.text.extend(std::iter::repeat_n(' ', length));
    }

    /// The next `length` bytes.
    fn here(&self, length: usize) -> Span {
        Span::new(self.text.len(), self.text.len() + length)
    }
}

const fn closing(bracket: char) -> char {
    if bracket == '(' { ')' } else { ']' }
}
