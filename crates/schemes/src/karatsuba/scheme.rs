use num_bigint::BigInt;
use num_traits::ToPrimitive;
use ringmill_arith::Simd;
use ringmill_arith::sampling::{Gaussian, Seed, Stream, uniform};
use ringmill_ring::cyclotomic::Batching;
use ringmill_rlwe::Scaling;

use super::error::expect_len;
use super::randomness::{binary, error};
use super::residues::Residues;
use super::{
    ChunkedKey, Ciphertext, Karatsuba, KaratsubaError, Padded, PaddedFactor, Parameters, PublicKey,
    Randomness, SecretKey,
};
use ringmill_arith::secret::Secret;

/// How products with the public key are computed. Both give the same ciphertexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`Karatsuba`].
    Karatsuba,
    /// [`Padded`].
    Padded,
}

/// FV encryption with a bit in each slot over a set of this family. Insecure: see [`super::warning`].
pub struct Scheme {
    pub(super) parameters: Parameters,
    kernel: Simd,
    padded: Padded,
    batching: Batching,
    pub(super) gaussian: Gaussian,
    pub(super) residues: Residues,
    scaling: Scaling,
}

/// A public key made ready to encrypt with, by one method.
pub struct Encryptor<'a> {
    scheme: &'a Scheme,
    key: Key,
}

enum Key {
    Karatsuba(Box<Karatsuba>, ChunkedKey),
    Padded([PaddedFactor; 2]),
}

