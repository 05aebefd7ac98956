//! A program tried in the clear.

use std::io::Write;
use std::path::Path;

use ringmill_records::TableFormat;

use super::MessagePlan;
use super::columns::places;
use super::inputs::Lines;
use super::public::{PublicLines, require_all};
use super::results::Selection;
use super::rows::RowFormat;
use crate::Error;
use crate::files::{Content, Output};

/// Rows that are read at once.
const ROWS: usize = 64;

/// Evaluates a program in the clear, on files of messages: what would be encrypted, and what is public.
pub struct MessageTrial<'a> {
    plan: &'a MessagePlan,
    /// The inputs of the program that the files of `private` are.
    places: Vec<usize>,
    private: Lines,
    public: PublicLines,
}

/// A file with the name of its input.
type Named<'a> = (&'a str, &'a Path);

impl<'a> MessageTrial<'a> {
    /// Opens a file for each input, each with a message a line; a file of a public input may have a single line that
    /// stands for all.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) for inputs that are missing or unknown;
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open(
        plan: &'a MessagePlan,
        files: &[Named<'_>],
        format: Option<TableFormat>,
    ) -> Result<Self, Error> {
        let is_public = |name: &str| {
            let mut inputs = plan.program().inputs().iter();
            inputs.any(|input| input.public && input.name == name)
        };
        let (public, private): (Vec<Named<'_>>, Vec<Named<'_>>) =
            files.iter().partition(|(name, _)| is_public(name));
        let places = places(plan.program(), false, private.iter().map(|(name, _)| *name))?;
        require_all(plan.program(), false, &places)?;
        Ok(Self {
            plan,
            places,
            private: Lines::open(plan, &private, format)?,
            public: PublicLines::open(plan, &public, format)?,
        })
    }

    /// Gives the results of each row, a message for each output, to `each`. The number of rows.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), with the line, for rows that are none, and for files of
    /// different numbers of lines; those of `each`.
    pub fn rows(mut self, mut each: impl FnMut(&[Vec<u64>]) -> Result<(), Error>) -> Result<u64, Error> {
        let mut count = 0;
        let mut next = self.private.take(ROWS)?;
        while !next.is_empty() {
            let rows = std::mem::replace(&mut next, self.private.take(ROWS)?);
            let public = self.public.take(rows.len(), next.is_empty())?;
            for (i, row) in rows.iter().enumerate() {
                let own = self.places.iter().copied().zip(row.iter().map(Vec::as_slice));
                let messages: Vec<(usize, &[u64])> = own.chain(public.row(i)).collect();
                each(&self.results(&messages))?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn results(&self, messages: &[(usize, &[u64])]) -> Vec<Vec<u64>> {
        let inputs = (0..self.plan.program().inputs().len()).map(|place| {
            let found = messages.iter().find(|(input, _)| *input == place);
            found.map_or(&[][..], |(_, message)| message)
        });
        let inputs: Vec<&[u64]> = inputs.collect();
        let longest = inputs.iter().map(|message| message.len()).max().unwrap_or(1);
        let mut results = self.plan.program().evaluate(self.plan.slots(), &inputs);
        for (result, length) in results.iter_mut().zip(self.plan.result_lengths(longest)) {
            result.truncate(length);
        }
        results
    }

    /// Writes the results into a file, as decryption would. The number of rows.
    ///
    /// # Errors
    /// As [`MessageTrial::rows`] and
    /// [`MessageClient::decrypt_results_to`](super::MessageClient::decrypt_results_to).
    pub fn write(
        self,
        output: &Output,
        format: Option<TableFormat>,
        wanted: Option<&str>,
    ) -> Result<u64, Error> {
        output.check(Content::Text)?;
        let format = RowFormat::of(output.path(), format)?;
        let selection = Selection::new(self.plan.program(), wanted, format)?;
        let (count, _) = output.write(output.access_to_records(), |out| {
            self.rows(|row| {
                let written = selection.write(out, row);
                written.map_err(|error| Error::io(output.path(), error))
            })
        })?;
        Ok(count)
    }

    /// The first results as text, a JSON object a line, and the number of rows.
    ///
    /// # Errors
    /// As [`MessageTrial::rows`].
    pub fn first(self, shown: usize) -> Result<(String, u64), Error> {
        let selection = Selection::new(self.plan.program(), None, RowFormat::Json)?;
        let mut text = Vec::new();
        let mut left = shown;
        let count = self.rows(|row| {
            if left > 0 {
                left -= 1;
                let written = selection.write(&mut text as &mut dyn Write, row);
                written.map_err(|error| Error::io(Path::new("the results"), error))?;
            }
            Ok(())
        })?;
        Ok((String::from_utf8_lossy(&text).into_owned(), count))
    }
}
