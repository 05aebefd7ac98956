//! Sums of products.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::{Device, DeviceError, refusals};
use ringmill_ring::Domain;
use zerocopy::{Immutable, IntoBytes};

use super::conversion::Missing;
use super::linear::THREADS;
use super::store::Task;
use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most pairs and sums in a launch: as in `kernels/products.cuh`.
const MOST_PAIRS: usize = 64;
const MOST_SUMS: usize = 32;

/// `DotParameters` in `kernels/products.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct DotParameters {
    first: [Address; MOST_PAIRS],
    second: [Address; MOST_PAIRS],
    places: [Address; MOST_PAIRS],
    results: [Address; MOST_SUMS],
    primes: Address,
    multiplier: Address,
    n: u64,
    ends: [u32; MOST_SUMS],
    sums: u32,
    parts: u32,
}

layout! {
    "kernels/products.cuh": DotParameters { first, second, places, results, primes, multiplier, n, ends, sums, parts }
}

impl DotParameters {
    /// The first sum continues from its result.
    const GOES_ON: u32 = 1;
    /// The last sum continues in another launch.
    const UNFINISHED: u32 = 2;

    fn pairs(&self) -> usize {
        match self.sums {
            0 => 0,
            sums => self.ends[sums as usize - 1] as usize,
        }
    }

    fn is_full(&self) -> bool {
        self.pairs() == MOST_PAIRS || self.sums as usize == MOST_SUMS
    }

    /// Adds as many products of a sum as there is room for, and returns the others.
    fn add<'a>(&mut self, products: &'a [Product], result: Address) -> &'a [Product] {
        let (pairs, sum) = (self.pairs(), self.sums as usize);
        let (now, later) = products.split_at(products.len().min(MOST_PAIRS - pairs));
        for (k, product) in (pairs..).zip(now) {
            self.first[k] = product.first;
            self.second[k] = product.second;
            self.places[k] = product.places;
        }
        self.results[sum] = result;
        self.ends[sum] = (pairs + now.len()) as u32;
        self.sums += 1;
        if !later.is_empty() {
            self.parts |= Self::UNFINISHED;
        }
        later
    }
}

/// Two polynomials on the GPU, with the places of the second one's limbs.
struct Product {
    first: Address,
    second: Address,
    places: Address,
}

impl CudaDevice {
    /// Makes sums of products as the contract defines them, with first operands over a basis.
    pub(super) fn dots_of(
        &self,
        basis: &Basis,
        sums: &[Vec<(&CudaPoly, &CudaPoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let mut task = self.store.task();
        let (mut products, mut results) = (Vec::with_capacity(sums.len()), Vec::with_capacity(sums.len()));
        for pairs in sums {
            let pairs = pairs.iter().map(|(a, b)| self.product(&mut task, a, b));
            products.push(pairs.collect::<Result<Vec<_>, _>>()?);
        }
        let mut addresses = Vec::with_capacity(sums.len());
        for _ in sums {
            let result = self.allocate(basis, to)?;
            addresses.push(task.write(result.words())?);
            results.push(result);
        }
        let sums: Vec<_> = products
            .iter()
            .map(Vec::as_slice)
            .zip(addresses.iter().copied())
            .collect();
        self.sum_products(&mut task, basis, &sums, multiplier)?;
        if to == Domain::Coefficient {
            self.transform_batch(&mut task, basis, &addresses, to)?;
        }
        Ok(results)
    }

    fn product(&self, task: &mut Task, a: &CudaPoly, b: &CudaPoly) -> Result<Product, DeviceError> {
        Ok(Product {
            places: self.places(a.basis(), b.basis(), Missing::Refused)?,
            first: task.read(a.words())?,
            second: task.read(b.words())?,
        })
    }

    /// Writes sums of products over a basis to their results, in as few launches as their parameters allow.
    fn sum_products(
        &self,
        task: &mut Task,
        basis: &Basis,
        sums: &[(&[Product], Address)],
        multiplier: u64,
    ) -> Result<(), DeviceError> {
        let multiplier = match multiplier {
            1 => 0,
            _ => self.ratio((&multiplier.into(), &BigUint::from(1u32)), basis)?,
        };
        let primes = self.primes.of(&self.store, basis)?;
        let empty = || DotParameters {
            first: [0; MOST_PAIRS],
            second: [0; MOST_PAIRS],
            places: [0; MOST_PAIRS],
            results: [0; MOST_SUMS],
            primes: primes.address(),
            multiplier,
            n: self.n() as u64,
            ends: [0; MOST_SUMS],
            sums: 0,
            parts: 0,
        };
        let mut launch = empty();
        for &(mut products, result) in sums {
            let mut parts = 0;
            while !products.is_empty() {
                if launch.is_full() {
                    self.launch_sums(task, basis, &launch)?;
                    launch = empty();
                    launch.parts = parts;
                }
                products = launch.add(products, result);
                parts = DotParameters::GOES_ON;
            }
        }
        self.launch_sums(task, basis, &launch)
    }

    fn launch_sums(
        &self,
        task: &mut Task,
        basis: &Basis,
        parameters: &DotParameters,
    ) -> Result<(), DeviceError> {
        let grid = [self.n().div_ceil(THREADS), basis.len(), 1];
        // SAFETY: the structure is the kernel's; first operands and results have n words for each limb of the basis,
        // second ones for each of the places; primes, places and factors live as long as the device.
        unsafe { task.launch(&self.entry("dot"), grid, THREADS as u32, parameters) }
    }

    /// Makes products with fixed factors as the contract defines them.
    pub(super) fn products_of(
        &self,
        mut batch: Vec<CudaPoly>,
        factors: &[&CudaPoly],
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        let results = self.products_in_place(&mut batch, factors);
        batch.into_iter().for_each(|a| self.wipe(a));
        results
    }

    /// Does the same, but leaves wiping the batch to the caller.
    fn products_in_place(
        &self,
        batch: &mut [CudaPoly],
        factors: &[&CudaPoly],
    ) -> Result<Vec<Vec<CudaPoly>>, DeviceError> {
        refusals::multiply_fixed(self, batch, factors)?;
        let Some(first) = batch.first() else {
            return Ok(Vec::new());
        };
        let basis = first.basis().clone();
        self.transform_in_place(&mut batch.iter_mut().collect::<Vec<_>>(), Domain::Evaluation)?;
        let pair = |a| factors.iter().map(move |&factor| vec![(a, factor)]);
        let sums: Vec<_> = batch.iter().flat_map(pair).collect();
        let mut products = self.dots_of(&basis, &sums, 1, Domain::Coefficient)?.into_iter();
        let row = |_: &CudaPoly| products.by_ref().take(factors.len()).collect();
        Ok(batch.iter().map(row).collect())
    }
}
