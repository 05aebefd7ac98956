//! The same for one prime below 2^31: half words, which vector units multiply.

use ringmill_arith::lanes::Lanes;
use ringmill_arith::{Modulus, WithSimd};

/// Exclusive limit of the prime.
pub(super) const LIMIT: u64 = 1 << 31;

/// The constants of scaling for one prime q below 2^31.
#[derive(Debug, Clone, Copy)]
pub(super) struct Narrow {
    q: u64,
    t: u64,
    /// q modulo t.
    q_mod_t: Fixed,
    /// 1/t modulo q.
    inverse: Fixed,
    /// t modulo q.
    scale: Fixed,
    /// -1/q modulo t.
    minus_inverse: Fixed,
}

/// A factor modulo some m below 2^31 and its companion floor(2^32 factor / m) (Shoup).
#[derive(Debug, Clone, Copy)]
struct Fixed {
    factor: u64,
    companion: u64,
    m: u64,
}

impl Fixed {
    fn new(factor: u64, m: u64) -> Self {
        Self {
            factor,
            companion: (factor << 32) / m,
            m,
        }
    }

    /// A half word times the factor, modulo m. The conversions tell the compiler that all are half words.
    #[inline(always)]
    fn times(self, a: u64) -> u64 {
        let half = |x: u64| u64::from(x as u32);
        let quotient = (half(a) * half(self.companion)) >> 32;
        lower(
            half(a) * half(self.factor) - half(quotient) * half(self.m),
            self.m,
        )
    }
}

/// [0, 2m) -> [0, m), without a branch.
#[inline(always)]
fn lower(x: u64, m: u64) -> u64 {
    let difference = x.wrapping_sub(m);
    difference.wrapping_add(m & sign(difference))
}

/// All bits of the highest one.
#[inline(always)]
fn sign(x: u64) -> u64 {
    (x as i64 >> 63) as u64
}

impl Narrow {
    /// For a prime below [`LIMIT`] and a smaller t, given -1/q modulo t.
    pub fn new(q: &Modulus, t: u64, minus_inverse: u64) -> Self {
        let m = q.value();
        Self {
            q: m,
            t,
            q_mod_t: Fixed::new(m % t, t),
            // t is not 0 modulo q.
            inverse: Fixed::new(q.inv(t).unwrap_or(0), m),
            scale: Fixed::new(t, m),
            minus_inverse: Fixed::new(minus_inverse, t),
        }
    }
}

/// [`super::Scaling::add_all`] for one prime.
pub(super) struct Add<'a> {
    pub narrow: Narrow,
    pub message: &'a [u64],
    pub words: &'a mut [u64],
}

impl WithSimd for Add<'_> {
    type Output = ();

    // No lanes here and below: plain loops, which the compiler turns into the kernel's instructions.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Narrow {
            q,
            t,
            q_mod_t,
            inverse,
            ..
        } = self.narrow;
        for (x, &m) in self.words.iter_mut().zip(self.message) {
            let r = q_mod_t.times(m);
            // -r for r <= t/2, modulo q; t - r above.
            let above = sign((t / 2).wrapping_sub(r));
            let minus_r = (t & above) + (q & !above) - r;
            *x = lower(*x + inverse.times(minus_r), q);
        }
    }
}

/// [`super::Scaling::round`] for one prime, which leaves the coefficients in the words and returns the
/// largest distance times q.
pub(super) struct Round<'a> {
    pub narrow: Narrow,
    pub words: &'a mut [u64],
}

impl WithSimd for Round<'_> {
    type Output = u64;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> u64 {
        let Narrow {
            q,
            t,
            scale,
            minus_inverse,
            ..
        } = self.narrow;
        let mut worst = 0;
        for x in self.words {
            // \[t x\]_q is z or z - q, and m = -\[t x\]_q / q.
            let z = scale.times(*x);
            let turn = sign((q / 2).wrapping_sub(z));
            let distance = (z ^ turn).wrapping_sub(turn).wrapping_add(q & turn);
            worst = worst.max(distance as u32);
            *x = lower(minus_inverse.times(z) + (turn & 1), t);
        }
        worst.into()
    }
}
