use ringmill_arith::{Basis, Simd};
use ringmill_ring::{FermatRing, Prepared, Transform};

use super::error::expect_len;
use super::randomness::accumulate_limbs;
use super::{KaratsubaError, Randomness};

/// The same job in a Fermat ring: n a power of two, bits in n/16 slots, and a transform that reduces modulo Phi_d by
/// itself. For comparison with the others; encryption in this ring is that of `ringmill-fv`.
pub struct Fermat {
    ring: FermatRing,
    basis: Basis,
    transforms: Vec<Transform>,
}

/// A polynomial prepared for products, for each prime.
pub struct FermatFactor(Vec<Prepared>);

impl Fermat {
    /// The ring of dimension n, with the `limbs` largest primes of at most `bits` bits that it can use.
    ///
    /// # Errors
    /// If there are no such ring or primes.
    pub fn new(n: usize, bits: u32, limbs: usize, kernel: Simd) -> Result<Self, KaratsubaError> {
        let ring = FermatRing::new(n)?;
        let moduli = ring.primes(1 << bits, limbs, &[])?;
        let transforms = moduli
            .iter()
            .map(|&q| Transform::new(&ring.clone().into(), q, kernel));
        Ok(Self {
            transforms: transforms.collect::<Result<_, _>>()?,
            basis: Basis::new(&moduli)?,
            ring,
        })
    }

    /// The ring.
    #[must_use]
    pub fn ring(&self) -> &FermatRing {
        &self.ring
    }

    /// The primes of q.
    #[must_use]
    pub fn q(&self) -> &Basis {
        &self.basis
    }

    /// Prepares a polynomial: residues of its n coefficients in the normal basis, limb after limb.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn prepare(&self, words: &[u64]) -> Result<FermatFactor, KaratsubaError> {
        let n = self.ring.n();
        expect_len("words of the polynomial", n * self.transforms.len(), words.len())?;
        let limbs = self
            .transforms
            .iter()
            .zip(words.chunks_exact(n))
            .map(|(transform, limb)| {
                let mut values = limb.to_vec();
                transform.evaluate(&mut values)?;
                transform.prepare(&values)
            });
        Ok(FermatFactor(limbs.collect::<Result<_, _>>()?))
    }

    /// For each encryption u `key[0]` + e_0 and u `key[1]` + e_1 in the normal basis, limb after limb, n canonical
    /// residues each, as [`super::Padded::accumulate`].
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn accumulate(
        &self,
        key: &[FermatFactor; 2],
        randomness: &[Randomness],
        sums: &mut Vec<[Vec<u64>; 2]>,
    ) -> Result<(), KaratsubaError> {
        accumulate_limbs(
            self.ring.n(),
            self.transforms.len(),
            randomness,
            sums,
            |limb, one, to| self.limb(limb, [&key[0].0[limb], &key[1].0[limb]], one, to),
        )
    }

    fn limb(
        &self,
        limb: usize,
        factors: [&Prepared; 2],
        randomness: &Randomness,
        [x, y]: [&mut [u64]; 2],
    ) -> Result<(), KaratsubaError> {
        for (word, &bit) in x.iter_mut().zip(&*randomness.u) {
            *word = bit.into();
        }
        self.transforms[limb].products(x, &factors, &mut [&mut *y])?;
        let p = self.basis.moduli()[limb].value();
        for (to, errors) in [x, y].into_iter().zip(&randomness.errors) {
            for (word, &e) in to.iter_mut().zip(&**errors) {
                // e + p if e is negative, without a branch.
                let e = (e as i64 as u64).wrapping_add(p & (e >> 31) as i64 as u64);
                let sum = *word + e;
                *word = sum.min(sum.wrapping_sub(p));
            }
        }
        Ok(())
    }
}
