//! Bits and slices of values, and entries of tables.

use num_bigint::{BigInt, Sign};
use ringmill_circuit::Word;

use super::{Definition, Lowering, Placed, Value};
use crate::Type;
use crate::error::{Fault, Outcome, Span};
use crate::syntax::{Expression, Kind};

impl Lowering {
    /// `operand[from]`, `operand[from..to]`, or `table[index]`.
    pub(super) fn index(
        &mut self,
        operand: &Expression,
        from: &Expression,
        to: Option<&Expression>,
        span: Span,
    ) -> Outcome<Value> {
        if let Kind::Name(name) = &operand.kind
            && let Some(Definition::Table(_)) = self.definitions.get(name)
        {
            if let Some(to) = to {
                return Err(Fault::new(
                    to.span,
                    "a table has entries, not slices",
                    format!("write `{name}[x]` for its entry at x"),
                ));
            }
            let index = self.placed(from)?;
            return self.look_up(name, &index, span);
        }
        let (value, place) = self.placed(operand)?;
        if value.value_type == Type::Bool {
            return Err(Fault::new(
                place,
                "this is bool, which has no parts",
                "leave out the brackets",
            ));
        }
        let start = self.bound(from)?;
        let Some(to) = to else {
            let Some(wire) = value.word.wires().get(start) else {
                return Err(beyond(&value, from.span));
            };
            return Ok(Value::new(Type::Bool, Word::new(vec![*wire])));
        };
        let end = self.bound(to)?;
        if start >= end {
            return Err(Fault::new(
                from.span.to(to.span),
                "this slice is empty",
                "`x[4..8]` are the bits 4, 5, 6 and 7; bit 0 is the lowest",
            ));
        }
        let Some(wires) = value.word.wires().get(start..end) else {
            return Err(beyond(&value, from.span.to(to.span)));
        };
        let part = match value.value_type {
            Type::Bits(_) => Type::Bits(end - start),
            _ => Type::Unsigned(end - start),
        };
        Ok(Value::new(part, Word::new(wires.to_vec())))
    }

    /// A place of a slice, which must be known.
    fn bound(&mut self, expression: &Expression) -> Outcome<usize> {
        let value = self.value(expression)?;
        let known = value
            .constant
            .filter(|known: &BigInt| known.sign() != Sign::Minus);
        known
            .map(|known| usize::try_from(known).unwrap_or(usize::MAX))
            .ok_or_else(|| {
                Fault::new(
                    expression.span,
                    "the place of a bit must be a constant, 0 or more",
                    "write a number or the name of a `const`; to look up by a value, make a `table`",
                )
            })
    }

    /// The entry of a table.
    pub(crate) fn look_up(&mut self, name: &str, (index, place): &Placed, span: Span) -> Outcome<Value> {
        let Some(Definition::Table(table)) = self.definitions.get(name) else {
            return Err(Fault::internal(span));
        };
        let fits = match (table.index, index.value_type) {
            (Type::Unsigned(most), Type::Unsigned(width)) => width <= most,
            (wanted, found) => wanted == found,
        };
        if !fits {
            return Err(Fault::new(
                *place,
                format!(
                    "this is {}; the table `{name}` takes {}",
                    index.value_type, table.index
                ),
                format!(
                    "convert it, for instance `{name}[u{0}(x)]`: its lowest {0} bits",
                    table.index.width()
                ),
            ));
        }
        let (width, entries, entry) = (table.index.width(), table.entries.len(), table.entry);
        // Each bit of an entry is a polynomial with half a term an entry.
        let size = entries.saturating_mul(entry.width());
        self.budget.spend(span, size.saturating_mul(8))?;
        self.budget
            .check_gates(span, self.builder.gate_count() + size / 2)?;
        let word = self.builder.extend_unsigned(&index.word, width);
        let found = self.builder.lookup(&word, &table.entries);
        Ok(Value::new(entry, found.map_err(|_| Fault::internal(span))?))
    }
}

fn beyond(value: &Value, span: Span) -> Box<Fault> {
    let last = value.word.width().saturating_sub(1);
    Fault::new(
        span,
        format!("this is beyond the bits of {}", value.value_type),
        format!("its bits are 0 to {last}; a slice `x[from..to]` ends before `to`"),
    )
}
