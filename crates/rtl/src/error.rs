use crate::Pipeline;
use ringmill_arith::ArithError;
use ringmill_device::DeviceError;
use ringmill_ring::RingError;
use thiserror::Error;

use crate::core::Fault;

/// The errors of this crate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RtlError {
    /// No machine has this shape.
    #[error("no NTT multiplier has n = {n}, {units} butterfly units and {link_words} words a beat: {need}")]
    BadShape {
        /// The number of coefficients of a polynomial.
        n: usize,
        /// The number of butterfly units.
        units: usize,
        /// The number of coefficients that the link moves at once.
        link_words: usize,
        /// The rule that a shape must follow.
        need: &'static str,
    },
    /// No transform engine of this kind has these sizes.
    #[error("no {engine} has n = {n} points and {units} butterfly units: {need}")]
    BadEngine {
        /// The kind of engine.
        engine: &'static str,
        /// The number of points.
        n: usize,
        /// The number of butterfly units.
        units: usize,
        /// The rule that sizes must follow.
        need: &'static str,
    },
    /// No core has these parameters.
    #[error("a core needs {need}")]
    BadCore {
        /// The rule that its parameters must follow.
        need: &'static str,
    },
    /// The core's conversion unit cannot make this change of primes.
    #[error("the core converts with {need}")]
    BadConversion {
        /// The rule that the primes must follow.
        need: &'static str,
    },
    /// The conversion pipeline does not have these sizes, or not for these primes.
    #[error("the conversion pipeline needs {need}")]
    BadMultiprecision {
        /// The rule that sizes and primes must follow.
        need: &'static str,
    },
    /// No machine for encryption over the integers has these sizes, or the numbers do not fit it.
    #[error("a machine for encryption over the integers needs {need}")]
    BadComba {
        /// The rule that sizes and numbers must follow.
        need: &'static str,
    },
    /// The Karatsuba machine does not have these sizes, or the numbers do not fit it.
    #[error("the Karatsuba machine needs {need}")]
    BadKaratsuba {
        /// The rule that sizes and numbers must follow.
        need: &'static str,
    },
    /// The machine cannot compute modulo this prime.
    #[error("the machine needs a prime of 22 to 32 bits that is 1 modulo {congruence}, not {modulus}")]
    BadModulus {
        /// The prime.
        modulus: u64,
        /// The congruence 2n: the prime must be 1 modulo it.
        congruence: u64,
    },
    /// A transform engine cannot compute modulo this prime.
    #[error("the engine needs a prime of at most {bits} bits that is 1 modulo {congruence}, not {modulus}")]
    BadTransformModulus {
        /// The prime.
        modulus: u64,
        /// The bits of a word.
        bits: u32,
        /// The prime must be 1 modulo this number.
        congruence: u64,
    },
    /// The machine multiplies with one or two fixed polynomials.
    #[error("the machine multiplies with 1 or 2 fixed polynomials, not {0}")]
    BadProducts(usize),
    /// The values belong to another ring.
    #[error("the machine multiplies modulo x^{n} + 1, not in another ring")]
    WrongRing {
        /// The machine's n.
        n: usize,
    },
    /// The number of words is wrong.
    #[error("expected {expected} words, got {got}")]
    WrongLength {
        /// The number of words needed.
        expected: usize,
        /// The number of words given.
        got: usize,
    },
    /// A word is not a canonical residue.
    #[error("word {index} is {word}, not below the modulus {modulus}")]
    OutOfRange {
        /// The prime.
        modulus: u64,
        /// The position of the word.
        index: usize,
        /// The offending word.
        word: u64,
    },
    /// A job came before any factors were loaded.
    #[error("load a program before jobs")]
    NothingLoaded,
    /// This build has no simulation of a machine of this shape.
    #[error(
        "this build simulates no NTT multiplier with n = {n}, {units} units, {link_words} words a beat and a \
         {pipeline} pipeline: add it to the build script of ringmill-rtl"
    )]
    NotBuilt {
        /// The number of coefficients of a polynomial.
        n: usize,
        /// The number of butterfly units.
        units: usize,
        /// The number of coefficients that the link moves at once.
        link_words: usize,
        /// The pipeline.
        pipeline: Pipeline,
    },
    /// This build has no simulation of this machine.
    #[error(
        "this build simulates no {machine}: build with the feature rtl-full for machines of full size, or add it to \
         the build script of ringmill-rtl"
    )]
    MachineNotBuilt {
        /// The module and its parameters.
        machine: String,
    },
    /// A register has a value other than the one that this host needs.
    #[error(
        "the machine's register {address:#04x} is {got:#x}, this host needs {expected:#x}: it is for another machine"
    )]
    WrongMachine {
        /// Its byte offset.
        address: u32,
        /// The value that this host needs.
        expected: u32,
        /// The value that it has.
        got: u32,
    },
    /// The machine has no such register.
    #[error("the machine refused access to its register {address:#04x}")]
    BadRegister {
        /// Its byte offset.
        address: u32,
    },
    /// The memory of the core does not have these words.
    #[error("the core's memory has no words at {address:#x}")]
    BadAddress {
        /// The first byte of the words.
        address: u64,
    },
    /// The core stopped at an instruction.
    #[error("the core stopped at instruction {instruction}, its descriptor at {address:#x}: {fault}")]
    Core {
        /// The reason.
        fault: Fault,
        /// The number of the instruction, counted from the last time that the core was cleared.
        instruction: u64,
        /// The address of its descriptor.
        address: u64,
    },
    /// The memory of the core is full.
    #[error("the core's memory has no room for {bytes} bytes")]
    MemoryFull {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// A polynomial lacks a limb.
    #[error("the polynomial has no limb modulo {0}")]
    MissingLimb(u64),
    /// The words of a limb were in a core that stopped.
    #[error("the words of a limb were lost when the core stopped")]
    LostLimb,
    /// A machine's packet ended too early or too late.
    #[error("a packet of the wrong length at cycle {cycle}")]
    BadPacket {
        /// The machine's cycle.
        cycle: u64,
    },
    /// A machine stopped moving data.
    #[error("the machine is stuck at cycle {cycle}")]
    Stuck {
        /// The machine's cycle.
        cycle: u64,
    },
    /// An assertion in the machine's source failed; the simulator has printed which.
    #[error("an assertion of the machine failed at cycle {cycle}")]
    Assertion {
        /// The machine's cycle.
        cycle: u64,
    },
    /// The machine reported an error.
    #[error("the machine reports an error: status {status:#x} at cycle {cycle}")]
    Reported {
        /// Its status register.
        status: u32,
        /// The machine's cycle.
        cycle: u64,
    },
    /// A simulated machine computed something else than its golden model.
    #[error("the simulated machine differs from its golden model")]
    WrongResult,
    /// The machine as a device refused or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The ring layer refused an argument.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The arithmetic layer refused an argument.
    #[error(transparent)]
    Arith(#[from] ArithError),
}
