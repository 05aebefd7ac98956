use ringmill_arith::prime::is_prime;
use ringmill_arith::secret::Secret;
use ringmill_arith::{Modulus, Simd};
use ringmill_device::Device;
use ringmill_ring::{Ring, Transform};

use crate::{Context, FvError, Plaintext};

/// Generates, with -1, the units modulo 2n.
const GENERATOR: u64 = 3;

/// Integers modulo t in the n slots of Z\[x\]/(x^n + 1), t a prime = 1 modulo 2n: two rows of n/2, in the
/// order of SEAL's batch encoder.
///
/// x^n + 1 splits into linear factors modulo t, and slot i holds the value at psi^(3^i) for i < n/2 (the
/// first row), at psi^(-3^(i - n/2)) for the others (the second row), psi being
/// [`ringmill_arith::prime::root_of_unity`] of t of order 2n. So x -> x^3 moves both rows by one slot to the
/// left, round, and x -> x^(2n - 1) exchanges them.
pub(crate) struct IntegerSlots {
    transform: Transform,
    /// The position of each slot in evaluation domain.
    positions: Vec<u32>,
}

impl IntegerSlots {
    /// The slots of a ring; `None` if it has none for this t.
    pub fn new(ring: &Ring, t: u64, kernel: Simd) -> Result<Option<Self>, FvError> {
        let Ring::Negacyclic(negacyclic) = ring else {
            return Ok(None);
        };
        if t % ring.conductor() != 1 || !is_prime(t) {
            return Ok(None);
        }
        let (n, order) = (ring.n(), ring.conductor());
        let powers = std::iter::successors(Some(1), |e| Some(e * GENERATOR % order));
        let first: Vec<u64> = powers.take(n / 2).collect();
        let exponents = first.iter().copied().chain(first.iter().map(|e| order - e));
        // Powers of 3 and their negatives are odd.
        let positions = exponents.filter_map(|e| Some(negacyclic.position_of(e)? as u32));
        Ok(Some(Self {
            transform: Transform::new(ring, Modulus::new(t)?, kernel)?,
            positions: positions.collect(),
        }))
    }
}

impl<D: Device> Context<D> {
    /// A plaintext with these integers, below t, in its first slots and 0 in the others.
    ///
    /// There are n slots, two rows of n/2 in the order of SEAL's batch encoder: the automorphism x -> x^3
    /// moves both rows by one slot to the left, round (x -> x^(3^k) by k), and x -> x^(2n - 1) exchanges them.
    ///
    /// # Errors
    /// [`FvError::NoIntegerSlots`] unless the ring is x^n + 1 and t a prime = 1 modulo 2n;
    /// [`FvError::TooManyIntegers`], [`FvError::PlaintextOutOfRange`].
    pub fn encode_integers(&self, integers: &[u64]) -> Result<Plaintext, FvError> {
        let (slots, n, t) = (self.integer_slots()?, self.n(), self.parameters.t());
        if integers.len() > n {
            return Err(FvError::TooManyIntegers {
                got: integers.len(),
                slots: n,
            });
        }
        if let Some(index) = integers.iter().position(|&x| x >= t) {
            let value = integers[index];
            return Err(FvError::PlaintextOutOfRange { index, value, t });
        }
        let mut words = vec![0; n];
        for (&x, &position) in integers.iter().zip(&slots.positions) {
            words[position as usize] = x;
        }
        slots.transform.interpolate(&mut words)?;
        Ok(Plaintext::new(words, t)?)
    }

    /// The integers in all slots of a plaintext, in the order of [`Context::encode_integers`].
    ///
    /// # Errors
    /// [`FvError::NoIntegerSlots`]; [`FvError::WrongPlaintext`].
    pub fn decode_integers(&self, plaintext: &Plaintext) -> Result<Vec<u64>, FvError> {
        let slots = self.integer_slots()?;
        self.require_plaintext(plaintext)?;
        let mut words = Secret::copy_of(plaintext.coefficients());
        slots.transform.evaluate(&mut words)?;
        let values = slots.positions.iter().map(|&position| words[position as usize]);
        Ok(values.collect())
    }

    fn integer_slots(&self) -> Result<&IntegerSlots, FvError> {
        self.integers().ok_or_else(|| FvError::NoIntegerSlots {
            name: self.parameters.name().to_owned(),
        })
    }
}
