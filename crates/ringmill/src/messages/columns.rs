//! Messages by name: the inputs and the results of a program, row by row.

use std::fmt;

use ringmill_expression::MessageProgram;

use crate::Error;

/// Named columns of messages, all of as many rows: what a program takes, or gives, one row after the other.
///
/// ```
/// use ringmill::messages::Columns;
///
/// let columns = Columns::new().with("a", vec![vec![1, 2], vec![3]]).with("b", vec![vec![4], vec![5]]);
/// assert_eq!((columns.rows(), columns.get("b").unwrap()[1][0]), (2, 5));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Columns(Vec<(String, Vec<Vec<u64>>)>);

impl fmt::Debug for Columns {
    /// Messages may be secrets: only how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} columns of {} messages", self.0.len(), self.rows())
    }
}

impl Columns {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another column.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, messages: Vec<Vec<u64>>) -> Self {
        self.0.push((name.into(), messages));
        self
    }

    /// The messages of a column, one a row.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[Vec<u64>]> {
        let column = self.0.iter().find(|(found, _)| found == name);
        column.map(|(_, messages)| messages.as_slice())
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The rows of the first column.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, messages)| messages.len())
    }

    /// Adds a message to the column of this place.
    pub(super) fn push(&mut self, column: usize, message: Vec<u64>) {
        if let Some((_, messages)) = self.0.get_mut(column) {
            messages.push(message);
        }
    }
}

/// The places of a program's inputs, private or public ones, in the order of `names`. Each name is one of them, once.
pub(super) fn places<'a>(
    program: &MessageProgram,
    public: bool,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<usize>, Error> {
    let mut places: Vec<usize> = Vec::new();
    for name in names {
        let place = program.inputs().iter().position(|input| input.name == name);
        let place = place.filter(|place| program.inputs()[*place].public == public);
        let Some(place) = place else {
            return Err(unknown(program, public, name));
        };
        if places.contains(&place) {
            return Err(Error::Usage(format!(
                "the input `{name}` is given twice; give it once"
            )));
        }
        places.push(place);
    }
    Ok(places)
}

fn unknown(program: &MessageProgram, public: bool, name: &str) -> Error {
    let kind = |public: bool| if public { "public" } else { "encrypted" };
    let inputs = program.inputs().iter().filter(|input| input.public == public);
    let known: Vec<&str> = inputs.map(|input| input.name.as_str()).collect();
    let known = match known.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    Error::Usage(format!(
        "the program has no {} input `{name}`; it has {known}",
        kind(public)
    ))
}

/// The names of a program's inputs that are private, or that are public.
pub(super) fn inputs(program: &MessageProgram, public: bool) -> impl Iterator<Item = (usize, &str)> {
    let inputs = program.inputs().iter().enumerate();
    let inputs = inputs.filter(move |(_, input)| input.public == public);
    inputs.map(|(place, input)| (place, input.name.as_str()))
}
