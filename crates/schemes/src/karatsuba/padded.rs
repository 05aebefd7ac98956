use std::sync::{Mutex, MutexGuard, PoisonError};

use ringmill_arith::lanes::Lanes;
use ringmill_arith::{Modulus, Simd, WithSimd};
use ringmill_ring::cyclotomic::Reduction;
use ringmill_ring::{Prepared, Ring, RingError, Transform};

use super::error::expect_len;
use super::parameters::padding;
use super::randomness::accumulate_limbs;
use super::{KaratsubaError, Parameters, Randomness};
use ringmill_arith::secret::Secret;

/// Integers up to this are exact in double precision, with room for rounding.
const EXACT: u32 = 52;

/// Products with a public key by padded transforms modulo each prime of q, so that no reduction of integers is
/// needed, and then the reduction modulo Phi_m.
///
/// A product has 2n - 1 coefficients: 5119 for n = 2560, for which the paper takes 8192 points. With N a power of
/// two and N' a smaller one, x^N + 1 and x^N' + 1 have no common root, and x^N = 1 modulo the second, so that from
/// both rests z and z' the product is z + (x^N + 1) w, w = (z' - z mod x^N' + 1) / 2: 4096 and 1024 points do. The
/// division by two is in the prepared key.
pub struct Padded {
    parameters: Parameters,
    kernel: Simd,
    /// Points of the transforms: one length or two.
    lengths: Vec<usize>,
    /// For each prime the transforms of one or two lengths.
    transforms: Vec<Vec<Transform>>,
    /// Memory of threads, wiped between calls.
    scratches: Mutex<Vec<Scratch>>,
}

/// A polynomial prepared for products: for each prime its transforms, of half of it if there are two.
pub struct PaddedFactor(Vec<Vec<Prepared>>);

impl Padded {
    /// Tables for a set.
    ///
    /// # Errors
    /// [`KaratsubaError::Overflow`] if sums of residues are not exact.
    pub fn new(parameters: &Parameters, kernel: Simd) -> Result<Self, KaratsubaError> {
        let rings = padding(parameters.n())?;
        let moduli = parameters.q().moduli();
        let transforms = moduli.iter().map(|&modulus| {
            let transforms = rings.iter().map(|ring| Transform::new(ring, modulus, kernel));
            transforms.collect::<Result<Vec<_>, _>>()
        });
        let transforms = transforms.collect::<Result<_, _>>()?;
        let lengths: Vec<usize> = rings.iter().map(Ring::n).collect();
        // Half a residue and what rounding adds.
        let bounds = vec![0.51; 2 * parameters.n() - 1];
        let bits = moduli.iter().map(Modulus::bits).max().unwrap_or(0);
        let needed = parameters.reduction().growth(&bounds)?.log2().ceil() as u32 + bits;
        if needed > EXACT {
            return Err(KaratsubaError::Overflow {
                what: "the reduction of a limb",
                needed,
                most: EXACT,
            });
        }
        Ok(Self {
            parameters: parameters.clone(),
            kernel,
            lengths,
            transforms,
            scratches: Mutex::default(),
        })
    }

