use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringmill_arith::{Basis, Modulus};
use ringmill_device::{
    BasisChange, Device, DeviceError, Digits, GroupedKey, Pair, SwitchingKey, Tensor, provide, refusals,
};
use ringmill_ring::{Domain, FermatRing, Ring};

use super::basis_operations::{self, DigitLimb};
use super::key_operations::{self, Switch};
use super::places::Limb;
use super::poly::CorePoly;
use super::session::Session;
use super::{Configuration, ConversionTable, Driver, EngineKind, Machine};
use super::{digits, grouped_keys, operations};
use crate::RtlError;

type Result<T, E = DeviceError> = std::result::Result<T, E>;

/// The core as a device: polynomials are in its memory, and it does what has instructions. Everything else is
/// [`DeviceError::Unsupported`]; nothing is done elsewhere in its place.
///
/// Primes have at most the core's width and are 1 modulo 2^17 ([`ringmill_ring::PrimeRule::Machine`]). The core does the
/// operations of several threads one after another.
pub struct CoreDevice<M> {
    ring: Ring,
    configuration: Configuration,
    memory: u64,
    session: Mutex<Session<M>>,
}

impl<M: Machine> CoreDevice<M> {
    /// Carries out a key switch with the elements of its key.
    fn switch(
        &self,
        switch: &Switch<'_>,
        elements: &[&Pair<CorePoly>],
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CorePoly>> {
        let sums =
            self.operate(|session| key_operations::key_switch(session, switch, elements, to, domain))?;
        let [x, y] = sums.map(|limbs| self.poly(to, domain, limbs));
        Ok((x, y))
    }

    /// Takes over a core.
    ///
    /// # Errors
    /// [`RtlError::BadCore`] for one with dedicated reads; [`RtlError::Ring`] if there is no Fermat ring with this n; as
    /// [`Driver::new`].
    pub fn new(machine: M) -> Result<Self, RtlError> {
        let configuration = *machine.configuration();
        if configuration.sizes().engine != EngineKind::XorBanks {
            return Err(RtlError::BadCore {
                need: "XOR banks to be a device: with dedicated reads it transforms in no Fermat ring",
            });
        }
        Ok(Self {
            ring: FermatRing::new(configuration.n())?.into(),
            configuration,
            memory: machine.memory().1,
            session: Mutex::new(Session::new(machine)?),
        })
    }

    /// Lets the caller use the driver between operations, to read counters.
    pub fn with_driver<T>(&self, work: impl FnOnce(&mut Driver<M>) -> T) -> T {
        work(self.lock().driver())
    }

    /// Locks the core. After a panic in another thread its plan is run with the next one.
    fn lock(&self) -> MutexGuard<'_, Session<M>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans an operation and runs it. A plan that fails is run as far as it goes, because its buffers are as planned.
    fn operate<T>(&self, plan: impl FnOnce(&mut Session<M>) -> Result<T, RtlError>) -> Result<T> {
        let mut session = self.lock();
        let planned = session.reclaim().and_then(|()| plan(&mut session));
        let done = session.run().and(planned);
        done.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &RtlError) -> DeviceError {
        DeviceError::Failed {
            device: self.name(),
            problem: error.to_string(),
        }
    }

    fn unsupported<T>(&self, need: String) -> Result<T> {
        Err(DeviceError::Unsupported {
            device: self.name(),
            need,
        })
    }

    /// Refuses primes that the core cannot compute modulo.
    fn check_primes(&self, basis: &Basis) -> Result<()> {
        let (sizes, congruence) = (self.configuration.sizes(), self.ring.congruence());
        let fits = |q: &Modulus| {
            q.bits() <= sizes.width && q.value() % (1 << sizes.word) == 1 && q.value() % congruence == 1
        };
        match basis.moduli().iter().find(|q| !fits(q)) {
            None => Ok(()),
            Some(q) => self.unsupported(format!(
                "primes of at most {} bits that are 1 modulo 2^{} and modulo {congruence}, not {}",
                sizes.width,
                sizes.word,
                q.value()
            )),
        }
    }

    /// Refuses to take digits in base 2^bits from a polynomial over more primes than the conversion unit has room for.
    fn check_sources(&self, basis: &Basis) -> Result<()> {
        if ConversionTable::most_left(basis.len()) > 0 {
            return Ok(());
        }
        let most = (1..basis.len())
            .rev()
            .find(|&primes| ConversionTable::most_left(primes) > 0);
        let most = most.unwrap_or(0);
        self.unsupported(format!(
            "polynomials over at most {most} primes for digits in base 2^bits"
        ))
    }

    fn poly(&self, basis: &Basis, domain: Domain, limbs: Vec<Arc<Limb>>) -> CorePoly {
        CorePoly {
            basis: basis.clone(),
            domain,
            limbs,
        }
    }
}

impl<M: Machine> Device for CoreDevice<M> {
    type Poly = CorePoly;

