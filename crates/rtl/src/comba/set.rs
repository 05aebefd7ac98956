use super::{Shape, Sizes, SystolicShape};
use crate::RtlError;

/// A size of the paper (table I) with the machines for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Set {
    /// The paper's name of the size.
    pub name: &'static str,
    /// gamma, alpha, tau, and the bits of a correction.
    sizes: (u32, u32, usize, u32),
    /// w, the bits of a block (table II).
    block_bits: u32,
    /// The units of the parallel design (table II).
    units: usize,
    /// The rows of our systolic machine.
    rows: usize,
    /// The paper's low-area design.
    pub low_area: Published,
    /// The paper's parallel design.
    pub parallel: Published,
}

/// A design of the paper, by its tables II to IV.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// The time of an encryption.
    pub seconds: f64,
    /// The clock that it was synthesised for, in Hz.
    pub clock_hertz: f64,
    /// Its DSP slices, a multiplier each.
    pub multipliers: usize,
}

impl Published {
    /// The cycles of an encryption.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.seconds * self.clock_hertz
    }
}

const fn published(seconds: f64, megahertz: f64, multipliers: usize) -> Published {
    Published {
        seconds,
        clock_hertz: 1e6 * megahertz,
        multipliers,
    }
}

impl Set {
    /// The four sizes. gamma is rounded to whole blocks of the key stream; at large size it is that of the scheme's authors,
    /// which is 1.8 percent above the paper's.
    pub const ALL: [Self; 4] = [
        Self {
            name: "toy",
            sizes: (150_016, 936, 158, 1069),
            block_bits: 1024,
            units: 20,
            rows: 24,
            low_area: published(0.016, 307.754, 64),
            parallel: published(0.006, 197.465, 1344),
        },
        Self {
            name: "small",
            sizes: (830_464, 1476, 572, 1611),
            block_bits: 2048,
            units: 10,
            rows: 15,
            low_area: published(0.313, 293.251, 128),
            parallel: published(0.114, 192.806, 1408),
        },
        Self {
            name: "medium",
            sizes: (4_199_936, 2016, 2110, 2191),
            block_bits: 2048,
            units: 10,
            rows: 11,
            low_area: published(5.773, 293.822, 128),
            parallel: published(2.018, 197.758, 1408),
        },
        Self {
            name: "large",
            sizes: (19_350_016, 2556, 7695, 2771),
            block_bits: 4096,
            units: 5,
            rows: 9,
            low_area: published(81.550, 227.388, 256),
            parallel: published(32.744, 197.758, 1536),
        },
    ];

    /// The sizes of the numbers.
    ///
    /// # Errors
    /// [`RtlError::BadComba`].
    pub const fn sizes(&self) -> Result<Sizes, RtlError> {
        let (gamma, alpha, terms, correction) = self.sizes;
        Sizes::new(gamma, alpha, terms, correction)
    }

    /// The low-area machine.
    ///
    /// # Errors
    /// [`RtlError::BadComba`].
    pub fn low_area(&self) -> Result<Shape, RtlError> {
        Shape::new(self.sizes()?, self.block_bits, 1)
    }

    /// The parallel machine.
    ///
    /// # Errors
    /// [`RtlError::BadComba`].
    pub fn parallel(&self) -> Result<Shape, RtlError> {
        Shape::new(self.sizes()?, self.block_bits, self.units)
    }

    /// The systolic machine.
    ///
    /// # Errors
    /// [`RtlError::BadComba`].
    pub fn systolic(&self) -> Result<SystolicShape, RtlError> {
        SystolicShape::new(self.sizes()?, self.rows)
    }
}
