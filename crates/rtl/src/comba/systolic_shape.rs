use super::{DIGIT, Sizes, WORD_DIGITS};
use crate::RtlError;

/// Rows of multipliers, each of which holds a factor while the element's digits stream through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SystolicShape {
    sizes: Sizes,
    rows: usize,
}

impl SystolicShape {
    /// Cycles from a counter to its ChaCha20 block.
    const BLOCK_LATENCY: u64 = 42;

    /// Digits of the sum above the modulus and a factor.
    pub(super) const EXTRA_DIGITS: usize = 2;

    /// Digits of the sum below the modulus's end that the quotient is made from, and of the quotient that are cut besides.
    pub(super) const GUARD_DIGITS: usize = 4;

    /// A machine with so many rows of ceil(alpha / 16) multipliers.
    ///
    /// # Errors
    /// [`RtlError::BadComba`] unless there are 2 to 32 rows, a factor has ten digits, and a pass takes longer than to read
    /// the factors and corrections of the next one.
    pub const fn new(sizes: Sizes, rows: usize) -> Result<Self, RtlError> {
        let shape = Self { sizes, rows };
        let need = if rows < 2 || rows > 32 {
            "2 to 32 rows"
        } else if shape.taps() < Self::EXTRA_DIGITS + 2 * Self::GUARD_DIGITS {
            "factors of at least ten digits of 16 bits"
        } else if shape.pass() < shape.load() {
            "longer numbers, or fewer rows: factors and corrections of a pass are read during the one before"
        } else {
            return Ok(shape);
        };
        Err(RtlError::BadComba { need })
    }

    /// The sizes of the numbers.
    #[must_use]
    pub const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The multipliers of a row: the digits of a factor.
    #[must_use]
    pub const fn taps(&self) -> usize {
        self.sizes.alpha().div_ceil(DIGIT) as usize
    }

    /// The multipliers of 16 bits.
    #[must_use]
    pub const fn multipliers(&self) -> usize {
        self.rows * self.taps()
    }

    /// The digits of a correction, and of the noise.
    pub(super) const fn correction_digits(&self) -> usize {
        self.sizes.correction().div_ceil(DIGIT) as usize
    }

    /// The digits of the sum's memory.
    const fn depth(&self) -> usize {
        self.sizes.digits() + self.taps() + Self::EXTRA_DIGITS + 1
    }

    /// The bits of the sum's memory on chip.
    #[must_use]
    pub const fn memory_bits(&self) -> u64 {
        self.depth() as u64 * DIGIT as u64
    }

    /// The passes over the elements.
    #[must_use]
    pub const fn passes(&self) -> usize {
        self.sizes.terms().div_ceil(self.rows)
    }

    /// The digits of the product of the sum's high part and the reciprocal that are below the quotient.
    pub(super) const fn cut_digits(&self) -> usize {
        self.taps() + Self::EXTRA_DIGITS + 2 * Self::GUARD_DIGITS
    }

    /// The module and its parameters, as builds name them.
    #[must_use]
    pub fn machine(&self) -> String {
        format!(
            "comba_systolic Rows={} Taps={} CorrectionDigits={} Depth={}",
            self.rows,
            self.taps(),
            self.correction_digits(),
            self.depth()
        )
    }

    /// The cycles of a pass: a digit a cycle, as many as the sum has.
    const fn pass(&self) -> u64 {
        (self.sizes.digits() + self.taps() + Self::EXTRA_DIGITS) as u64
    }

    /// The digits that are read for a pass.
    const fn pass_digits(&self) -> u64 {
        (self.rows * (self.taps() + self.correction_digits())) as u64
    }

    /// The cycles from a pass's start until the factors and corrections of the next one are there.
    const fn load(&self) -> u64 {
        let used = Self::BLOCK_LATENCY + self.rows as u64 + self.correction_digits() as u64 + 3;
        used + self.pass_digits()
    }

    /// The cycles of an encryption whose residue is not the modulus or more after Barrett's quotient (it is with a
    /// probability of less than 2^-60, and then one more pass is made).
    #[must_use]
    pub fn cycles(&self) -> u64 {
        let (rows, taps, digits) = (self.rows as u64, self.taps() as u64, self.sizes.digits() as u64);
        let fill = self.correction_digits() as u64 + self.pass_digits();
        let end = Self::BLOCK_LATENCY + rows + 6;
        let reciprocal = Self::BLOCK_LATENCY + rows + self.correction_digits() as u64 + 1 + 2 * taps + 3;
        let sum = fill + (self.passes() as u64 - 1) * self.pass() + (self.pass() + end).max(reciprocal);
        let quotient = 3 * taps + 10 + rows + 5;
        (sum + quotient + 1) / 4 * 4 + 2 + digits + (rows + 2) / 4 * 4 + 18
    }

    /// The words of what the machine reads in order: the noise; for each pass and row a factor and a correction; the
    /// reciprocal.
    pub(super) const fn stream_words(&self) -> usize {
        let passes = self.passes() * self.pass_digits() as usize;
        (self.correction_digits() + passes + 2 * self.taps()).div_ceil(WORD_DIGITS)
    }

    /// The bytes of memory that an encryption takes.
    #[must_use]
    pub const fn memory_bytes(&self) -> u64 {
        8 * (self.stream_words() + 2 * (self.sizes.words() + 1)) as u64
    }

    /// The bytes that the host moves for an encryption: the stream, which has the corrections too, and the ciphertext.
    #[must_use]
    pub const fn link_bytes(&self) -> u64 {
        8 * (self.stream_words() + self.sizes.words()) as u64
    }
}