    fn ring(&self) -> &Ring {
        &self.ring
    }

    fn name(&self) -> String {
        let (n, units) = (self.configuration.n(), self.configuration.units());
        format!("rtl:core (n = {n}, {units} units)")
    }

    fn memory(&self) -> Option<u64> {
        Some(self.memory)
    }

    fn narrow_transform_time(&self) -> f64 {
        1.0
    }

    fn basis<'a>(&self, a: &'a CorePoly) -> &'a Basis {
        &a.basis
    }

    fn domain(&self, a: &CorePoly) -> Domain {
        a.domain
    }

    fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<CorePoly> {
        refusals::upload(self, basis, words)?;
        self.check_primes(basis)?;
        let limbs = self.operate(|session| operations::upload(session, words))?;
        Ok(self.poly(basis, domain, limbs))
    }

    fn download(&self, a: &CorePoly) -> Result<Vec<u64>> {
        let places: Vec<u64> = a.places().map(|(_, place)| place).collect();
        self.operate(|session| session.read(&places))
    }

    fn copy(&self, a: &CorePoly) -> Result<CorePoly> {
        Ok(a.shared())
    }

    fn wipe(&self, a: CorePoly) {
        a.mark_secret();
        drop(a);
        // The contract has no error here. A core that fails is cleared, and can read none of its buffers then.
        let _ = self.operate(|_| Ok(()));
    }

    fn restrict(&self, a: &CorePoly, to: &Basis) -> Result<CorePoly> {
        refusals::restrict(self, a, to)?;
        let limbs = to.moduli().iter().map(|q| a.limb(q).cloned());
        let limbs = limbs
            .collect::<Result<_, _>>()
            .map_err(|error| self.failed(&error))?;
        Ok(self.poly(to, a.domain, limbs))
    }

    fn concat_limbs(&self, parts: &[&CorePoly]) -> Result<CorePoly> {
        let basis = refusals::concat_limbs(self, parts)?;
        let domain = parts.first().map_or(Domain::Coefficient, |part| part.domain);
        let limbs = parts.iter().flat_map(|part| &part.limbs).cloned();
        Ok(self.poly(&basis, domain, limbs.collect()))
    }

    fn transform(&self, mut a: CorePoly, to: Domain) -> Result<CorePoly> {
        if a.domain == to {
            return Ok(a);
        }
        match self.operate(|session| operations::transform(session, &mut a, to)) {
            Ok(()) => Ok(a),
            Err(error) => {
                self.wipe(a);
                Err(error)
            }
        }
    }

    fn sum(&self, terms: &[&CorePoly]) -> Result<CorePoly> {
        let first = refusals::sum(self, terms)?;
        if terms.len() == 1 {
            return Ok(first.shared());
        }
        let limbs = self.operate(|session| operations::sum(session, first, terms))?;
        Ok(self.poly(&first.basis, first.domain, limbs))
    }

    fn sub(&self, a: &CorePoly, b: &CorePoly) -> Result<CorePoly> {
        refusals::sub(self, a, b)?;
        let limbs = self.operate(|session| operations::sub(session, a, b))?;
        Ok(self.poly(&a.basis, a.domain, limbs))
    }

    fn negate(&self, a: &CorePoly) -> Result<CorePoly> {
        let limbs = self.operate(|session| operations::negate(session, a))?;
        Ok(self.poly(&a.basis, a.domain, limbs))
    }

    fn inner_products(
        &self,
        sums: &[Vec<(&CorePoly, &CorePoly)>],
        multiplier: u64,
        to: Domain,
    ) -> Result<Vec<CorePoly>> {
        let basis = refusals::inner_products(self, sums)?;
        let limbs =
            self.operate(|session| operations::inner_products(session, basis, sums, multiplier, to))?;
        let poly = |limbs| self.poly(basis, to, limbs);
        Ok(limbs.into_iter().map(poly).collect())
    }

    fn multiply_fixed(&self, batch: Vec<CorePoly>, factors: &[&CorePoly]) -> Result<Vec<Vec<CorePoly>>> {
        let products = refusals::multiply_fixed(self, &batch, factors)
            .and_then(|()| self.operate(|session| operations::multiply_fixed(session, &batch, factors)));
        batch.into_iter().for_each(|a| self.wipe(a));
        products
    }

    fn automorphism(&self, a: &CorePoly, exponent: u64) -> Result<CorePoly> {
        refusals::automorphism(self, exponent)?;
        let shift = operations::shift(&self.ring, exponent, a.domain)?;
        if shift == 0 {
            return Ok(a.shared());
        }
        let limbs = self.operate(|session| operations::automorphism(session, a, shift))?;
        Ok(self.poly(&a.basis, a.domain, limbs))
    }

    provide!(
        finish,
        hint_idle,
        prefetch,
        release,
        inner_product,
        lift,
        extend_by_p,
        rotated_sums
    );

    fn key_switch_grouped(
        &self,
        batch: &[&CorePoly],
        key: &GroupedKey<CorePoly>,
        domain: Domain,
    ) -> Result<Vec<CorePoly>> {
        let used = refusals::key_switch_grouped(self, batch, key)?;
        let auxiliary = (key.bits, &key.auxiliary);
        let switch = |&a: &&CorePoly| {
            self.check_sources(&a.basis)?;
            let limbs =
                self.operate(|session| grouped_keys::key_switch(session, a, auxiliary, &used, domain))?;
            let limb = |q: &Modulus| {
                let found = limbs.iter().find(|(modulus, _)| modulus == q);
                let limb = found.map(|(_, limb)| Arc::clone(limb));
                limb.ok_or(DeviceError::MissingLimb(q.value()))
            };
            let limbs = a.basis.moduli().iter().map(limb);
            Ok(self.poly(&a.basis, domain, limbs.collect::<Result<_>>()?))
        };
        batch.iter().map(switch).collect()
    }

    fn lifts(&self, polys: &[&CorePoly], extension: &Basis, to: Domain) -> Result<Vec<CorePoly>> {
        let basis = refusals::lifts(self, polys, extension)?;
        self.check_primes(extension)?;
        let lifted = self.operate(|session| basis_operations::lifts(session, polys, extension, to))?;
        let mut results = Vec::with_capacity(polys.len());
        for (&a, new) in polys.iter().zip(lifted) {
            let own = self.transform(a.shared(), to)?;
            let limbs = own.limbs.iter().cloned().chain(new).collect();
            results.push(self.poly(&basis, to, limbs));
        }
        Ok(results)
    }

    fn scale(&self, c: &CorePoly, t: u64, keep: usize) -> Result<CorePoly> {
        let (q, b) = refusals::scale(self, c, keep)?;
        let limbs = self.operate(|session| basis_operations::scale(session, c, t, [&q, &b]))?;
        Ok(self.poly(&q, Domain::Coefficient, limbs))
    }

    fn rescale(&self, a: &CorePoly, to: &Basis, domain: Domain) -> Result<CorePoly> {
        self.check_primes(to)?;
        let change = BasisChange::new(&a.basis, to)?;
        let limbs = self.operate(|session| basis_operations::rescale(session, a, to, &change, domain))?;
        Ok(self.poly(to, domain, limbs))
    }

    fn decompose(&self, a: &CorePoly, digits: &Digits) -> Result<Vec<CorePoly>> {
        let extended = refusals::decompose(self, a, digits)?;
        let groups = match digits {
            Digits::Limbs { groups, .. } => groups,
            Digits::BaseTwo { bits } => return self.decompose_base_two(a, *bits, &extended),
        };
        self.check_primes(&extended)?;
        let owns = Digits::limbs_of(groups, &a.basis)?;
        let parts = self.operate(|session| basis_operations::decompose(session, a, &owns, &extended))?;
        let poly = |limbs| self.poly(&extended, Domain::Evaluation, limbs);
        Ok(parts.into_iter().map(poly).collect())
    }

    fn decompose_base_two(&self, a: &CorePoly, bits: u32, over: &Basis) -> Result<Vec<CorePoly>> {
        refusals::decompose_base_two(bits)?;
        self.check_primes(over)?;
        self.check_sources(&a.basis)?;
        let digits = self.operate(|session| digits::decompose(session, a, bits, over))?;
        let poly = |limbs| self.poly(over, Domain::Evaluation, limbs);
        Ok(digits.into_iter().map(poly).collect())
    }

    fn key_switch(
        &self,
        a: &CorePoly,
        addends: &[Pair<&CorePoly>],
        digits: &Digits,
        key: &SwitchingKey<CorePoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CorePoly>> {
        let elements = refusals::key_switch(self, a, addends, digits, key)?;
        self.check_primes(to)?;
        if matches!(digits, Digits::BaseTwo { .. }) {
            self.check_sources(&a.basis)?;
        }
        let extended = &digits.extended(&a.basis)?;
        let switch = Switch {
            a,
            addends,
            digits,
            extended,
            products: None,
            wide: extended,
        };
        self.switch(&switch, &elements, to, domain)
    }

    fn relinearize(
        &self,
        tensor: &Tensor<'_, CorePoly>,
        addends: &[Pair<&CorePoly>],
        digits: &Digits,
        key: &SwitchingKey<CorePoly>,
        to: &Basis,
        domain: Domain,
    ) -> Result<Pair<CorePoly>> {
        let (elements, wide) = refusals::relinearize(self, tensor, addends, digits, key)?;
        self.check_primes(to)?;
        let a = tensor.third;
        if matches!(digits, Digits::BaseTwo { .. }) {
            self.check_sources(&a.basis)?;
        }
        let switch = Switch {
            a,
            addends,
            digits,
            extended: &digits.extended(&a.basis)?,
            products: Some(tensor),
            wide,
        };
        self.switch(&switch, &elements, to, domain)
    }

    fn rotate(
        &self,
        first: &CorePoly,
        parts: &[CorePoly],
        digits: &Digits,
        key: &SwitchingKey<CorePoly>,
        exponent: u64,
    ) -> Result<Pair<CorePoly>> {
        let elements = refusals::rotate(self, first, parts, digits, key, exponent)?;
        let extended = digits.extended(&first.basis)?;
        let shift = operations::shift(&self.ring, exponent, Domain::Evaluation)?;
        let in_domain = |part: &CorePoly| {
            part.limbs
                .iter()
                .map(|limb| DigitLimb::Limb(Arc::clone(limb), part.domain))
                .collect()
        };
        let limbs: Vec<_> = parts.iter().map(in_domain).collect();
        let moved = self.operate(|session| {
            key_operations::rotate(session, first, &limbs, &elements, (digits, &extended), shift)
        })?;
        let [x, y] = moved.map(|limbs| self.poly(&extended, Domain::Evaluation, limbs));
        Ok((x, y))
    }
}

impl<M> fmt::Debug for CoreDevice<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CoreDevice")
            .field("ring", &self.ring)
            .field("configuration", &self.configuration)
            .finish_non_exhaustive()
    }
}
