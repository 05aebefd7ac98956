#![doc = include_str!("../README.md")]
//!
//! # A device over this one
//!
//! A device that takes over a few operations leaves the others to this one ([`ringmill_device::delegate!`]):
//!
//! ```
//! use std::sync::atomic::{AtomicUsize, Ordering};
//!
//! use ringmill_cpu::{CpuDevice, CpuPoly};
//! use ringmill_device::{Device, DeviceError, delegate};
//!
//! /// Counts batches of products.
//! struct Counting {
//!     cpu: CpuDevice,
//!     batches: AtomicUsize,
//! }
//!
//! impl Device for Counting {
//!     type Poly = CpuPoly;
//!
//!     fn name(&self) -> String {
//!         format!("counting {}", self.cpu.name())
//!     }
//!
//!     fn multiply_fixed(
//!         &self,
//!         batch: Vec<CpuPoly>,
//!         factors: &[&CpuPoly],
//!     ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
//!         self.batches.fetch_add(1, Ordering::Relaxed);
//!         self.cpu.multiply_fixed(batch, factors)
//!     }
//!
//!     delegate!(self.cpu: ring, memory, narrow_transform_time, basis, domain, upload, download, copy, wipe, finish, hint_idle, prefetch, release);
//!     delegate!(self.cpu: restrict, concat_limbs, transform, sum, sub, negate, inner_product, inner_products, automorphism);
//!     delegate!(self.cpu: lift, lifts, scale, rescale, decompose, decompose_base_two, extend_by_p);
//!     delegate!(self.cpu: key_switch_grouped, key_switch, relinearize, rotate, rotated_sums);
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ringmill_arith::Simd;
//! use ringmill_device::{Basis, Domain, Ring};
//! use ringmill_ring::NegacyclicRing;
//!
//! let ring = Ring::from(NegacyclicRing::new(64)?);
//! let cpu = CpuDevice::new(&ring, Simd::from_environment()?);
//! let device = Counting { cpu, batches: AtomicUsize::new(0) };
//! let basis = Basis::new(&ring.primes(1 << 50, 1, &[])?)?;
//! let a = device.upload(&basis, Domain::Coefficient, &[3; 64])?;
//! let one = device.upload(&basis, Domain::Evaluation, &[1; 64])?;
//! let products = device.multiply_fixed(vec![a], &[&one])?;
//! assert_eq!(device.download(&products[0][0])?, [3; 64]);
//! assert_eq!(device.batches.into_inner(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! A device that forgets one, here `rotated_sums`, does not compile:
//!
//! ```compile_fail,E0046
//! # use ringmill_cpu::{CpuDevice, CpuPoly};
//! # use ringmill_device::{Device, delegate};
//! struct Forgetful(CpuDevice);
//!
//! impl Device for Forgetful {
//!     type Poly = CpuPoly;
//!
//!     delegate!(self.0: ring, name, memory, narrow_transform_time, basis, domain, upload, download, copy, wipe, finish, hint_idle, prefetch, release);
//!     delegate!(self.0: restrict, concat_limbs, transform, sum, sub, negate, inner_product, inner_products, multiply_fixed, automorphism);
//!     delegate!(self.0: lift, lifts, scale, rescale, decompose, decompose_base_two, extend_by_p);
//!     delegate!(self.0: key_switch_grouped, key_switch, relinearize, rotate);
//! }
//! ```

mod columns;
mod digits;
mod integers;
mod key_switch_grouped;
mod limbs;
mod poly;
mod pool;
mod products;
mod rescale;
mod rotate;
mod rotated_sums;
mod switch;
mod tables;
mod transforms;
mod word_sums;
mod words;

pub use poly::CpuPoly;

use std::sync::Arc;

use rayon::prelude::*;
use ringmill_arith::{Basis, Modulus, Simd};
use ringmill_ring::{Domain, Ring, Transform};

use limbs::PIECE;
use pool::{Limb, Pool};
use ringmill_device::DeviceError;
use ringmill_device::Digits;
use ringmill_device::GroupedKey;
use ringmill_device::{Device, Pair, Rotatable, RotatedTerm, SwitchingKey, Tensor};
use ringmill_device::{provide, refusals};
use rotated_sums::rotated_sums;
use switch::Sums;
use tables::Tables;

