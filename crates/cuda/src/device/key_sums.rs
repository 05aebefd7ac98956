//! Sums of digits times the elements of a switching key, for key switching and rotations.

use num_bigint::BigUint;
use ringmill_arith::{Basis, Modulus};
use ringmill_device::{DeviceError, Digits, Pair};
use ringmill_ring::Domain;
use zerocopy::{Immutable, IntoBytes};

use super::automorphism::Map;
use super::conversion::Missing;
use super::linear::THREADS;
use super::store::Task;
use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most digits, and addends of a side, in a launch: as in `kernels/keys.cuh`.
const MOST_ELEMENTS: usize = 40;
const MOST_ADDENDS: usize = 16;

/// `KeySumParameters` in `kernels/keys.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct KeySumParameters {
    digits: [Address; MOST_ELEMENTS],
    keys: [[Address; MOST_ELEMENTS]; 2],
    places: [[Address; MOST_ELEMENTS]; 2],
    addends: [[Address; MOST_ADDENDS]; 2],
    results: [Address; 2],
    primes: Address,
    raise: Address,
    scale: Address,
    n: u64,
    map: Map,
    count: u32,
    addend_counts: [u32; 2],
    addend_limbs: u32,
    goes_on: u32,
    unused: u32,
}

layout! {
    "kernels/keys.cuh": KeySumParameters { digits, keys, places, addends, results, primes, raise, scale, n, map, count, addend_counts, addend_limbs, goes_on, unused }
}

/// Polynomials that are added to both sides.
pub(super) type Addends<'a> = [Vec<&'a CudaPoly>; 2];

/// A digit and both halves of its element on the GPU, with the places of their limbs.
struct Term {
    digit: Address,
    keys: [Address; 2],
    places: [Address; 2],
}

/// The key switching of a ciphertext.
pub(super) struct Switch<'a> {
    /// The primes of the polynomial whose digits are used, and of all addends.
    pub(super) basis: &'a Basis,
    pub(super) digits: &'a Digits,
    /// The elements of the key, one for each digit.
    pub(super) elements: &'a [&'a Pair<CudaPoly>],
    /// The product of the primes that the sums have beside those of the digits: 1 but in a relinearization.
    pub(super) further: BigUint,
}

impl Switch<'_> {
    /// What addends are multiplied with: the product of the special primes and the further ones.
    fn raise(&self) -> BigUint {
        match self.digits {
            Digits::Limbs { special, .. } => special
                .moduli()
                .iter()
                .map(Modulus::value)
                .fold(self.further.clone(), |product, p| product * p),
            Digits::BaseTwo { .. } => self.further.clone(),
        }
    }
}

impl CudaDevice {
    /// Makes both sums of digits times key elements and of P times the addends, all in evaluation domain and
    /// moved by an automorphism.
    ///
    /// # Errors
    /// Errors arise if the GPU fails.
    pub(super) fn key_sums(
        &self,
        switch: &Switch<'_>,
        parts: &[CudaPoly],
        addends: &Addends<'_>,
        map: Map,
    ) -> Result<Pair<CudaPoly>, DeviceError> {
        let extended = switch.digits.extended(switch.basis)?;
        let mut task = self.store.task();
        let terms = self.key_terms(&mut task, &extended, parts, switch)?;
        let sums = (
            self.allocate(&extended, Domain::Evaluation)?,
            self.allocate(&extended, Domain::Evaluation)?,
        );
        let mut parameters = self.key_sum(&mut task, switch, &extended, &sums)?;
        parameters.map = map;
        self.launch_key_sums(&mut task, extended.len(), parameters, &terms, addends)?;
        Ok(sums)
    }

    /// Adds digits times key elements, multiplied with the further primes, and the raised addends to sums in evaluation
    /// domain, of which the primes of the digits are the first.
    pub(super) fn add_key_sums(
        &self,
        switch: &Switch<'_>,
        parts: &[CudaPoly],
        addends: &Addends<'_>,
        sums: &Pair<CudaPoly>,
    ) -> Result<(), DeviceError> {
        let extended = switch.digits.extended(switch.basis)?;
        let mut task = self.store.task();
        let terms = self.key_terms(&mut task, &extended, parts, switch)?;
        let mut parameters = self.key_sum(&mut task, switch, &extended, sums)?;
        parameters.scale = self.ratio((&switch.further, &BigUint::from(1u32)), &extended)?;
        parameters.goes_on = 1;
        self.launch_key_sums(&mut task, extended.len(), parameters, &terms, addends)
    }