    /// Prepares a polynomial: residues of its n coefficients, limb after limb.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn prepare(&self, words: &[u64]) -> Result<PaddedFactor, KaratsubaError> {
        let n = self.parameters.n();
        expect_len("words of the polynomial", self.transforms.len() * n, words.len())?;
        let limbs = self.transforms.iter().zip(words.chunks_exact(n));
        let limbs = limbs.map(|(transforms, limb)| {
            let prepared = transforms.iter().zip(&self.lengths).map(|(transform, &length)| {
                let q = transform.modulus();
                let scale = if transforms.len() == 1 {
                    1
                } else {
                    q.value().div_ceil(2)
                };
                let mut values = vec![0; length];
                for (i, &x) in limb.iter().enumerate() {
                    add_wrapped(q, &mut values, i, q.mul(x, scale));
                }
                transform.evaluate(&mut values)?;
                transform.prepare(&values)
            });
            prepared.collect::<Result<Vec<_>, RingError>>()
        });
        Ok(PaddedFactor(limbs.collect::<Result<_, _>>()?))
    }

    /// For each encryption u `key[0]` + e_0 and u `key[1]` + e_1, limb after limb, n canonical residues each: the
    /// product-accumulate of paper 4, table 2. Limbs of all encryptions are shared among the threads of the
    /// current pool.
    ///
    /// # Errors
    /// [`KaratsubaError::WrongLength`].
    pub fn accumulate(
        &self,
        key: &[PaddedFactor; 2],
        randomness: &[Randomness],
        sums: &mut Vec<[Vec<u64>; 2]>,
    ) -> Result<(), KaratsubaError> {
        let limbs = self.transforms.len();
        let result = accumulate_limbs(self.parameters.n(), limbs, randomness, sums, |limb, one, to| {
            let mut scratch = self.lend();
            let factors = [&key[0].0[limb][..], &key[1].0[limb][..]];
            self.limb(limb, factors, one, to, &mut scratch)?;
            self.scratches().push(scratch);
            Ok(())
        });
        self.scratches().iter_mut().for_each(Scratch::wipe);
        result
    }

    /// Memory that no thread uses, old or new.
    fn lend(&self) -> Scratch {
        let waiting = self.scratches().pop();
        waiting.unwrap_or_else(|| Scratch::new(&self.lengths, self.parameters.n()))
    }

    /// A thread that panicked held whole scratches only, so poison means nothing.
    fn scratches(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limb(
        &self,
        limb: usize,
        factors: [&[Prepared]; 2],
        randomness: &Randomness,
        to: [&mut [u64]; 2],
        scratch: &mut Scratch,
    ) -> Result<(), KaratsubaError> {
        let Scratch { values, product, w } = scratch;
        for (i, (transform, [x, y])) in self.transforms[limb].iter().zip(&mut *values).enumerate() {
            if x.len() >= self.parameters.n() {
                let bits = randomness.u.iter().map(|&bit| bit.into());
                for (word, bit) in x.iter_mut().zip(bits.chain(std::iter::repeat(0))) {
                    *word = bit;
                }
            } else {
                wrap(transform.modulus().value(), &randomness.u, x);
            }
            transform.products(x, &[&factors[0][i], &factors[1][i]], &mut [y])?;
        }
        for (part, to) in to.into_iter().enumerate() {
            self.kernel.run(Join {
                modulus: self.transforms[limb][0].modulus().value(),
                long: &values[0][part],
                short: values.get(1).map(|values| &values[part][..]),
                product,
                w,
                reduction: self.parameters.reduction(),
                errors: &randomness.errors[part],
                to,
            })?;
        }
        Ok(())
    }
}

/// What one limb takes, used again for others.
struct Scratch {
    /// For each length both products, u in place of the first before.
    values: Vec<[Secret<Vec<u64>>; 2]>,
    product: Secret<Vec<f64>>,
    w: Secret<Vec<f64>>,
}

impl Scratch {
    fn new(lengths: &[usize], n: usize) -> Self {
        let values = |&length: &usize| [(); 2].map(|()| Secret::zeros(length));
        Self {
            values: lengths.iter().map(values).collect(),
            product: Secret::zeros(2 * n - 1),
            w: Secret::zeros(lengths[lengths.len() - 1]),
        }
    }

    fn wipe(&mut self) {
        self.values.iter_mut().flatten().for_each(Secret::wipe);
        self.product.wipe();
        self.w.wipe();
    }
}