/// The CPU as a device.
///
/// Operations run in whatever rayon pool they are called from: install a pool to choose the number
/// of threads. Memory of freed polynomials is kept for the next ones.
#[derive(Debug)]
pub struct CpuDevice {
    ring: Ring,
    kernel: Simd,
    tables: Tables,
    pool: Arc<Pool>,
}

impl CpuDevice {
    /// A device for one ring.
    #[must_use]
    pub fn new(ring: &Ring, kernel: Simd) -> Self {
        Self {
            ring: ring.clone(),
            kernel,
            tables: Tables::default(),
            pool: Arc::new(Pool::new(ring.n())),
        }
    }

    /// The vector kernel in use.
    #[must_use]
    pub fn kernel(&self) -> Simd {
        self.kernel
    }

    fn n(&self) -> usize {
        self.ring.n()
    }

    fn allocate(&self, basis: &Basis, domain: Domain) -> CpuPoly {
        CpuPoly::new(basis.clone(), domain, self.limbs(basis.len()))
    }

    /// The limbs of some of a polynomial's primes.
    fn restrict_limbs(&self, a: &CpuPoly, to: &Basis) -> Result<CpuPoly, DeviceError> {
        let mut result = self.allocate(to, a.domain());
        for (limb, q) in result.limbs_mut().iter_mut().zip(to.moduli()) {
            limb.copy_from_slice(a.limb(q)?);
        }
        Ok(result)
    }

    /// Limbs of any content.
    fn limbs(&self, count: usize) -> Vec<Limb> {
        self.pool.take(count)
    }

    /// a - b, or -b.
    fn difference(&self, a: Option<&CpuPoly>, b: &CpuPoly) -> CpuPoly {
        let mut result = self.allocate(b.basis(), b.domain());
        let limbs = result.limbs_mut().par_iter_mut().zip(b.limbs()).enumerate();
        limbs.zip(b.basis().moduli()).for_each(|((i, (limb, b)), q)| {
            let a = a.and_then(|a| a.limbs().get(i));
            limbs::sub(self.kernel, q, a.map(|limb| &limb[..]), b, limb);
        });
        result
    }

    /// The transform modulo a prime.
    fn table(&self, q: &Modulus) -> Result<Arc<Transform>, DeviceError> {
        Ok(self.tables.transform(&self.ring, q, self.kernel)?)
    }
}

impl Device for CpuDevice {
    type Poly = CpuPoly;

    fn ring(&self) -> &Ring {
        &self.ring
    }

    fn name(&self) -> String {
        format!(
            "cpu ({}, {} threads)",
            self.kernel.name(),
            rayon::current_num_threads()
        )
    }

    // Measured, and the same in all dimensions.
    fn narrow_transform_time(&self) -> f64 {
        match self.kernel {
            Simd::Avx512 => 0.78,
            Simd::Avx512F => 0.88,
            _ => 1.0,
        }
    }

