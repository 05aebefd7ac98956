use std::path::PathBuf;

use ringmill_arith::ArithError;
use ringmill_circuit::{CircuitError, WireType};
use ringmill_device::DeviceError;
use ringmill_fv::FvError;
use ringmill_ring::RingError;
use thiserror::Error;

use crate::fv::misfit::{Misfit, Shortfall};

/// The error of a scheme, whichever it is.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The errors of executing a plan or a schedule.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The plan's inputs are not packed.
    #[error("the plan has a ciphertext for each wire of its inputs; they are not packed")]
    NotPacked,
    /// The plan was made for other parameters than the scheme's.
    #[error("the plan was made for the parameters {plan}, the scheme has {context}")]
    OtherParameters {
        /// Name of the plan's parameters.
        plan: String,
        /// Name of the scheme's.
        context: String,
    },
    /// An input port was not supplied.
    #[error("{kind} input {port:?} is missing")]
    MissingInput {
        /// "Encrypted" or "public".
        kind: &'static str,
        /// Name of the port.
        port: String,
    },
    /// An input was supplied that the circuit does not have, or not of this kind.
    #[error("the circuit has no {kind} input {port:?}")]
    UnknownInput {
        /// "Encrypted" or "public".
        kind: &'static str,
        /// Name given.
        port: String,
    },
    /// An input has too few or too many bits.
    #[error("input {port:?} has {expected} bits, but {got} were given")]
    WrongWidth {
        /// Name of the port.
        port: String,
        /// Bits of the port.
        expected: usize,
        /// Bits given.
        got: usize,
    },
    /// An encrypted input bit is at too low a level.
    #[error("bit {bit} of input {port:?} is encrypted at level {got}; the plan needs at least {needed}")]
    LowLevel {
        /// Name of the port.
        port: String,
        /// Bit of the port.
        bit: usize,
        /// Level needed.
        needed: usize,
        /// Level given.
        got: usize,
    },
    /// An encrypted input bit is a product that was not relinearized.
    #[error("bit {bit} of input {port:?} has {got} parts; relinearize it to 2 first")]
    WrongParts {
        /// Name of the port.
        port: String,
        /// Bit of the port.
        bit: usize,
        /// Parts given.
        got: usize,
    },
    /// Bits were given for a port of rows, or rows for one of bits.
    #[error("input {port:?} takes values of the kind {kind}")]
    WrongKind {
        /// Name of the port.
        port: String,
        /// What its wires carry.
        kind: WireType,
    },
    /// A key for an automorphism that the plan uses was not given.
    #[error(
        "the evaluation keys have none for the automorphism x -> x^{exponent}; make them for this circuit"
    )]
    MissingGaloisKey {
        /// The exponent.
        exponent: u64,
    },
    /// More records than one batch can hold.
    #[error("{got} records do not fit the {slots} slots of one batch; split them into several")]
    TooManyRecords {
        /// Records given, rounded up to whole words of 64.
        got: usize,
        /// Slots of a batch.
        slots: usize,
    },
    /// Values could not be put aside into a file, or brought from there.
    #[error(
        "values that memory has no room for cannot be kept in a file in {}: {source}; name another directory with \
         enough space",
        directory.display()
    )]
    Aside {
        /// The directory of the file.
        directory: PathBuf,
        /// The operating system's message.
        source: std::io::Error,
    },
    /// The observer asked to stop.
    #[error("cancelled after {done} of {total} steps")]
    Cancelled {
        /// Steps done.
        done: usize,
        /// Steps of the plan.
        total: usize,
    },
    /// The scheme refused a step.
    #[error("step {step} ({operation} at level {level}): {source}")]
    Step {
        /// Index of the step.
        step: usize,
        /// What it does.
        operation: &'static str,
        /// Its level.
        level: usize,
        /// Why it failed.
        source: Failure,
    },
    /// The plan contradicts itself: a defect of the planner.
    #[error("the plan is broken: {0}; this is a defect, please report it")]
    BrokenPlan(String),
    /// The scheme refused something outside of any step: its own error.
    #[error(transparent)]
    Scheme(Failure),
    /// No randomness, or no such kernel.
    #[error(transparent)]
    Arith(#[from] ArithError),
    /// The ring refused something.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The device refused something.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl EngineError {
    /// The scheme refused something outside of any step.
    pub(crate) fn of_scheme(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Scheme(Box::new(error))
    }
}