/// A binary polynomial modulo x^N + 1 and p, N the number of values and shorter.
fn wrap(p: u64, u: &[u8], values: &mut [u64]) {
    values.fill(0);
    for (turn, block) in u.chunks(values.len()).enumerate() {
        if turn % 2 == 0 {
            for (value, &bit) in values.iter_mut().zip(block) {
                *value = value.wrapping_add(bit.into());
            }
        } else {
            for (value, &bit) in values.iter_mut().zip(block) {
                *value = value.wrapping_sub(bit.into());
            }
        }
    }
    for value in values {
        // Plus p if negative.
        *value = value.wrapping_add(p & (*value as i64 >> 63) as u64);
    }
}

/// Adds a residue at x^j modulo x^N + 1, N the number of values.
fn add_wrapped(q: &Modulus, values: &mut [u64], j: usize, residue: u64) {
    let (turns, at) = (j / values.len(), j % values.len());
    values[at] = if turns.is_multiple_of(2) {
        q.add(values[at], residue)
    } else {
        q.sub(values[at], residue)
    };
}

/// From the products modulo x^N + 1 (and halves modulo x^N' + 1) to n residues modulo Phi_m, plus errors. In double
/// precision, exact, since that has vector instructions for all of it.
struct Join<'a> {
    modulus: u64,
    long: &'a [u64],
    short: Option<&'a [u64]>,
    product: &'a mut [f64],
    w: &'a mut [f64],
    reduction: &'a Reduction,
    errors: &'a [i32],
    to: &'a mut [u64],
}

/// The bits of 2^52: those of 2^52 + x are these plus x, for an integer x below 2^52.
const MAGIC: u64 = 0x4330_0000_0000_0000;

#[inline(always)]
fn double(x: u64) -> f64 {
    f64::from_bits(x | MAGIC) - f64::from_bits(MAGIC)
}

impl WithSimd for Join<'_> {
    type Output = Result<(), KaratsubaError>;

    // No lanes: plain loops, which the compiler turns into the kernel's instructions.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Self::Output {
        let product = self.product;
        match self.short {
            None => {
                for (to, &x) in product.iter_mut().zip(self.long) {
                    *to = double(x);
                }
            }
            Some(short) => join(self.long, short, self.w, product),
        }
        let p = self.modulus as f64;
        let inverse = 1.0 / p;
        for x in product.iter_mut() {
            *x -= (*x * inverse + 0.5).floor() * p;
        }
        self.reduction.apply(product, 1)?;
        for ((to, x), &e) in self.to.iter_mut().zip(product).zip(self.errors) {
            let x = *x + f64::from(e);
            // The quotient is at most one wrong, and every product and difference exact.
            let rest = x - (x * inverse).floor() * p;
            let rest = if rest < 0.0 { rest + p } else { rest };
            let rest = if rest >= p { rest - p } else { rest };
            *to = (rest + f64::from_bits(MAGIC)).to_bits() ^ MAGIC;
        }
        Ok(())
    }
}

/// z/2 of N and z'/2 of N' coefficients to z + (x^N + 1) w, w = z'/2 - (z/2 mod x^N' + 1): N + N' coefficients, of which the
/// product has as many as it has, of magnitudes below 3 + N/N' residues.
#[inline(always)]
fn join(long: &[u64], short: &[u64], w: &mut [f64], product: &mut [f64]) {
    let (low, high) = product.split_at_mut(long.len());
    for (to, &x) in low.iter_mut().zip(long) {
        *to = 2.0 * double(x);
    }
    for (to, &x) in w.iter_mut().zip(short) {
        *to = double(x);
    }
    for (turn, block) in long.chunks_exact(short.len()).enumerate() {
        if turn % 2 == 0 {
            for (to, &x) in w.iter_mut().zip(block) {
                *to -= double(x);
            }
        } else {
            for (to, &x) in w.iter_mut().zip(block) {
                *to += double(x);
            }
        }
    }
    for (to, &x) in low.iter_mut().zip(w.iter()) {
        *to += x;
    }
    for (to, &x) in high.iter_mut().zip(w.iter()) {
        *to = x;
    }
}
