//! Bounds the gates and the time that a program takes.

use crate::error::{Fault, Outcome, Span};

/// The most gates.
pub(crate) const MAX_GATES: usize = 1 << 22;

/// The most steps: about one for each bit that the compiler moves.
const MAX_STEPS: usize = 1 << 25;

/// Counts steps.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    steps: usize,
}

impl Budget {
    /// Counts steps, before they are made.
    pub(crate) fn spend(&mut self, span: Span, steps: usize) -> Outcome<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps <= MAX_STEPS {
            return Ok(());
        }
        Err(Fault::new(
            span,
            "the program is too large: it moves too many bits up to here",
            "use narrower values, or split the program into several ones",
        ))
    }

    /// Counts the steps of an adder or a comparison, which looks at pairs of positions.
    pub(crate) fn spend_adder(&mut self, span: Span, width: usize) -> Outcome<()> {
        self.spend(span, width.saturating_mul(width + 32))
    }

    /// Refuses more gates than a circuit may have.
    pub(crate) fn check_gates(&self, span: Span, gates: usize) -> Outcome<()> {
        if gates <= MAX_GATES {
            return Ok(());
        }
        Err(Fault::new(
            span,
            format!("the circuit has more than {MAX_GATES} gates up to here"),
            "use narrower numbers and fewer products, or split the program into several ones",
        ))
    }
}