impl Scheme {
    /// Tables for a set.
    ///
    /// # Errors
    /// If the ring does not batch, or a limb's sums are not exact.
    pub fn new(parameters: &Parameters, kernel: Simd) -> Result<Self, KaratsubaError> {
        Ok(Self {
            parameters: parameters.clone(),
            kernel,
            padded: Padded::new(parameters, kernel)?,
            batching: Batching::new(parameters.ring())?,
            gaussian: Gaussian::with_kernel(parameters.sigma(), kernel)?,
            residues: Residues::new(parameters.q()),
            scaling: Scaling::new(parameters.q(), 2, kernel),
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Bits that a ciphertext holds.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.batching.slots()
    }

    /// A new key pair, from the operating system's randomness.
    ///
    /// # Errors
    /// [`KaratsubaError::Arith`] if that fails.
    pub fn generate_keys(&self) -> Result<(SecretKey, PublicKey), KaratsubaError> {
        self.keys_of(&Seed::random()?, Seed::random()?)
    }

    /// The key pair of a secret seed and a public one.
    pub(super) fn keys_of(
        &self,
        secret: &Seed,
        public: Seed,
    ) -> Result<(SecretKey, PublicKey), KaratsubaError> {
        let n = self.parameters.n();
        let s = self.secret_key(binary(n, &secret.derive("secret key", 0)));
        let a = self.expand(&public);
        // a s + e by the products of an encryption, with the key's a for the public key and s for u.
        let randomness = Randomness {
            u: s.coefficients.clone(),
            errors: [
                error(n, &self.gaussian, &secret.derive("public key", 0)),
                Secret::zeros(n),
            ],
        };
        let factors = [self.padded.prepare(&a)?, self.padded.prepare(&a)?];
        let mut sums = Vec::new();
        self.padded.accumulate(&factors, &[randomness], &mut sums)?;
        let mut b = Vec::with_capacity(a.len());
        for [sum, _] in &sums {
            for (q, limb) in self.parameters.q().moduli().iter().zip(sum.chunks_exact(n)) {
                b.extend(limb.iter().map(|&x| q.neg(x)));
            }
        }
        let key = PublicKey {
            parameters: self.parameters.clone(),
            seed: public,
            b,
            a,
        };
        Ok((s, key))
    }

    pub(super) fn secret_key(&self, coefficients: Secret<Vec<u8>>) -> SecretKey {
        SecretKey {
            parameters: self.parameters.clone(),
            coefficients,
        }
    }

    /// The uniform polynomial of a public seed: limb i from the seed derived with label `limb` and index i.
    pub(super) fn expand(&self, seed: &Seed) -> Vec<u64> {
        let n = self.parameters.n();
        let mut words = vec![0; n * self.parameters.q().len()];
        let limbs = self.parameters.q().moduli().iter().zip(words.chunks_exact_mut(n));
        for ((q, limb), i) in limbs.zip(0..) {
            uniform(&mut Stream::new(&seed.derive("limb", i)), q, limb);
        }
        words
    }

    /// Prepares a public key for encryptions.
    ///
    /// # Errors
    /// [`KaratsubaError::ParameterMismatch`]; [`KaratsubaError::Overflow`] if the set is not one for the method.
    pub fn encryptor(&self, key: &PublicKey, method: Method) -> Result<Encryptor<'_>, KaratsubaError> {
        self.expect("the public key", &key.parameters)?;
        let key = match method {
            Method::Karatsuba => {
                let karatsuba = Karatsuba::new(&self.parameters, self.kernel)?;
                let chunked = karatsuba.prepare([&key.b, &key.a])?;
                Key::Karatsuba(Box::new(karatsuba), chunked)
            }
            Method::Padded => Key::Padded([self.padded.prepare(&key.b)?, self.padded.prepare(&key.a)?]),
        };
        Ok(Encryptor { scheme: self, key })
    }

    /// The bits in all slots of a ciphertext.
    ///
    /// # Errors
    /// [`KaratsubaError::ParameterMismatch`]; [`ringmill_ring::RingError::NotABit`] if slots hold no bits: the key is
    /// wrong or the ciphertext damaged.
    pub fn decrypt(&self, key: &SecretKey, ciphertext: &Ciphertext) -> Result<Vec<bool>, KaratsubaError> {
        let (plaintext, _) = self.scaling.round(self.phase(key, ciphertext)?);
        let mut words = Secret::<Vec<u64>>::zeros(self.parameters.n().div_ceil(64));
        for (i, bit) in plaintext.coefficients().iter().enumerate() {
            words[i / 64] |= bit << (i % 64);
        }
        Ok(self.batching.decode(&words)?)
    }

    /// The noise of a ciphertext of these bits: in each coefficient what is left of c_0 + c_1 s when the message is
    /// taken off, centred.
    ///
    /// # Errors
    /// As [`Scheme::decrypt`]; [`ringmill_ring::RingError::TooManyBits`].
    pub fn noise(
        &self,
        key: &SecretKey,
        ciphertext: &Ciphertext,
        bits: &[bool],
    ) -> Result<Vec<f64>, KaratsubaError> {
        let message = self.batching.encode(bits)?;
        let phase = self.phase(key, ciphertext)?;
        let q = BigInt::from(self.parameters.q().product());
        let delta: BigInt = &q >> 1;
        let noise = (0..self.parameters.n()).map(|i| {
            let x = self.residues.centred(&phase, i);
            let bit = message[i / 64] >> (i % 64) & 1;
            let mut noise = x - bit * &delta;
            if &noise + &noise < -&q {
                noise += &q;
            }
            noise.to_f64().unwrap_or(f64::MAX)
        });
        Ok(noise.collect())
    }

    /// c_0 + c_1 s: residues, limb after limb.
    fn phase(&self, key: &SecretKey, ciphertext: &Ciphertext) -> Result<Secret<Vec<u64>>, KaratsubaError> {
        self.expect("the secret key", &key.parameters)?;
        self.expect("the ciphertext", &ciphertext.parameters)?;
        let n = self.parameters.n();
        let randomness = Randomness {
            u: key.coefficients.clone(),
            errors: [Secret::zeros(n), Secret::zeros(n)],
        };
        let [c0, c1] = &ciphertext.parts;
        let factors = [self.padded.prepare(c1)?, self.padded.prepare(c1)?];
        let mut sums = Vec::new();
        self.padded.accumulate(&factors, &[randomness], &mut sums)?;
        let mut sums = sums.into_iter().flatten().map(Secret::from);
        // Both sums are the same.
        let mut phase = sums.next().unwrap_or_default();
        let limbs = phase.chunks_exact_mut(n).zip(c0.chunks_exact(n));
        for (q, (sum, c0)) in self.parameters.q().moduli().iter().zip(limbs) {
            sum.iter_mut().zip(c0).for_each(|(x, &y)| *x = q.add(*x, y));
        }
        sums.for_each(drop);
        Ok(phase)
    }

    /// Ciphertexts: sums with floor(q / 2) times the messages.
    pub(super) fn with_messages(
        &self,
        sums: Vec<[Vec<u64>; 2]>,
        messages: &[&[bool]],
    ) -> Result<Vec<Ciphertext>, KaratsubaError> {
        let (n, delta) = (self.parameters.n(), self.parameters.delta());
        let ciphertexts = sums.into_iter().zip(messages).map(|([mut c0, c1], bits)| {
            let message = Secret::from(self.batching.encode(bits)?);
            let limbs = self.parameters.q().moduli().iter().zip(c0.chunks_exact_mut(n));
            for ((q, limb), delta) in limbs.zip(&delta) {
                for (i, word) in limb.iter_mut().enumerate() {
                    let mask = (message[i / 64] >> (i % 64) & 1).wrapping_neg();
                    let sum = *word + (delta & mask);
                    *word = sum.min(sum.wrapping_sub(q.value()));
                }
            }
            Ok(Ciphertext {
                parameters: self.parameters.clone(),
                parts: [c0, c1],
            })
        });
        ciphertexts.collect()
    }

    pub(super) fn expect(&self, what: &'static str, parameters: &Parameters) -> Result<(), KaratsubaError> {
        if parameters.hash() == self.parameters.hash() {
            return Ok(());
        }
        Err(KaratsubaError::ParameterMismatch { what })
    }
}

impl Encryptor<'_> {
    /// Encrypts messages, a bit for each slot; slots without one hold 0. Any number of them; Karatsuba's method does up
    /// to four together.
    ///
    /// # Errors
    /// [`ringmill_ring::RingError::TooManyBits`]; [`KaratsubaError::Arith`] without randomness.
    pub fn encrypt(&self, messages: &[&[bool]]) -> Result<Vec<Ciphertext>, KaratsubaError> {
        let seeds = messages.iter().map(|_| Seed::random());
        self.encrypt_with(messages, &seeds.collect::<Result<Vec<_>, _>>()?)
    }

