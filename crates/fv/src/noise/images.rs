//! Noise of products with plaintexts and under automorphisms: what linear maps are made of.

use super::model::largest_plain_power;
use super::powers::{Power, Powers};
use super::{Noise, NoiseModel, Roots, Values};

impl<R: Roots> NoiseModel<R> {
    /// A product with a random plaintext of coefficients 0 to t - 1: v p, nothing else.
    ///
    /// [`NoiseModel::largest_plain_power`] is taken; whoever multiplies has to see that no plaintext has more.
    /// [`NoiseModel::multiply_plain_power`] is sharper for a plaintext that is known.
    #[must_use]
    pub fn multiply_plain(&self, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.multiply_plain_power(a, largest_plain_power(self.n, self.t.exp2()))
    }

    /// A product with a plaintext whose largest |p(zeta^e)|^2 is `power`: see [`crate::Plaintext::power`].
    #[must_use]
    pub fn multiply_plain_power(&self, a: &Noise<R::Values>, power: f64) -> Noise<R::Values> {
        let factor = Power::from_log2(power.log2());
        let (exponent, mantissas) = (a.powers.exponent + factor.exponent, a.powers.mantissas.numbers());
        let powers = Powers::sum(&self.secrets, [exponent], |place| {
            [factor.mantissa * mantissas[place]]
        });
        Noise { powers }
    }

    /// A product with a plaintext that is known as far as roots are told apart.
    #[must_use]
    pub fn multiply_factor(&self, a: &Noise<R::Values>, factor: &R::Factor) -> Noise<R::Values> {
        Noise {
            powers: Powers::normal(a.powers.exponent, R::times(&a.powers.mantissas, factor)),
        }
    }

    /// A product with any plaintext at all, taken with centred coefficients: no |p(zeta)| exceeds the sum of its n
    /// coefficients' magnitudes, n t/2.
    #[must_use]
    pub fn multiply_any_plain(&self, a: &Noise<R::Values>) -> Noise<R::Values> {
        self.multiply_plain_power(a, (self.n * self.t.exp2() / 2.0).powi(2))
    }

    /// An automorphism with its key switch, to the same level.
    #[must_use]
    pub fn automorphism(&self, level: usize, a: &Noise<R::Values>, motion: &R::Motion) -> Noise<R::Values> {
        self.key_switch(level, &self.moved(a, motion))
    }

    /// An automorphism with its key switch, extended: without the rounding by the division.
    #[must_use]
    pub fn rotate(&self, level: usize, a: &Noise<R::Values>, motion: &R::Motion) -> Noise<R::Values> {
        self.key_switch_extended(level, &self.moved(a, motion))
    }

    /// A step of unpacking ([`ringmill_ring::Split`]): theta x plus sigma(theta) sigma(x) for each of its automorphisms
    /// sigma, brought to a level. Each is given by its motion and the number of key switches in it. `power` is the largest
    /// mean of |theta|^2 and all |sigma(theta)|^2 at a root.
    ///
    /// Noise at one root is added to noise at others. They are uncorrelated: coefficients are independent, and values at
    /// different roots are orthogonal functions of them. So powers add up, to at most the mean of all factors times
    /// their number and the largest noise. The result is the same at all roots that automorphisms exchange: its
    /// coefficients may be larger than those of other noise of this power, by as many times in power as there are such
    /// roots, until a product makes roots differ.
    #[must_use]
    pub fn split(
        &self,
        (level, to): (usize, usize),
        a: &Noise<R::Values>,
        (automorphisms, power): (&[(&R::Motion, usize)], f64),
    ) -> Noise<R::Values> {
        let images = automorphisms.iter().map(|(motion, times)| {
            let mut moved = self.moved(a, motion);
            for _ in 1..*times {
                moved = self.key_switch(level, &moved);
            }
            self.key_switch_extended(level, &moved)
        });
        let larger = images.fold(a.clone(), |larger, image| Noise {
            powers: larger.powers.most(&image.powers),
        });
        let terms = (1 + automorphisms.len()) as f64;
        self.switch_modulus(to, &self.multiply_plain_power(&larger, terms * power))
    }

    /// The noise of every root moved to another, as [`Roots::Motion`] says.
    #[must_use]
    pub fn moved(&self, a: &Noise<R::Values>, motion: &R::Motion) -> Noise<R::Values> {
        let Powers { exponent, mantissas } = &a.powers;
        Noise {
            powers: Powers::normal(*exponent, R::moved(&self.weights, mantissas, motion)),
        }
    }
}
