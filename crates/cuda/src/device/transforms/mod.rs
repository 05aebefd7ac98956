//! Transforms: the tables of primes, and the launches of kernels.

mod fermat;
mod negacyclic;
#[cfg(test)]
#[cfg(feature = "emulator")]
mod tests;

use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Device, DeviceError};
use ringmill_ring::{Domain, Ring};
use zerocopy::{Immutable, IntoBytes};

use super::cache::Cache;
use super::store::{Constant, Task};
use super::{CudaDevice, CudaPoly};
use crate::gpu::Address;
use crate::layout::layout;

/// The most polynomials in a launch: `MOST_POLYS` in `kernels/transform_lines.cuh`.
const MOST_POLYS: usize = 256;
/// The number of words in a limb's row.
const ROW: usize = 256;
/// The number of bytes that the kernels of one chunk go over. The data that they pass to each other stays in
/// a cache of 40 or 50 MB, beside the tables.
const CHUNK: usize = 20 << 20;

/// `TransformParameters` in `kernels/transform_lines.cuh`.
#[repr(C)]
#[derive(IntoBytes, Immutable)]
struct TransformParameters {
    polys: [Address; MOST_POLYS],
    primes: Address,
    tables: Address,
}

layout! {
    "kernels/transform_lines.cuh": TransformParameters { polys, primes, tables }
}

/// A kernel of a transform: its name, the blocks of a limb and the threads of a block.
struct Pass {
    kernel: String,
    blocks: usize,
    threads: u32,
}

impl Pass {
    /// Goes down the columns of a limb of n words, from or to its rows of 256: `ColumnTile` in
    /// `kernels/transform_lines.cuh`.
    fn columns(n: usize, kernel: String) -> Self {
        let rows = n / ROW;
        let (lines, values) = match rows {
            0..=16 => (128, rows),
            32 | 64 => (2048 / rows, 16),
            128 | 256 => (16, 16),
            _ => (8, 32),
        };
        Self {
            kernel,
            blocks: ROW / lines,
            threads: (lines * rows / values) as u32,
        }
    }

    /// Goes along the rows: `RowTile`.
    fn rows(n: usize, kernel: String) -> Self {
        let row = n.min(ROW);
        let lines = (n / row).min(8);
        Self {
            kernel,
            blocks: n / row / lines,
            threads: (lines * row / 16) as u32,
        }
    }
}

/// The tables of a prime.
#[derive(Debug)]
struct PrimeTables {
    evaluation: Constant,
    coefficient: Constant,
}

impl PrimeTables {
    /// Those for transforms to a domain.
    fn of(&self, to: Domain) -> &Constant {
        match to {
            Domain::Evaluation => &self.evaluation,
            Domain::Coefficient => &self.coefficient,
        }
    }
}

/// The tables of transforms, kept permanently in the device's memory.
#[derive(Debug, Default)]
pub(super) struct Transforms {
    /// The tables of primes.
    primes: Cache<u64, PrimeTables>,
    /// The addresses of the tables for the limbs of a basis.
    limbs: Cache<(Basis, Domain), Constant>,
}

impl CudaDevice {
    /// Brings a polynomial to a domain.
    pub(super) fn transformed(&self, mut a: CudaPoly, to: Domain) -> Result<CudaPoly, DeviceError> {
        if a.domain() != to
            && let Err(error) = self.transform_in_place(&mut [&mut a], to)
        {
            self.wipe(a);
            return Err(error);
        }
        Ok(a)
    }

    /// Transforms polynomials in place: `basis.len()` limbs of n canonical residues each.
    ///
    /// The addresses must be ones that the task may write.
    pub(super) fn transform_batch(
        &self,
        task: &mut Task,
        basis: &Basis,
        polys: &[Address],
        to: Domain,
    ) -> Result<(), DeviceError> {
        let tables = self.transform_tables(basis, to)?;
        let primes = self.primes.of(&self.store, basis)?;
        let passes = self.passes(to)?;
        let bytes = 8 * self.n() * basis.len().max(1);
        for chunk in polys.chunks((CHUNK / bytes).clamp(1, MOST_POLYS)) {
            let mut parameters = TransformParameters {
                polys: [0; MOST_POLYS],
                primes: primes.address(),
                tables: tables.address(),
            };
            parameters.polys[..chunk.len()].copy_from_slice(chunk);
            for pass in &passes {
                let grid = [pass.blocks, basis.len(), chunk.len()];
                // SAFETY: the structure is the kernel's; the caller vouches for n words for each limb at the
                // addresses; the tables were made for the ring and live as long as the device.
                unsafe { task.launch(&self.entry(&pass.kernel), grid, pass.threads, &parameters)? };
            }
        }
        Ok(())
    }

    fn passes(&self, to: Domain) -> Result<Vec<Pass>, DeviceError> {
        match &self.ring {
            Ring::Fermat(ring) => Ok(fermat::passes(ring.n())),
            Ring::Negacyclic(ring) => Ok(negacyclic::passes(ring.n(), to)),
            _ => Err(self.without_transforms()),
        }
    }

    fn without_transforms(&self) -> DeviceError {
        DeviceError::Unsupported {
            device: self.name(),
            need: format!("kernels for the transforms of {:?}", self.ring),
        }
    }

    fn transform_tables(&self, basis: &Basis, to: Domain) -> Result<Arc<Constant>, DeviceError> {
        let key = (basis.clone(), to);
        if let Some(tables) = self.transforms.limbs.found(&key) {
            return Ok(tables);
        }
        let Transforms { primes, limbs } = &self.transforms;
        // Those of a prime take milliseconds.
        for q in basis.moduli() {
            primes.offer(q.value(), || self.prime_tables(q))?;
        }
        limbs.get(key, || {
            let address = |q: &Modulus| {
                let tables = primes.get(q.value(), || self.prime_tables(q))?;
                Ok(tables.of(to).address())
            };
            let addresses = basis.moduli().iter().map(address);
            let addresses: Vec<u64> = addresses.collect::<Result<_, DeviceError>>()?;
            self.store.constant(&addresses)
        })
    }

    fn prime_tables(&self, q: &Modulus) -> Result<PrimeTables, DeviceError> {
        let [evaluation, coefficient] = match &self.ring {
            Ring::Fermat(ring) => fermat::factors(ring, q)?,
            Ring::Negacyclic(ring) => negacyclic::factors(ring, q)?,
            _ => return Err(self.without_transforms()),
        };
        let constant = |factors: Vec<u64>| {
            let mut words = Vec::with_capacity(factors.len() * self.arithmetic.factor_words());
            factors
                .iter()
                .for_each(|&w| self.arithmetic.encode(q, w, &mut words));
            self.store.constant(&words)
        };
        Ok(PrimeTables {
            evaluation: constant(evaluation)?,
            coefficient: constant(coefficient)?,
        })
    }
}

/// The first `count` powers 1, w, w^2, ....
fn powers(q: &Modulus, w: u64, count: usize) -> Vec<u64> {
    std::iter::successors(Some(1), |&x| Some(q.mul(x, w)))
        .take(count)
        .collect()
}

/// Reverses the lowest log2 `order` bits of `x`.
fn reverse_bits(x: usize, order: usize) -> usize {
    match order {
        1 => 0,
        _ => x.reverse_bits() >> (usize::BITS - order.trailing_zeros()),
    }
}
