use std::fmt;

/// The operations that the suite checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)] // the methods of `Device`; download is checked with upload
pub enum Operation {
    Upload,
    Copy,
    Wipe,
    Restrict,
    ConcatLimbs,
    Transform,
    Sum,
    Sub,
    Negate,
    InnerProduct,
    InnerProducts,
    MultiplyFixed,
    Automorphism,
    Lift,
    Lifts,
    Scale,
    Rescale,
    ExtendByP,
    Decompose,
    DecomposeBaseTwo,
    KeySwitchGrouped,
    KeySwitch,
    Relinearize,
    Rotate,
    RotatedSums,
}

impl Operation {
    /// All operations, in the order in which the suite checks them.
    pub const ALL: [Self; 25] = [
        Self::Upload,
        Self::Copy,
        Self::Wipe,
        Self::Restrict,
        Self::ConcatLimbs,
        Self::Transform,
        Self::Sum,
        Self::Sub,
        Self::Negate,
        Self::InnerProduct,
        Self::InnerProducts,
        Self::MultiplyFixed,
        Self::Automorphism,
        Self::Lift,
        Self::Lifts,
        Self::Scale,
        Self::Rescale,
        Self::ExtendByP,
        Self::Decompose,
        Self::DecomposeBaseTwo,
        Self::KeySwitchGrouped,
        Self::KeySwitch,
        Self::Relinearize,
        Self::Rotate,
        Self::RotatedSums,
    ];

    /// The name of the method.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Copy => "copy",
            Self::Wipe => "wipe",
            Self::Restrict => "restrict",
            Self::ConcatLimbs => "concat_limbs",
            Self::Transform => "transform",
            Self::Sum => "sum",
            Self::Sub => "sub",
            Self::Negate => "negate",
            Self::InnerProduct => "inner_product",
            Self::InnerProducts => "inner_products",
            Self::MultiplyFixed => "multiply_fixed",
            Self::Automorphism => "automorphism",
            Self::Lift => "lift",
            Self::Lifts => "lifts",
            Self::Scale => "scale",
            Self::Rescale => "rescale",
            Self::ExtendByP => "extend_by_p",
            Self::Decompose => "decompose",
            Self::DecomposeBaseTwo => "decompose_base_two",
            Self::KeySwitchGrouped => "key_switch_grouped",
            Self::KeySwitch => "key_switch",
            Self::Relinearize => "relinearize",
            Self::Rotate => "rotate",
            Self::RotatedSums => "rotated_sums",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The checks that the suite made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// For each operation of [`Operation::ALL`]: words compared and calls seen to be refused.
    counts: [(u64, u64); Operation::ALL.len()],
}

impl Report {
    pub(super) fn compared(&mut self, operation: Operation, words: usize) {
        self.counts[operation as usize].0 += words as u64;
    }

    pub(super) fn refused(&mut self, operation: Operation) {
        self.counts[operation as usize].1 += 1;
    }

    /// The operations with at least one word compared.
    pub fn operations(&self) -> impl Iterator<Item = Operation> {
        Operation::ALL.into_iter().filter(|&o| self.coefficients(o) > 0)
    }

    /// The words of an operation's results that the suite compared, counted for each limb.
    #[must_use]
    pub fn coefficients(&self, operation: Operation) -> u64 {
        self.counts[operation as usize].0
    }

    /// The calls that the operation had to refuse and did refuse.
    #[must_use]
    pub fn refusals(&self, operation: Operation) -> u64 {
        self.counts[operation as usize].1
    }
}

/// A line for each operation.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operation in Operation::ALL {
            let (words, calls) = self.counts[operation as usize];
            writeln!(
                f,
                "{operation:18} {words:>12} words equal, {calls:>3} bad calls refused"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_by_operation() {
        for (i, operation) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(operation as usize, i);
        }
        let mut report = Report::default();
        report.compared(Operation::InnerProduct, 7);
        report.refused(Operation::Sum);
        assert_eq!(report.operations().collect::<Vec<_>>(), [Operation::InnerProduct]);
        assert_eq!(report.coefficients(Operation::InnerProduct), 7);
        assert_eq!(report.refusals(Operation::Sum), 1);
        assert!(
            report
                .to_string()
                .contains("inner_product                 7 words")
        );
    }
}
