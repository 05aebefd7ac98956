use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;

use super::error::expect_len;
use super::{Ciphertext, KaratsubaError, PublicKey, Randomness, Scheme};

/// Integers of three 64-bit words, lowest first: the n residues modulo q of a public polynomial, or the coefficients of a
/// product, 2n - 1 of them.
type Integer = [u64; 3];

/// Computes products elsewhere: of a public polynomial, n integers below q, with some polynomials of n bits. Gives for each
/// the words of at least 2n - 1 coefficients, not reduced; what is beyond is ignored.
pub type Multiply<'a, E> = dyn FnMut(&[Integer], &[&[u8]]) -> Result<Vec<Secret<Vec<u64>>>, E> + 'a;

/// Computes encryptions' sums elsewhere: of a public polynomial, n integers below q, times a polynomial of n bits, plus n
/// errors, modulo Phi_m and q, for some pairs of bits and errors. Gives the words of n residues modulo q for each.
pub type Accumulate<'a, E> =
    dyn FnMut(&[Integer], &[(&[u8], &[i32])]) -> Result<Vec<Secret<Vec<u64>>>, E> + 'a;

/// Computes the residues, limb after limb, of such sums.
type Offload<'a, E> = dyn FnMut(&[Integer], &[(&[u8], &[i32])]) -> Result<Vec<Vec<u64>>, E> + 'a;

impl Scheme {
    /// Encrypts with products that are computed elsewhere, on a machine, with the randomness of these secret seeds, one for
    /// each message; a seed must not serve twice. The ciphertexts are those of [`super::Encryptor::encrypt_with`].
    ///
    /// `multiply` gets up to `at_once` binary polynomials at a time.
    ///
    /// # Errors
    /// As [`super::Encryptor::encrypt`], [`KaratsubaError::WrongLength`] for other lengths and numbers, and those of
    /// `multiply`.
    pub fn encrypt_by<E: From<KaratsubaError>>(
        &self,
        key: &PublicKey,
        messages: &[&[bool]],
        seeds: &[Seed],
        at_once: usize,
        multiply: &mut Multiply<'_, E>,
    ) -> Result<Vec<Ciphertext>, E> {
        self.offload(key, messages, seeds, &mut |integers, pairs| {
            let mut sums = Vec::with_capacity(pairs.len());
            for group in pairs.chunks(at_once.max(1)) {
                let polynomials: Vec<&[u8]> = group.iter().map(|&(u, _)| u).collect();
                let products = multiply(integers, &polynomials)?;
                expect_len("products", group.len(), products.len())?;
                for (&(_, errors), product) in group.iter().zip(&products) {
                    sums.push(self.finish(product, errors)?);
                }
            }
            Ok(sums)
        })
    }

    /// The same with sums that are computed elsewhere, all encryptions' with one polynomial of the key at a time.
    ///
    /// # Errors
    /// As [`Scheme::encrypt_by`].
    pub fn encrypt_by_sums<E: From<KaratsubaError>>(
        &self,
        key: &PublicKey,
        messages: &[&[bool]],
        seeds: &[Seed],
        accumulate: &mut Accumulate<'_, E>,
    ) -> Result<Vec<Ciphertext>, E> {
        let n = self.parameters.n();
        self.offload(key, messages, seeds, &mut |integers, pairs| {
            let sums = accumulate(integers, pairs)?;
            expect_len("sums", pairs.len(), sums.len())?;
            let residues = sums.iter().map(|sum| {
                let coefficients = sum.as_chunks::<3>().0;
                expect_len("coefficients of a sum", n, coefficients.len())?;
                Ok(self.residues.residues(coefficients))
            });
            Ok(residues.collect::<Result<_, KaratsubaError>>()?)
        })
    }

    /// Ciphertexts of the residues that come for each polynomial of the key, with all pairs of bits and errors.
    fn offload<E: From<KaratsubaError>>(
        &self,
        key: &PublicKey,
        messages: &[&[bool]],
        seeds: &[Seed],
        residues_of: &mut Offload<'_, E>,
    ) -> Result<Vec<Ciphertext>, E> {
        self.expect("the public key", &key.parameters)?;
        expect_len("seeds", messages.len(), seeds.len())?;
        let n = self.parameters.n();
        let randomness: Vec<_> = seeds
            .iter()
            .map(|seed| Randomness::new(n, &self.gaussian, seed))
            .collect();
        let mut sums_with = |part: usize, residues: &[u64]| {
            let integers: Vec<Integer> = (0..n).map(|i| self.residues.words(residues, i)).collect();
            let pairs: Vec<(&[u8], &[i32])> = randomness
                .iter()
                .map(|one| (&one.u[..], &one.errors[part][..]))
                .collect();
            residues_of(&integers, &pairs)
        };
        let (first, second) = (sums_with(0, &key.b)?, sums_with(1, &key.a)?);
        let sums = first.into_iter().zip(second).map(|(b, a)| [b, a]);
        Ok(self.with_messages(sums.collect(), messages)?)
    }

    /// A product modulo Phi_m plus errors, as residues, limb after limb.
    fn finish(&self, product: &[u64], errors: &[i32]) -> Result<Vec<u64>, KaratsubaError> {
        let (n, moduli) = (self.parameters.n(), self.parameters.q().moduli());
        let coefficients = product.as_chunks::<3>().0;
        expect_len(
            "coefficients of a product",
            coefficients.len().max(2 * n - 1),
            coefficients.len(),
        )?;
        let residues = self.residues.residues(&coefficients[..2 * n - 1]);
        let mut sums = Vec::with_capacity(n * moduli.len());
        for (q, limb) in moduli.iter().zip(residues.chunks_exact(2 * n - 1)) {
            // Sums stay far below 2^52: Padded has checked it.
            let mut words = Secret::collect(limb.iter().map(|&word| word as i64));
            self.parameters.reduction().apply(&mut words, 1)?;
            let modulus = q.value() as i64;
            sums.extend(
                words
                    .iter()
                    .zip(errors)
                    .map(|(&word, &error)| (word + i64::from(error)).rem_euclid(modulus) as u64),
            );
        }
        Ok(sums)
    }
}