    fn basis<'a>(&self, a: &'a CpuPoly) -> &'a Basis {
        a.basis()
    }

    fn domain(&self, a: &CpuPoly) -> Domain {
        a.domain()
    }

    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<CpuPoly, DeviceError> {
        refusals::upload(self, basis, words)?;
        let mut result = self.allocate(basis, domain);
        let limbs = result.limbs_mut().iter_mut();
        limbs
            .zip(words.chunks_exact(self.n()))
            .for_each(|(limb, words)| limb.copy_from_slice(words));
        Ok(result)
    }

    fn download(&self, a: &CpuPoly) -> Result<Vec<u64>, DeviceError> {
        let mut words = Vec::with_capacity(a.limbs().len() * self.n());
        a.limbs().iter().for_each(|limb| words.extend_from_slice(limb));
        Ok(words)
    }

    fn copy(&self, a: &CpuPoly) -> Result<CpuPoly, DeviceError> {
        let mut result = self.allocate(a.basis(), a.domain());
        let limbs = result.limbs_mut().iter_mut().zip(a.limbs());
        limbs.for_each(|(to, from)| to.copy_from_slice(from));
        Ok(result)
    }

    fn wipe(&self, a: CpuPoly) {
        a.wipe();
    }

    fn release(&self) {
        self.pool.clear();
    }

    fn restrict(&self, a: &CpuPoly, to: &Basis) -> Result<CpuPoly, DeviceError> {
        refusals::restrict(self, a, to)?;
        self.restrict_limbs(a, to)
    }

    fn concat_limbs(&self, parts: &[&CpuPoly]) -> Result<CpuPoly, DeviceError> {
        let basis = refusals::concat_limbs(self, parts)?;
        Ok(self.join_limbs(parts, &basis))
    }

    fn transform(&self, mut a: CpuPoly, to: Domain) -> Result<CpuPoly, DeviceError> {
        if a.domain() != to {
            let basis = a.basis().clone();
            if let Err(error) = self.transform_limbs(&basis, a.limbs_mut(), to) {
                a.wipe();
                return Err(error);
            }
            a.set_domain(to);
        }
        Ok(a)
    }

    fn sum(&self, terms: &[&CpuPoly]) -> Result<CpuPoly, DeviceError> {
        let first = refusals::sum(self, terms)?;
        let mut result = self.allocate(first.basis(), first.domain());
        let limbs = result.limbs_mut().par_iter_mut().zip(first.basis().moduli());
        limbs.try_for_each(|(limb, q)| {
            let terms = terms.iter().map(|term| term.limb(q));
            let terms = terms.collect::<Result<Vec<_>, _>>()?;
            limbs::sum(self.kernel, q, &terms, limb);
            Ok::<(), DeviceError>(())
        })?;
        Ok(result)
    }

    fn sub(&self, a: &CpuPoly, b: &CpuPoly) -> Result<CpuPoly, DeviceError> {
        refusals::sub(self, a, b)?;
        Ok(self.difference(Some(a), b))
    }

    fn negate(&self, a: &CpuPoly) -> Result<CpuPoly, DeviceError> {
        Ok(self.difference(None, a))
    }

    fn inner_products(
        &self,
        sums: &[Vec<(&CpuPoly, &CpuPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let basis = refusals::inner_products(self, sums)?;
        let mut results: Vec<CpuPoly> = sums.iter().map(|_| self.allocate(basis, to)).collect();
        // One prime after the other for all sums: operands and tables are read once.
        self.each_limb(basis, &mut results, |q, limbs| {
            let n = self.n();
            let mut pairs = Vec::with_capacity(sums.len());
            for sum in sums {
                let sum = sum.iter().map(|(a, b)| Ok((a.limb(q)?, b.limb(q)?)));
                pairs.push(sum.collect::<Result<Vec<_>, DeviceError>>()?);
            }
            // Piece by piece: an operand of several sums is still in cache.
            for start in (0..n).step_by(PIECE) {
                for (limb, pairs) in limbs.iter_mut().zip(&pairs) {
                    let piece = &mut limb[start..n.min(start + PIECE)];
                    limbs::dot(self.kernel, q, &[(pairs, multiplier)], start, piece);
                }
            }
            if to == Domain::Coefficient {
                let transform = self.table(q)?;
                limbs
                    .iter_mut()
                    .try_for_each(|limb| transform.interpolate(limb))?;
            }
            Ok(())
        })?;
        Ok(results)
    }

    fn multiply_fixed(
        &self,
        batch: Vec<CpuPoly>,
        factors: &[&CpuPoly],
    ) -> Result<Vec<Vec<CpuPoly>>, DeviceError> {
        products::products(self, batch, factors)
    }

    fn automorphism(&self, a: &CpuPoly, exponent: u64) -> Result<CpuPoly, DeviceError> {
        refusals::automorphism(self, exponent)?;
        rotate::automorphism(self, a, exponent)
    }

    fn lifts(&self, polys: &[&CpuPoly], extension: &Basis, to: Domain) -> Result<Vec<CpuPoly>, DeviceError> {
        let basis = refusals::lifts(self, polys, extension)?;
        let own = basis.prefix(basis.len() - extension.len())?;
        let conversion = self.tables.lift(self.kernel, &own, extension)?;
        let mut results = Vec::with_capacity(polys.len());
        for a in polys {
            let mut result = self.allocate(&basis, to);
            columns::convert(&conversion, a.limbs(), &mut result.limbs_mut()[own.len()..])?;
            results.push(result);
        }
        self.each_limb(&basis, &mut results, |q, limbs| {
            let transform = self.table(q)?;
            for (limb, a) in limbs.iter_mut().zip(polys) {
                match (a.limb(q), to) {
                    (Ok(own), Domain::Coefficient) => limb.copy_from_slice(own),
                    (Ok(own), Domain::Evaluation) => transform.evaluate_to(own, limb)?,
                    (Err(_), Domain::Coefficient) => {}
                    (Err(_), Domain::Evaluation) => transform.evaluate(limb)?,
                }
            }
            Ok(())
        })?;
        Ok(results)
    }

    fn scale(&self, c: &CpuPoly, t: u64, keep: usize) -> Result<CpuPoly, DeviceError> {
        let (q, b) = refusals::scale(self, c, keep)?;
        let divide = self.tables.divide(self.kernel, &t.into(), &q, &b)?;
        let back = self.tables.lift(self.kernel, &b, &q)?;
        let mut result = self.allocate(&q, Domain::Coefficient);
        columns::divide_and_convert(&divide, &back, c.limbs(), result.limbs_mut())?;
        Ok(result)
    }

    fn rescale(&self, a: &CpuPoly, to: &Basis, domain: Domain) -> Result<CpuPoly, DeviceError> {
        rescale::rescale(self, a, to, domain)
    }

    fn decompose(&self, a: &CpuPoly, digits: &Digits) -> Result<Vec<CpuPoly>, DeviceError> {
        let extended = refusals::decompose(self, a, digits)?;
        match digits {
            Digits::Limbs { groups, .. } => self.decompose_limbs(a, groups, &extended),
            Digits::BaseTwo { bits } => self.base_two_digits(a, *bits, &extended),
        }
    }

    fn decompose_base_two(&self, a: &CpuPoly, bits: u32, over: &Basis) -> Result<Vec<CpuPoly>, DeviceError> {
        refusals::decompose_base_two(bits)?;
        self.base_two_digits(a, bits, over)
    }

    fn key_switch_grouped(
        &self,
        batch: &[&CpuPoly],
        key: &GroupedKey<CpuPoly>,
        domain: Domain,
    ) -> Result<Vec<CpuPoly>, DeviceError> {
        let used = refusals::key_switch_grouped(self, batch, key)?;
        self.switch_words(batch, key, &used, domain)
    }

    fn key_switch(
        &self,
        a: &CpuPoly,
        addends: &[Pair<&CpuPoly>],
        digits: &Digits,
        key: &SwitchingKey<CpuPoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let elements = refusals::key_switch(self, a, addends, digits, key)?;
        let sums = Sums::of_digits(self, a, addends, digits, elements)?;
        sums.rescaled(to, domain)
    }

    fn relinearize(
        &self,
        tensor: &Tensor<'_, CpuPoly>,
        addends: &[Pair<&CpuPoly>],
        digits: &Digits,
        key: &SwitchingKey<CpuPoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let (elements, wide) = refusals::relinearize(self, tensor, addends, digits, key)?;
        let sums = Sums::of_digits(self, tensor.third, addends, digits, elements)?;
        sums.with_products(tensor, wide).rescaled(to, domain)
    }

    fn rotate(
        &self,
        first: &CpuPoly,
        parts: &[CpuPoly],
        digits: &Digits,
        key: &SwitchingKey<CpuPoly>,
        exponent: u64,
    ) -> Result<Pair<CpuPoly>, DeviceError> {
        let elements = refusals::rotate(self, first, parts, digits, key, exponent)?;
        rotate::rotate(self, first, parts, digits, &elements, exponent)
    }

    fn rotated_sums(
        &self,
        operands: &[Rotatable<'_, CpuPoly>],
        digits: &Digits,
        keys: &[(u64, &SwitchingKey<CpuPoly>)],
        sums: &[Vec<RotatedTerm<'_, CpuPoly>>],
    ) -> Result<Vec<Pair<CpuPoly>>, DeviceError> {
        let elements = refusals::rotated_sums(self, operands, digits, keys, sums)?;
        let exponents = keys.iter().map(|(exponent, _)| *exponent);
        rotated_sums(self, operands, digits, exponents.zip(elements).collect(), sums)
    }

    provide!(
        memory,
        finish,
        hint_idle,
        prefetch,
        inner_product,
        lift,
        extend_by_p
    );
}