    /// All digits over `extended` with their elements.
    fn key_terms(
        &self,
        task: &mut Task,
        extended: &Basis,
        parts: &[CudaPoly],
        switch: &Switch<'_>,
    ) -> Result<Vec<Term>, DeviceError> {
        let pairs = parts.iter().zip(switch.elements);
        pairs
            .map(|(part, element)| self.key_term(task, extended, part, element))
            .collect()
    }

    /// Adds the raised addends to both sums, all in one domain.
    pub(super) fn add_raised(
        &self,
        switch: &Switch<'_>,
        sums: &Pair<CudaPoly>,
        addends: &Addends<'_>,
    ) -> Result<(), DeviceError> {
        if addends.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let mut task = self.store.task();
        let mut parameters = self.key_sum(&mut task, switch, sums.0.basis(), sums)?;
        parameters.goes_on = 1;
        self.launch_key_sums(&mut task, switch.basis.len(), parameters, &[], addends)
    }

    /// Combines a digit over `extended` with its element.
    fn key_term(
        &self,
        task: &mut Task,
        extended: &Basis,
        part: &CudaPoly,
        (b, a): &Pair<CudaPoly>,
    ) -> Result<Term, DeviceError> {
        let places = |half: &CudaPoly| self.places(extended, half.basis(), Missing::Refused);
        Ok(Term {
            digit: task.read(part.words())?,
            keys: [task.read(b.words())?, task.read(a.words())?],
            places: [places(b)?, places(a)?],
        })
    }

    /// Prepares a launch without terms and addends.
    fn key_sum(
        &self,
        task: &mut Task,
        switch: &Switch<'_>,
        extended: &Basis,
        (first, second): &Pair<CudaPoly>,
    ) -> Result<KeySumParameters, DeviceError> {
        Ok(KeySumParameters {
            digits: [0; MOST_ELEMENTS],
            keys: [[0; MOST_ELEMENTS]; 2],
            places: [[0; MOST_ELEMENTS]; 2],
            addends: [[0; MOST_ADDENDS]; 2],
            results: [task.write(first.words())?, task.write(second.words())?],
            primes: self.primes.of(&self.store, extended)?.address(),
            raise: self.ratio((&switch.raise(), &BigUint::from(1u32)), switch.basis)?,
            scale: 0,
            n: self.n() as u64,
            map: Map::IDENTITY,
            count: 0,
            addend_counts: [0; 2],
            addend_limbs: switch.basis.len() as u32,
            goes_on: 0,
            unused: 0,
        })
    }

    /// Runs the launch on the first `limbs` limbs with all terms and addends, in as few launches as their
    /// parameters allow.
    fn launch_key_sums(
        &self,
        task: &mut Task,
        limbs: usize,
        mut parameters: KeySumParameters,
        mut terms: &[Term],
        addends: &Addends<'_>,
    ) -> Result<(), DeviceError> {
        let [mut left, mut right] = addends.each_ref().map(Vec::as_slice);
        let grid = [self.n().div_ceil(THREADS), limbs, 1];
        loop {
            terms = parameters.set_terms(terms);
            left = parameters.set_addends(task, 0, left)?;
            right = parameters.set_addends(task, 1, right)?;
            // SAFETY: the structure is the kernel's; digits and results have n words for each limb of the extended
            // basis, addends for each of its first ones, and keys for each of the places; primes, places and factors
            // live as long as the device.
            unsafe { task.launch(&self.entry("key_sum"), grid, THREADS as u32, &parameters)? };
            parameters.goes_on = 1;
            if terms.is_empty() && left.is_empty() && right.is_empty() {
                return Ok(());
            }
        }
    }
}

impl KeySumParameters {
    /// Sets as many terms as there is room for, and returns the others.
    fn set_terms<'a>(&mut self, terms: &'a [Term]) -> &'a [Term] {
        let (now, later) = terms.split_at(terms.len().min(MOST_ELEMENTS));
        for (k, term) in now.iter().enumerate() {
            self.digits[k] = term.digit;
            for side in [0, 1] {
                self.keys[side][k] = term.keys[side];
                self.places[side][k] = term.places[side];
            }
        }
        self.count = now.len() as u32;
        later
    }

    /// Does the same for one side's addends.
    fn set_addends<'a>(
        &mut self,
        task: &mut Task,
        side: usize,
        addends: &'a [&'a CudaPoly],
    ) -> Result<&'a [&'a CudaPoly], DeviceError> {
        let (now, later) = addends.split_at(addends.len().min(MOST_ADDENDS));
        for (address, addend) in self.addends[side].iter_mut().zip(now) {
            *address = task.read(addend.words())?;
        }
        self.addend_counts[side] = now.len() as u32;
        Ok(later)
    }
}