    /// Encrypts with the randomness of these secret seeds, one for each message; a seed must not serve twice.
    ///
    /// # Errors
    /// As [`Encryptor::encrypt`]; [`KaratsubaError::WrongLength`] for another number of seeds.
    pub fn encrypt_with(
        &self,
        messages: &[&[bool]],
        seeds: &[Seed],
    ) -> Result<Vec<Ciphertext>, KaratsubaError> {
        expect_len("seeds", messages.len(), seeds.len())?;
        let scheme = self.scheme;
        let n = scheme.parameters.n();
        let draw = |seed| Randomness::new(n, &scheme.gaussian, seed);
        let sums = self.accumulate(&seeds.iter().map(draw).collect::<Vec<_>>())?;
        scheme.with_messages(sums, messages)
    }

    /// Both sums of each encryption as residues.
    fn accumulate(&self, randomness: &[Randomness]) -> Result<Vec<[Vec<u64>; 2]>, KaratsubaError> {
        match &self.key {
            Key::Padded(factors) => {
                let mut sums = Vec::new();
                self.scheme.padded.accumulate(factors, randomness, &mut sums)?;
                Ok(sums)
            }
            Key::Karatsuba(karatsuba, key) => {
                let threads = rayon::current_num_threads().min(randomness.len()).max(1);
                let mut workspaces: Vec<_> = (0..threads).map(|_| karatsuba.workspace()).collect();
                let sums = karatsuba.accumulate(key, randomness, &mut workspaces)?;
                let residues = sums
                    .iter()
                    .map(|parts| [0, 1].map(|part| karatsuba.residues(&parts[part])));
                Ok(residues.collect())
            }
        }
    }
}