/// Why there is no plan.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The noise would grow too large with these parameters.
    #[error("{0}")]
    DoesNotFit(Box<Shortfall>),
    /// No ring of the security level fits.
    #[error("{0}")]
    NothingFits(Box<Misfit>),
    /// Something was asked for that no plan can keep to.
    #[error("{what} is {value}; it must be {expected}")]
    BadDemand {
        /// What was asked for.
        what: &'static str,
        /// How much of it.
        value: f64,
        /// What it could be.
        expected: &'static str,
    },
    /// A plan that does not keep what plans promise: a defect of the planner.
    #[error("the plan does not hold: {0}; this is a defect, please report it")]
    Broken(String),
    /// A batch holds too few records under these parameters.
    #[error(
        "a batch under the parameters {name} holds {records} records, {wanted} are wanted; take a larger n, or smaller batches (--batch-records)"
    )]
    TooFewRecords {
        /// Name of the parameters.
        name: String,
        /// Records there are in a batch.
        records: usize,
        /// Records wanted.
        wanted: usize,
    },
    /// Wires of a circuit take different numbers of slots.
    #[error("the circuit mixes wires of {} and {} places a record; a plan needs all wires of one size (bits and bytes are)", sizes.0, sizes.1)]
    MixedRows {
        /// Two of the sizes.
        sizes: (usize, usize),
    },
    /// A recipe of another circuit's plan.
    #[error(
        "the plan was made for another circuit; name the one that it was made for, with the same choices"
    )]
    OtherCircuit,
    /// A recipe of a plan with other totals over records.
    #[error(
        "the plan was made for other aggregates of the circuit's outputs; name those that it was made for"
    )]
    OtherAggregates,
    /// The optimiser does not make the variant that a recipe names.
    #[error(
        "the plan is for a variant of the circuit of depth {depth} that this version's optimiser does not make; \
         use the version of ringmill that the plan was made with, or make a new plan"
    )]
    OtherOptimiser {
        /// Depth of the variant.
        depth: u32,
    },
    /// The optimiser made no circuit.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// More products follow each other than the scheme has levels for.
    #[error(
        "the circuit has {depth} products in a row, {scheme} has levels for {most}; take a set with more levels \
         or a circuit that is less deep"
    )]
    TooDeep {
        /// Name of the scheme's parameter set.
        scheme: String,
        /// Products in a row that it has levels for.
        most: usize,
        /// Products on the longest path to an output.
        depth: u32,
    },
    /// A circuit of rows for a scheme that is planned by depth.
    #[error(
        "a wire of the circuit carries a {kind}, but {scheme} is planned for bits only; take a circuit on bits, or FV"
    )]
    OnlyBits {
        /// Name of the scheme's parameter set.
        scheme: String,
        /// What a wire carries.
        kind: WireType,
    },
    /// Circuits are over bits.
    #[error("parameters {name} have plaintext modulus {t}; circuits over bits need 2")]
    NotBinary {
        /// Name of the parameters.
        name: String,
        /// Their plaintext modulus.
        t: u64,
    },
    /// Records cannot share slots in such a plan.
    #[error(
        "four records of bits can share a slot, but not in a plan for {what}; let each have its own (--share-slots never)"
    )]
    CannotShare {
        /// For what the plan is.
        what: &'static str,
    },
    /// Bits have slots in Fermat rings only.
    #[error(
        "parameters {name} are over x^n + 1, which has no slots for bits; circuits need a set over a Fermat ring, \
         such as fv128-n4096"
    )]
    NoBitSlots {
        /// Name of the parameters.
        name: String,
    },
    /// The plan needs more memory than allowed.
    #[error(
        "executing needs about {needed} MiB in the thriftiest order{aside}, only {limit} MiB are allowed (what is \
         available, unless a limit was given); allow more (--memory), {mend}use fewer threads (--threads), or execute on a machine with more \
         memory",
        aside = if *.aside { " with all that waits in a file" } else { "" },
        mend = if *.aside { "" } else { "name a directory for a file of the values that it has no room for (--spill-dir), " }
    )]
    TooMuchMemory {
        /// The least that any order needs, in MiB.
        needed: u64,
        /// The limit, in MiB.
        limit: u64,
        /// Whether values could be put aside into a file.
        aside: bool,
    },
    /// Refused by the scheme.
    #[error(transparent)]
    Fv(#[from] FvError),
    /// Refused by the ring.
    #[error(transparent)]
    Ring(#[from] RingError),
}

/// A parameter set that the planner did not take.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// Name of the set.
    pub name: String,
    /// Why it was not taken.
    pub reason: String,
}
