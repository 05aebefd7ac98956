use ringmill_arith::lanes::Lanes;
use ringmill_arith::sampling::Stream;
use ringmill_arith::{Basis, Task};
use ringmill_device::Device;
use ringmill_ring::{Domain, Ring};
use zeroize::Zeroizing;

use crate::scaling::Scaling;
use crate::{Context, FvError, Plaintext};

/// Draws the small polynomials of keys and encryptions from a stream. Its memory serves one after the
/// other and is wiped in the end.
pub(crate) struct Sampler<'a, D: Device> {
    context: &'a Context<D>,
    small: Zeroizing<Vec<i8>>,
    gaussians: Zeroizing<Vec<i32>>,
    words: Zeroizing<Vec<u64>>,
}

impl<'a, D: Device> Sampler<'a, D> {
    pub fn new(context: &'a Context<D>) -> Self {
        Self {
            context,
            small: Zeroizing::default(),
            gaussians: Zeroizing::default(),
            words: Zeroizing::default(),
        }
    }

    /// A polynomial of the distribution of secrets, in coefficient domain.
    pub fn secret(&mut self, stream: &mut Stream, basis: &Basis) -> Result<D::Poly, FvError> {
        let n = self.context.n();
        self.small.resize(n, 0);
        self.context.draw_secret(stream, &mut self.small);
        self.words.resize(basis.len() * n, 0);
        self.context.residues(basis, &self.small, &mut self.words);
        self.upload(basis)
    }

    /// A spherical error, in coefficient domain, plus round(q m/t) for a message m.
    pub fn error(
        &mut self,
        stream: &mut Stream,
        basis: &Basis,
        message: Option<(&Scaling, &Plaintext)>,
    ) -> Result<D::Poly, FvError> {
        let (n, ring) = (self.context.n(), self.context.parameters.ring());
        self.gaussians.resize(ring.unfolded_len(), 0);
        self.context.gaussian().sample(stream, &mut self.gaussians);
        self.words.resize(basis.len() * n, 0);
        match ring {
            Ring::Negacyclic(_) => self.context.residues(basis, &self.gaussians, &mut self.words),
            _ => {
                let full = self.gaussians.iter().map(|&x| i64::from(x)).collect();
                let full: Zeroizing<Vec<i64>> = Zeroizing::new(full);
                self.context
                    .residues(basis, &Zeroizing::new(ring.fold(&full)?), &mut self.words);
            }
        }
        if let Some((scaling, message)) = message {
            scaling.add_all(message.coefficients(), &mut self.words);
        }
        self.upload(basis)
    }

    fn upload(&self, basis: &Basis) -> Result<D::Poly, FvError> {
        Ok(self
            .context
            .device
            .upload(basis, Domain::Coefficient, &self.words)?)
    }
}

/// Residues of small signed coefficients modulo one prime: it is added to negative ones by the mask of their
/// sign, without a branch.
pub(crate) struct Residues<'a, T> {
    pub modulus: u64,
    pub small: &'a [T],
    pub words: &'a mut [u64],
}

impl<T: Copy + Into<i64>> Task for Residues<'_, T> {
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
