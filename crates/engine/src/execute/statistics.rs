use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The kinds of work on which an execution spends its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// Making values ready to be factors.
    Prepare,
    /// Making values ready for linear maps: digits.
    Rotate,
    /// Sums of automorphisms, multiplied by constants.
    Map,
    /// Tensor products, and scaling in the BFV form.
    Multiply,
    /// Relinearization.
    Relinearize,
    /// Switching to lower levels.
    Switch,
    /// Sums.
    Sum,
    /// Encoding what is known in the clear, and adding it or multiplying by it.
    Plain,
    /// Putting values aside into a file.
    Aside,
    /// Bringing values: inputs at their first use, and what was put aside.
    Bring,
    /// Waiting, after every wave, until what was asked of the device is done. Where that is much, the times of
    /// the other kinds are those of asking.
    Wait,
}

impl OperationKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Prepare,
        Self::Rotate,
        Self::Map,
        Self::Multiply,
        Self::Relinearize,
        Self::Switch,
        Self::Sum,
        Self::Plain,
        Self::Aside,
        Self::Bring,
        Self::Wait,
    ];

    /// The name shown to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare factor",
            Self::Rotate => "rotate",
            Self::Map => "linear map",
            Self::Multiply => "multiply",
            Self::Relinearize => "relinearize",
            Self::Switch => "switch modulus",
            Self::Sum => "sum",
            Self::Plain => "plain operand",
            Self::Aside => "put aside",
            Self::Bring => "bring",
            Self::Wait => "wait for the device",
        }
    }
}

/// Operations of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Their time from begin to end, added up over all threads. As a thread that waits for a part of
    /// one operation may work on another, this can exceed the threads' time.
    pub time: Duration,
}

/// Counts and times of an execution.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// By kind, in the order of [`OperationKind::ALL`].
    pub tallies: [Tally; OperationKind::ALL.len()],
    /// From begin to end.
    pub elapsed: Duration,
    /// Most ciphertexts alive at a time, counted after every wave and before anything is freed.
    pub most_ciphertexts: usize,
}

impl Statistics {
    /// Operations of one kind.
    #[must_use]
    pub fn tally(&self, kind: OperationKind) -> Tally {
        self.tallies[kind as usize]
    }
}

/// Counts while threads work.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    counts: [AtomicU64; OperationKind::ALL.len()],
    nanoseconds: [AtomicU64; OperationKind::ALL.len()],
}

impl Meter {
    /// Runs the computation of some values, and counts them.
    pub fn time<T>(&self, kind: OperationKind, values: usize, operation: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = operation();
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.counts[kind as usize].fetch_add(values as u64, Ordering::Relaxed);
        self.nanoseconds[kind as usize].fetch_add(nanoseconds, Ordering::Relaxed);
        result
    }

    pub fn tallies(&self) -> [Tally; OperationKind::ALL.len()] {
        OperationKind::ALL.map(|kind| Tally {
            count: self.counts[kind as usize].load(Ordering::Relaxed),
            time: Duration::from_nanos(self.nanoseconds[kind as usize].load(Ordering::Relaxed)),
        })
    }
}
