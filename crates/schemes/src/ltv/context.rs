use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Device, WordKey};
use ringmill_fv::Scaling;

use crate::ntru::{Base, NtruError, Parameters, Scheme, T};

/// LTV parameters on a device: keys, encryption and evaluation.
pub struct Context<D: Device> {
    pub(super) base: Base<D>,
    /// From level 1 on.
    scalings: Vec<Scaling>,
    /// The groups of primes that evaluation keys are cut into.
    pub(super) groups: Vec<Basis>,
}

impl<D: Device> Context<D> {
    /// Makes all tables.
    ///
    /// # Errors
    /// [`NtruError::WrongScheme`], [`NtruError::WrongRing`]; [`NtruError::BadParameter`] if the auxiliary
    /// primes cannot hold the sums of a relinearization.
    pub fn new(parameters: Parameters, device: Arc<D>) -> Result<Self, NtruError> {
        let groups = groups(&parameters)?;
        let base = Base::new(parameters, Scheme::Ltv, device)?;
        let parameters = base.parameters();
        let scalings = (1..=parameters.levels())
            .map(|level| Ok(Scaling::new(parameters.q_at(level)?, T, base.kernel())));
        Ok(Self {
            scalings: scalings.collect::<Result<_, NtruError>>()?,
            base,
            groups,
        })
    }

    /// What LTV shares with other schemes: parameters, device, secret and public keys, slots.
    #[must_use]
    pub fn base(&self) -> &Base<D> {
        &self.base
    }

    pub(super) fn device(&self) -> &D {
        self.base.device()
    }

    /// The scaling between messages and a level.
    pub(super) fn scaling(&self, level: usize) -> Result<&Scaling, NtruError> {
        let scaling = level.checked_sub(1).and_then(|i| self.scalings.get(i));
        scaling.ok_or(NtruError::BadLevel {
            level,
            levels: self.scalings.len(),
        })
    }

    /// The words of a product at the highest level: the elements of an evaluation key.
    pub(super) fn words(&self) -> usize {
        words(self.base.parameters())
    }
}

fn words(parameters: &Parameters) -> usize {
    let bits = parameters.digit_bits();
    (ringmill_device::Digits::Words { bits })
        .elements(parameters.pool())
        .len()
}

/// The primes of the pool in order, each group as long as the auxiliary primes can hold.
fn groups(parameters: &Parameters) -> Result<Vec<Basis>, NtruError> {
    let (bits, expansion) = (parameters.digit_bits(), parameters.ring().expansion());
    let fits = |group: &[Modulus]| {
        let log2 = group.iter().map(|q| (q.value() as f64).log2()).sum();
        let needed = WordKey::<()>::auxiliary_bits(bits, words(parameters), log2, expansion);
        // The hair is for the rounding of logarithms.
        needed + 1e-6 < parameters.auxiliary().log2()
    };
    let mut groups: Vec<Vec<Modulus>> = Vec::new();
    for q in parameters.pool().moduli() {
        if !fits(&[*q]) {
            return Err(NtruError::BadParameter {
                name: "auxiliary",
                problem: format!(
                    "{} primes cannot hold a sum of words times residues modulo {}; choose more",
                    parameters.auxiliary().len(),
                    q.value()
                ),
            });
        }
        match groups.last_mut() {
            Some(group) if fits(&[&group[..], &[*q]].concat()) => group.push(*q),
            _ => groups.push(vec![*q]),
        }
    }
    let groups = groups.iter().map(|group| Ok(Basis::new(group)?));
    groups.collect()
}
