//! Modulus switching: drops limbs with rounding, and adds limbs.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::{BasisChange, DeviceError};
use ringmill_ring::Domain;

use super::multiples::Multiples;
use super::{ConversionJob, ConversionKind, Limbs};
use crate::device::store::Task;
use crate::device::{CudaDevice, CudaPoly};
use crate::gpu::Address;

/// Polynomials of one basis and domain, and their addresses.
struct Batch<'a> {
    basis: &'a Basis,
    domain: Domain,
    addresses: Vec<Address>,
}

impl Batch<'_> {
    /// Pairs each address with that of the other batch.
    fn pairs(&self, other: &Self) -> Vec<(Address, Address)> {
        let pairs = self.addresses.iter().zip(&other.addresses);
        pairs.map(|(&a, &b)| (a, b)).collect()
    }

    fn limbs(&self) -> impl Iterator<Item = Limbs<'_>> {
        self.addresses.iter().map(|&address| (address, self.basis))
    }
}

impl CudaDevice {
    /// Switches the modulus of polynomials of one basis and domain, each as
    /// [`ringmill_device::Device::rescale`] does.
    ///
    /// # Errors
    /// Errors arise if the GPU fails.
    pub(in crate::device) fn rescale_all(
        &self,
        polys: &[&CudaPoly],
        to: &Basis,
        domain: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let Some(first) = polys.first() else {
            return Ok(Vec::new());
        };
        let change = BasisChange::new(first.basis(), to)?;
        // The limbs that must be converted to coefficient domain: the dropped ones if values stay values,
        // else all.
        let needed = match (&change.dropped, first.domain(), domain) {
            (None, ..) | (_, Domain::Coefficient, _) => None,
            (Some(dropped), _, Domain::Evaluation) => Some(dropped),
            (Some(_), _, Domain::Coefficient) => Some(first.basis()),
        };
        let place = |_: &&CudaPoly| self.store.take(needed.map_or(0, Basis::len) * self.n());
        let results = polys.iter().map(|_| self.allocate(to, domain));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let scratch = match needed {
            Some(_) => polys.iter().map(place).collect::<Result<Vec<_>, _>>()?,
            None => Vec::new(),
        };
        let mut task = self.store.task();
        let read = polys.iter().map(|a| task.read(a.words()));
        let given = Batch {
            basis: first.basis(),
            domain: first.domain(),
            addresses: read.collect::<Result<_, _>>()?,
        };
        let written = scratch.iter().map(|words| task.write(words));
        let held = Batch {
            basis: needed.unwrap_or(to),
            domain: Domain::Coefficient,
            addresses: written.collect::<Result<_, _>>()?,
        };
        let written = results.iter().map(|result| task.write(result.words()));
        let made = Batch {
            basis: to,
            domain,
            addresses: written.collect::<Result<_, _>>()?,
        };
        self.hold(&mut task, &given, &held)?;
        self.switch(&mut task, &change, &given, &held, &made)?;
        Ok(results)
    }

    /// Brings limbs of polynomials to coefficient domain.
    fn hold(&self, task: &mut Task, given: &Batch<'_>, held: &Batch<'_>) -> Result<(), DeviceError> {
        if held.addresses.is_empty() {
            return Ok(());
        }
        let one = BigUint::from(1u32);
        let copy = Multiples {
            from: given.basis,
            to: held.basis,
            factor: (&one, &one),
            added: false,
        };
        self.multiples(task, &copy, &given.pairs(held))?;
        self.transform_batch(task, held.basis, &held.addresses, held.domain)
    }

    /// Makes the results from the polynomials and their limbs in coefficient domain.
    fn switch(
        &self,
        task: &mut Task,
        change: &BasisChange,
        given: &Batch<'_>,
        held: &Batch<'_>,
        made: &Batch<'_>,
    ) -> Result<(), DeviceError> {
        let to = made.basis;
        let multiples = |added| Multiples {
            from: given.basis,
            to,
            factor: (&change.up, &change.down),
            added,
        };
        let Some(dropped) = &change.dropped else {
            self.multiples(task, &multiples(false), &given.pairs(made))?;
            if given.domain != made.domain {
                self.transform_batch(task, to, &made.addresses, made.domain)?;
            }
            return Ok(());
        };
        let values = (given.domain, made.domain) == (Domain::Evaluation, Domain::Evaluation);
        let kind = if values {
            ConversionKind::Correction
        } else {
            ConversionKind::Divide
        };
        let conversion = self.conversion(kind, &change.up, dropped, to)?;
        let sources = if held.addresses.is_empty() { given } else { held };
        let jobs = sources.limbs().zip(made.limbs()).map(|(from, to)| ConversionJob {
            conversion: &conversion,
            from,
            to,
            own: (!values).then_some(from),
        });
        self.convert(task, &jobs.collect::<Vec<_>>())?;
        if made.domain == Domain::Evaluation {
            self.transform_batch(task, to, &made.addresses, made.domain)?;
        }
        if values {
            self.multiples(task, &multiples(true), &given.pairs(made))?;
        }
        Ok(())
    }
}
