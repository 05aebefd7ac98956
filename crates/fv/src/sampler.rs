use ringmill_arith::Basis;
use ringmill_arith::sampling::Stream;
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
        residues(basis, &self.small, &mut self.words);
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
            Ring::Negacyclic(_) => residues(basis, &self.gaussians, &mut self.words),
            _ => {
                let full = self.gaussians.iter().map(|&x| i64::from(x)).collect();
                let full: Zeroizing<Vec<i64>> = Zeroizing::new(full);
                residues(basis, &Zeroizing::new(ring.fold(&full)?), &mut self.words);
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

/// Residues of small signed coefficients, limb after limb: q is added to negative ones by the mask of
/// their sign, without a branch.
pub(crate) fn residues<T: Copy + Into<i64>>(basis: &Basis, small: &[T], words: &mut [u64]) {
    for (limb, q) in words.chunks_exact_mut(small.len()).zip(basis.moduli()) {
        for (word, &x) in limb.iter_mut().zip(small) {
            let x: i64 = x.into();
            *word = (x as u64).wrapping_add(q.value() & (x >> 63) as u64);
        }
    }
}
