//! Fuzz targets: what others can send to ringmill, fed to its readers and to the planner.
//!
//! A [`Target`] has one or several [`Reader`]s; the first byte of an input chooses among them. A reader makes what
//! stands around the fuzzed bytes right, such as a frame's checksum, so that most inputs reach what is behind it. It
//! says whether the input was accepted, and panics if a promise is broken: what is accepted must be written back the
//! same, for instance.
//!
//! [`run`] is a plain driver with a seeded [`mutator`], for the program `fuzz` and for `cargo test`. The package
//! in `libfuzzer` feeds the same targets from libFuzzer, which needs a nightly compiler.

pub mod corpus;
mod frame;
pub mod memory;
pub mod mutator;
pub mod run;
mod targets;

pub use targets::TARGETS;

/// What a reader makes of an input: accepted, or refused with this error.
pub type Verdict = Result<(), String>;

/// A way to read an input.
pub struct Reader {
    /// Its name, one word.
    pub name: &'static str,
    /// Reads.
    pub read: fn(&[u8]) -> Verdict,
    /// Makes inputs for the corpus; the reader accepts the first of them.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// A fuzz target.
pub struct Target {
    /// Its name, which is that of its folder in the corpus.
    pub name: &'static str,
    /// The readers among which the first byte chooses.
    pub readers: &'static [Reader],
    /// Words that mean something in the inputs, for the mutator.
    pub words: &'static [&'static str],
    /// The most bytes of an input.
    pub longest: usize,
    /// Bytes of memory that an input may take at a time, beside [`Target::BYTES_FOR_EACH`] for each of its own.
    pub memory: usize,
}

/// The result of feeding an input to a target.
pub struct Outcome {
    /// The place of the reader that was chosen.
    pub reader: usize,
    /// What it said.
    pub verdict: Verdict,
}

impl Target {
    /// Bytes of memory that an input may take for each of its own, at a time.
    pub const BYTES_FOR_EACH: usize = 64;

    /// The target of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.into_iter().find(|target| target.name == name)
    }

    /// Feeds an input to the reader that its first byte chooses.
    ///
    /// # Panics
    /// If a promise is broken.
    #[must_use]
    pub fn feed(&self, input: &[u8]) -> Outcome {
        let (choice, payload) = input.split_first().unwrap_or((&0, &[]));
        let reader = usize::from(*choice) % self.readers.len();
        let verdict = (self.readers[reader].read)(payload);
        Outcome { reader, verdict }
    }

    /// The memory that an input of a length may take.
    #[must_use]
    pub fn most_memory(&self, length: usize) -> usize {
        self.memory + Self::BYTES_FOR_EACH * length
    }
}

/// Takes the error's text as the refusal.
fn refused(error: impl std::fmt::Display) -> String {
    error.to_string()
}
