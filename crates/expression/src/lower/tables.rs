//! Tables of constants.

use num_bigint::BigInt;

use super::{Lowering, bits_of};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Entry, TableStatement};
use crate::value_type::Range;

/// The most bits of the index of a table.
const MAX_INDEX_BITS: usize = 16;

/// The most bits of all entries together.
const MAX_TABLE_BITS: usize = 1 << 21;

/// A table of constants.
#[derive(Debug)]
pub(crate) struct Table {
    pub(super) index: Type,
    pub(super) entry: Type,
    pub(super) entries: Vec<Vec<bool>>,
}

impl Lowering {
    /// Checks a table.
    pub(crate) fn table(&mut self, statement: &TableStatement) -> Outcome<Table> {
        let (index, place) = statement.index;
        if matches!(index, Type::Signed(_)) || index.width() > MAX_INDEX_BITS {
            return Err(Fault::new(
                place,
                format!("a table cannot be indexed by {index}"),
                format!("use `u1` to `u{MAX_INDEX_BITS}`, or as many bits"),
            ));
        }
        let (found, wanted) = (statement.entries.len(), 1_usize << index.width());
        if found != wanted {
            return Err(Fault::new(
                statement.name.span,
                format!("the table has {found} entries; an index of type {index} needs {wanted}"),
                "give an entry for every index",
            ));
        }
        let (entry, place) = statement.entry;
        if wanted.saturating_mul(entry.width()) > MAX_TABLE_BITS {
            return Err(Fault::new(
                place,
                format!("the table has more than {MAX_TABLE_BITS} bits"),
                "use narrower entries or fewer of them",
            ));
        }
        self.budget.spend(place, wanted * entry.width())?;
        let entries = statement.entries.iter();
        let entries = entries.map(|(value, span)| entry_bits(value, *span, entry));
        Ok(Table {
            index: index.of_values(),
            entry: entry.of_values(),
            entries: entries.collect::<Outcome<_>>()?,
        })
    }
}

fn entry_bits(entry: &Entry, span: Span, wanted: Type) -> Outcome<Vec<bool>> {
    let bits = match (entry, wanted.of_values()) {
        (Entry::Truth(truth), Type::Bool) => Some(vec![*truth]),
        (Entry::Number(value), Type::Bits(width)) => bits_if(value, Type::Unsigned(width)),
        (Entry::Number(value), number) => bits_if(value, number),
        (Entry::Truth(_), _) => None,
    };
    bits.ok_or_else(|| {
        Fault::new(
            span,
            format!("this is no value of type {wanted}"),
            format!(
                "change it, or the type of the entries; {}",
                crate::value_type::TYPES
            ),
        )
    })
}

/// The bits of a number, if the type has it.
fn bits_if(value: &BigInt, wanted: Type) -> Option<Vec<bool>> {
    let range = Range::of(wanted)?;
    let fits = range.contains(&Range::single(value.clone()));
    fits.then(|| bits_of(value, wanted.width()))
}
