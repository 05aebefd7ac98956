use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::{Device, WordKey};
use ringmill_fv::{Plaintext, Scaling};
use ringmill_ring::Domain;

use super::NoiseModel;
use crate::ntru::{Base, NtruError, Parameters, Scheme, T};

/// LTV parameters on a device: keys, encryption and evaluation.
pub struct Context<D: Device> {
    pub(super) base: Base<D>,
    /// From level 1 on.
    scalings: Vec<Scaling>,
    /// The groups of primes that evaluation keys are cut into.
    pub(super) groups: Vec<Basis>,
    /// 1 in every slot, over the pool: what is added for a message modulo a prime does not depend on the level.
    pub(super) ones: D::Poly,
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
        let scalings = scalings.collect::<Result<Vec<_>, NtruError>>()?;
        let ones = base.encode(&vec![true; base.slots().len()])?;
        let top = scalings.last().ok_or(NtruError::NoOperands)?;
        Ok(Self {
            ones: message(&base, parameters.pool(), top, &ones)?,
            scalings,
            base,
            groups,
        })
    }

    /// What LTV shares with other schemes: parameters, device, secret and public keys, slots.
    #[must_use]
    pub fn base(&self) -> &Base<D> {
        &self.base
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        self.base.parameters()
    }

    /// The noise model of the parameters.
    #[must_use]
    pub fn noise_model(&self) -> NoiseModel {
        NoiseModel::new(&self.base)
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

    /// What is added to a ciphertext of a level for a message, in evaluation domain.
    pub(super) fn message(&self, level: usize, plaintext: &Plaintext) -> Result<D::Poly, NtruError> {
        let basis = self.base.parameters().q_at(level)?;
        message(&self.base, basis, self.scaling(level)?, plaintext)
    }

    /// The words of a product at the highest level: the elements of an evaluation key.
    pub(super) fn words(&self) -> usize {
        words(self.base.parameters())
    }
}

/// round(q m / 2) over a basis of product q, in evaluation domain.
fn message<D: Device>(
    base: &Base<D>,
    basis: &Basis,
    scaling: &Scaling,
    plaintext: &Plaintext,
) -> Result<D::Poly, NtruError> {
    base.require_plaintext(plaintext)?;
    let mut words = vec![0; basis.len() * base.n()];
    scaling.add_all(plaintext.coefficients(), &mut words);
    let message = base.device().upload(basis, Domain::Coefficient, &words)?;
    Ok(base.device().transform(message, Domain::Evaluation)?)
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
