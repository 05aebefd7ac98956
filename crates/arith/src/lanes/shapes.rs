//! Kernels for tests only: plain arrays and loops in the shapes of vectors, on every machine.
//!
//! A loop that is right for one width and wrong for another fails here, and not first on the machine that has the
//! vectors.

use std::cell::Cell;

use super::array::Array;
use super::half_word::HalfWord;
use super::{Portable, fit};
use crate::simd::Wide;
use crate::{Modulus, WithSimd, WithVector};

/// Kernels of arrays. Those of 64-bit words have the primes of [`Portable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Vectors of four words, of 32 bits for primes of 31; tables of one word an entry, as AVX2 has for 64 bits.
    Four,
    /// Vectors of eight words, of 32 bits for primes of 31, with a spare one for primes of 30.
    Eight,
    /// Vectors of eight words with a fault.
    Faulty(Fault),
}

/// What is wrong: lanes come out in the wrong order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Products of lanes with a fixed factor.
    Product,
    /// Sums of products.
    Sum,
    /// Rounded fractions.
    Fraction,
    /// Products of 32-bit words with a spare bit.
    Spare,
    /// Products of 32-bit words without a spare bit.
    Narrow,
}

thread_local! {
    /// The fault of the lanes that run.
    static PRESENT: Cell<Option<Fault>> = const { Cell::new(None) };
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 5] = [
        Self::Product,
        Self::Sum,
        Self::Fraction,
        Self::Spare,
        Self::Narrow,
    ];

    pub(super) fn is_present(self) -> bool {
        PRESENT.get() == Some(self)
    }

    /// Runs something with the fault in faulty lanes.
    fn during<T>(self, run: impl FnOnce() -> T) -> T {
        PRESENT.set(Some(self));
        let result = run();
        PRESENT.set(None);
        result
    }
}

type Lanes4 = Array<Portable, 4, 1>;
type Lanes8 = Array<Portable, 8, 2>;
type Spare = Array<HalfWord<true>, 8, 2>;
type Narrow = Array<HalfWord<false>, 8, 2>;
const _: () = assert!(fit::<Lanes4>() && fit::<Lanes8>());

impl Shape {
    /// All that are right.
    pub const RIGHT: [Self; 2] = [Self::Four, Self::Eight];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Four => "four",
            Self::Eight => "eight",
            Self::Faulty(_) => "faulty",
        }
    }

    pub(crate) fn run<T: WithSimd>(self, task: T) -> T::Output {
        // SAFETY: arrays need no particular instructions.
        unsafe {
            match self {
                Self::Four => task.run::<Lanes4>(),
                Self::Eight => task.run::<Lanes8>(),
                Self::Faulty(fault) => fault.during(|| task.run::<Lanes8>()),
            }
        }
    }

    /// As [`crate::Simd::run_vector`].
    pub(crate) fn run_vector<T: WithVector>(self, q: &Modulus, task: T) -> T::Output {
        let bits = q.bits();
        // SAFETY: arrays need no particular instructions.
        unsafe {
            match (self, bits) {
                (Self::Four, ..32) => task.run::<Array<HalfWord<false>, 4, 1>>(),
                (Self::Eight, ..31) => task.run::<Spare>(),
                (Self::Eight, 31) => task.run::<Narrow>(),
                (Self::Faulty(Fault::Spare), ..31) => Fault::Product.during(|| task.run::<Spare>()),
                (Self::Faulty(Fault::Narrow), 31) => Fault::Product.during(|| task.run::<Narrow>()),
                _ => self.run(Wide(task)),
            }
        }
    }
}
