use ringmill_arith::lanes::Lanes;
use ringmill_arith::sampling::{Gaussian, Stream};
use ringmill_arith::secret::Secret;
use ringmill_arith::{Basis, Simd, WithSimd};
use ringmill_device::{Device, SecretPoly};
use ringmill_ring::{Domain, Ring};

use crate::{Plaintext, RlweError, Scaling, SecretDistribution};

/// Draws the small polynomials of keys and encryptions from a stream, for a scheme over any device. Its
/// memory serves one after the other and is wiped in the end.
pub struct Sampler<'a, D: Device> {
    device: &'a D,
    gaussian: &'a Gaussian,
    kernel: Simd,
    small: Secret<Vec<i8>>,
    gaussians: Secret<Vec<i32>>,
    words: Secret<Vec<u64>>,
}

impl<'a, D: Device> Sampler<'a, D> {
    /// A sampler of polynomials on a device; errors are folded from this distribution.
    #[must_use]
    pub fn new(device: &'a D, gaussian: &'a Gaussian, kernel: Simd) -> Self {
        Self {
            device,
            gaussian,
            kernel,
            small: Secret::default(),
            gaussians: Secret::default(),
            words: Secret::default(),
        }
    }

    /// A polynomial of the distribution of secrets, in coefficient domain.
    ///
    /// # Errors
    /// If the device fails.
    pub fn secret(
        &mut self,
        stream: &mut Stream,
        basis: &Basis,
        distribution: SecretDistribution,
    ) -> Result<SecretPoly<&'a D>, RlweError> {
        self.small.resize(self.device.ring().n());
        distribution.draw(stream, &mut self.small);
        residues(self.kernel, basis, &self.small, &mut self.words);
        self.upload(basis)
    }

    /// A spherical error ([`Ring::fold`]), in coefficient domain, plus round(q m/t) for a message m.
    ///
    /// # Errors
    /// If the device fails.
    pub fn error(
        &mut self,
        stream: &mut Stream,
        basis: &Basis,
        message: Option<(&Scaling, &Plaintext)>,
    ) -> Result<SecretPoly<&'a D>, RlweError> {
        let ring = self.device.ring();
        self.gaussians.resize(ring.unfolded_len());
        self.gaussian.sample(stream, &mut self.gaussians);
        match ring {
            Ring::Negacyclic(_) => residues(self.kernel, basis, &self.gaussians, &mut self.words),
            _ => {
                let full = Secret::collect(self.gaussians.iter().map(|&x| i64::from(x)));
                let folded = Secret::new(ring.fold(&full)?);
                residues(self.kernel, basis, &folded, &mut self.words);
            }
        }
        if let Some((scaling, message)) = message {
            scaling.add_all(message.coefficients(), &mut self.words);
        }
        self.upload(basis)
    }

    /// A polynomial of independent coefficients uniform in [-2^k, 2^k), k being `log2_amplitude`, in coefficient
    /// domain. Each is of so many words of the stream that they have k + 1 bits, the lowest first.
    ///
    /// # Errors
    /// If the device fails.
    pub fn uniform(
        &mut self,
        stream: &mut Stream,
        basis: &Basis,
        log2_amplitude: u32,
    ) -> Result<SecretPoly<&'a D>, RlweError> {
        let n = self.device.ring().n();
        let count = (log2_amplitude / 64 + 1) as usize;
        let highest = u64::MAX >> (63 - log2_amplitude % 64);
        let mut drawn = Secret::zeros(n * count);
        stream.fill_words(&mut drawn);
        self.words.resize(basis.len() * n);
        for (words, q) in self.words.chunks_exact_mut(n).zip(basis.moduli()) {
            let amplitude = q.pow(2, u64::from(log2_amplitude));
            for (word, digits) in words.iter_mut().zip(drawn.chunks_exact(count)) {
                let value = digits.iter().rev().enumerate().fold(0, |value, (place, digit)| {
                    let digit = if place == 0 { digit & highest } else { *digit };
                    q.reduce_wide(u128::from(value) << 64 | u128::from(digit))
                });
                *word = q.sub(value, amplitude);
            }
        }
        self.upload(basis)
    }

    /// A polynomial of given small coefficients, in coefficient domain.
    ///
    /// # Errors
    /// If there are not n of them.
    pub fn small<T: Copy + Into<i64>>(
        &mut self,
        basis: &Basis,
        small: &[T],
    ) -> Result<SecretPoly<&'a D>, RlweError> {
        residues(self.kernel, basis, small, &mut self.words);
        self.upload(basis)
    }

    fn upload(&self, basis: &Basis) -> Result<SecretPoly<&'a D>, RlweError> {
        let poly = self.device.upload(basis, Domain::Coefficient, &self.words)?;
        Ok(SecretPoly::new(self.device, poly))
    }
}

/// Residues of small signed coefficients, limb after limb.
fn residues<T: Copy + Into<i64>>(kernel: Simd, basis: &Basis, small: &[T], words: &mut Secret<Vec<u64>>) {
    words.resize(basis.len() * small.len());
    for (words, q) in words.chunks_exact_mut(small.len()).zip(basis.moduli()) {
        kernel.run(Residues {
            modulus: q.value(),
            small,
            words,
        });
    }
}

/// Residues of small signed coefficients modulo one prime: it is added to negative ones by the mask of their
/// sign, without a branch.
struct Residues<'a, T> {
    modulus: u64,
    small: &'a [T],
    words: &'a mut [u64],
}

impl<T: Copy + Into<i64>> WithSimd for Residues<'_, T> {
    type Output = ();

    // No lanes: a plain loop, which the compiler turns into the kernel's instructions.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        for (word, &x) in self.words.iter_mut().zip(self.small) {
            let x: i64 = x.into();
            *word = (x as u64).wrapping_add(self.modulus & (x >> 63) as u64);
        }
    }
}
