//! Names of columns, for people.

use std::fmt;

use crate::error::excerpt;

/// Names that are kept; more are only counted.
const KEPT: usize = 10;

/// The names of some columns: the first few, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames {
    names: Vec<String>,
    more: usize,
}

impl ColumnNames {
    /// These names.
    pub(crate) fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        names.for_each(|name| all.push(name));
        all
    }

    /// Adds a name.
    pub(crate) fn push(&mut self, name: &str) {
        if self.names.len() < KEPT {
            self.names.push(excerpt(name));
        } else {
            self.more += 1;
        }
    }

    /// All of them but some of those that are named.
    pub(crate) fn without(mut self, left_out: impl Fn(&str) -> bool) -> Self {
        self.names.retain(|name| !left_out(name));
        self
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.names.len() + self.more
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What an error says of them behind a column that is missing.
    pub(crate) fn beside(&self) -> String {
        if self.is_empty() {
            String::new()
        } else {
            format!(". It has other columns: {self}")
        }
    }
}

impl fmt::Display for ColumnNames {
    /// The names with commas between them; a name that would be misread in quotation marks.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.names.iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
            if !name.is_empty() && name.chars().all(plain) {
                out.write_str(name)?;
            } else {
                write!(out, "{name:?}")?;
            }
        }
        match self.more {
            0 => Ok(()),
            more => write!(out, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_named() {
        let names: Vec<String> = (0..12).map(|i| format!("n{i}")).collect();
        let some = |count: usize| ColumnNames::of(names[..count].iter().map(String::as_str));
        assert_eq!(some(0).beside(), "");
        assert_eq!(some(2).beside(), ". It has other columns: n0, n1");
        assert_eq!(
            some(12).to_string(),
            "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more"
        );
        assert_eq!(
            ColumnNames::of(["a;b", "", "x y"].into_iter()).to_string(),
            "\"a;b\", \"\", \"x y\""
        );
    }
}
