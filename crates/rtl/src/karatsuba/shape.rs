use crate::RtlError;

/// The machine for a modulus: polynomials of 2560 coefficients, nine recursions, of which it does the last three and the
/// first five afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    modulus_bits: u32,
}

impl Shape {
    /// The coefficients of a polynomial.
    pub const N: usize = 2560;

    /// The binary polynomials at a time.
    pub const POLYNOMIALS: usize = 4;

    /// The chunks of a coefficient.
    pub const CHUNKS: usize = 5;

    /// The bits of a result's chunk.
    pub const RESULT_CHUNK: u32 = 30;

    /// The recursions of the host before the machine's.
    pub const HOST_RECURSIONS: u32 = 6;

    /// The recursions of the machine before the products.
    pub const RECURSIONS: u32 = 3;

    /// The pieces that the host sends, 3^6.
    pub const PIECES: usize = 729;

    /// The coefficients of a piece.
    pub const PIECE: usize = 40;

    /// The pieces that become one result, 3^2.
    pub const GROUP: usize = 9;

    /// The coefficients of a result, of which the last is zero.
    pub const RESULT: usize = 320;

    /// The cycles of a leaf, five coefficients.
    const LEAF: u64 = 25;

    /// The machine for a modulus of so many bits.
    ///
    /// # Errors
    /// [`RtlError::BadKaratsuba`] for more than 138 bits: a product of 2560 coefficients has to fit 150.
    pub const fn new(modulus_bits: u32) -> Result<Self, RtlError> {
        if modulus_bits == 0 || modulus_bits > 138 {
            return Err(RtlError::BadKaratsuba {
                need: "a modulus of at most 138 bits",
            });
        }
        Ok(Self { modulus_bits })
    }

    /// The bits of the modulus.
    #[must_use]
    pub const fn modulus_bits(&self) -> u32 {
        self.modulus_bits
    }

    /// The bits of a chunk of the key: five of them hold a sum of 2^9 coefficients. The paper's 27 for 125 bits.
    #[must_use]
    pub const fn key_chunk(&self) -> u32 {
        (self.modulus_bits + Self::HOST_RECURSIONS + Self::RECURSIONS).div_ceil(Self::CHUNKS as u32)
    }

    /// The beats of a product, from the host: a chunk each.
    #[must_use]
    pub const fn input_beats() -> usize {
        Self::PIECES * Self::PIECE * Self::CHUNKS
    }

    /// The beats to the host.
    #[must_use]
    pub const fn output_beats() -> usize {
        Self::PIECES / Self::GROUP * Self::RESULT * Self::CHUNKS
    }

    /// The beats that come for these, of whole groups of pieces.
    pub(super) const fn results(beats: usize) -> Result<usize, RtlError> {
        let group = Self::GROUP * Self::PIECE * Self::CHUNKS;
        if beats.is_multiple_of(group) {
            return Ok(beats / group * Self::RESULT * Self::CHUNKS);
        }
        Err(RtlError::WrongLength {
            expected: beats.next_multiple_of(group),
            got: beats,
        })
    }

    /// The module and its parameters, as builds name them.
    #[must_use]
    pub fn machine(&self) -> String {
        format!("karatsuba_machine KeyWidth={} Results=4", self.key_chunk())
    }

    /// The cycles from the first beat in, right after reset, to the last word in the result buffer, if the host gives a beat
    /// in each cycle: the last piece waits for its end and the next leaf's time; its results come twelve leaves' times
    /// later through products and five recursions; the last result takes eight hundred.
    #[must_use]
    pub const fn cycles() -> u64 {
        let packager = Self::LEAF * (Self::piece_cycles() / Self::LEAF + 1) + 1;
        let pieces = (Self::PIECES as u64 - 1) * Self::piece_cycles();
        let (recursions, crossbar, leaves, products) = (3, 1, 12 * Self::LEAF, Self::LEAF + 4);
        let joins = 5 * 4;
        packager + pieces + recursions + crossbar + leaves + products + joins + Self::output_cycles()
    }

    const fn piece_cycles() -> u64 {
        (Self::PIECE * Self::CHUNKS) as u64
    }

    /// The cycles in which a result comes, its lower and its upper half at a time.
    const fn output_cycles() -> u64 {
        (Self::RESULT * Self::CHUNKS) as u64 / 2
    }
}
