//! Public messages: those of each row, or one row that stands for all.

use std::path::{Path, PathBuf};

use ringmill_expression::MessageProgram;
use ringmill_records::TableFormat;

use super::columns::{inputs, places};
use super::inputs::{Lines, Row};
use super::{Columns, MessagePlan};
use crate::Error;

/// Public messages of some rows, or one row that stands for all: in each a message for each of `places`.
pub(super) struct Public {
    /// The inputs of the program that they are.
    places: Vec<usize>,
    rows: Vec<Row>,
}

impl Public {
    /// The messages of a row, each with the place of its input.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[u64])> {
        let messages = if self.rows.len() == 1 {
            self.rows.first()
        } else {
            self.rows.get(row)
        };
        let messages = messages.into_iter().flatten().map(Vec::as_slice);
        self.places.iter().copied().zip(messages)
    }
}

/// Sees that all inputs of one kind are among those given.
pub(super) fn require_all(program: &MessageProgram, public: bool, given: &[usize]) -> Result<(), Error> {
    match inputs(program, public).find(|(place, _)| !given.contains(place)) {
        Some((_, name)) if public => Err(Error::Usage(format!(
            "the public input `{name}` is missing; give its messages with --data {name}=FILE"
        ))),
        Some((_, name)) => Err(Error::Usage(format!(
            "the encrypted input `{name}` is missing; `ringmill encrypt --input {name}=FILE` makes it"
        ))),
        None => Ok(()),
    }
}

/// Public messages in memory.
pub(super) fn public_rows(plan: &MessagePlan, columns: &Columns, rows: usize) -> Result<Public, Error> {
    let places = places(plan.program(), true, columns.names())?;
    require_all(plan.program(), true, &places)?;
    let slots = plan.slots();
    let mut all = vec![Vec::new(); rows];
    for name in columns.names() {
        let messages = columns.get(name).unwrap_or_default();
        if messages.len() != rows && messages.len() != 1 {
            return Err(Error::Usage(format!(
                "{} messages for the public input `{name}`, but {rows} rows are encrypted; give as many, or one for all",
                messages.len()
            )));
        }
        let fits =
            |message: &Vec<u64>| message.len() <= 2 * slots.half && message.iter().all(|x| *x < slots.t);
        if !messages.iter().all(fits) {
            return Err(Error::Usage(format!(
                "a message of the public input `{name}` is longer than {} numbers, or has one that is not below {}",
                2 * slots.half,
                slots.t
            )));
        }
        let of_row = |row: usize| {
            messages
                .get(row)
                .or(messages.first())
                .cloned()
                .unwrap_or_default()
        };
        all.iter_mut()
            .enumerate()
            .for_each(|(row, all)| all.push(of_row(row)));
    }
    Ok(Public { places, rows: all })
}

/// Public messages in files.
pub(super) struct PublicLines {
    places: Vec<usize>,
    lines: Lines,
    /// Lines that were read ahead.
    ahead: Vec<Row>,
    /// Whether there is one line in all.
    single: bool,
    path: PathBuf,
}

impl PublicLines {
    pub fn open(
        plan: &MessagePlan,
        files: &[(impl AsRef<str>, impl AsRef<Path>)],
        format: Option<TableFormat>,
    ) -> Result<Self, Error> {
        let places = places(plan.program(), true, files.iter().map(|(name, _)| name.as_ref()))?;
        require_all(plan.program(), true, &places)?;
        let mut lines = Lines::open(plan, files, format)?;
        let ahead = lines.take(2)?;
        Ok(Self {
            places,
            single: ahead.len() == 1,
            lines,
            ahead,
            path: files
                .first()
                .map_or_else(PathBuf::new, |(_, path)| path.as_ref().to_path_buf()),
        })
    }

    /// The messages of the next rows, the last ones or not.
    pub fn take(&mut self, rows: usize, last: bool) -> Result<Public, Error> {
        let places = self.places.clone();
        if self.single || places.is_empty() {
            let rows = self.ahead.clone();
            return Ok(Public { places, rows });
        }
        let more = self.lines.take((rows + 1).saturating_sub(self.ahead.len()))?;
        self.ahead.extend(more);
        if self.ahead.len() < rows || (last && self.ahead.len() > rows) {
            let problem =
                "as many lines as rows are encrypted are needed, or a single one that stands for all";
            return Err(Error::data(&self.path, problem));
        }
        let rest = self.ahead.split_off(rows);
        let rows = std::mem::replace(&mut self.ahead, rest);
        Ok(Public { places, rows })
    }
}
