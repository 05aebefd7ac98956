use std::sync::Arc;

use ringmill_arith::Basis;
use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::{Device, GroupedKey, KeyGroup};
use ringmill_ring::Domain;

use super::groups::groups;
use super::{Ciphertext, Context, NoiseModel};
use crate::ntru::{NtruError, NtruScheme, Parameters, PreparedOperand, Scheme, Sealed, T};

/// The scheme LTV, as a type parameter.
#[derive(Debug, Clone, Copy)]
pub enum Ltv {}

impl Sealed for Ltv {}

impl NtruScheme for Ltv {
    const SCHEME: Scheme = Scheme::Ltv;
    /// Products are pointwise.
    const DOMAIN: Domain = Domain::Evaluation;
    const TOGETHER: usize = 8;
    /// The groups of primes that evaluation keys are cut into.
    type Tables = Vec<Basis>;
    type Elements<D: Device> = GroupedKey<D::Poly>;

    fn tables(parameters: &Parameters) -> Result<Vec<Basis>, NtruError> {
        groups(parameters)
    }

    fn stream(seed: &Seed) -> Stream {
        Stream::new(&seed.derive("message", 0))
    }

    /// The ciphertext itself.
    fn factor<D: Device>(_: &Context<D>, a: &Ciphertext<D>) -> Result<PreparedOperand<Self, D>, NtruError> {
        Ok(PreparedOperand(Arc::clone(&a.0)))
    }

    /// 2 sum b b'.
    fn multiply<D: Device>(
        context: &Context<D>,
        pairs: &[(&D::Poly, &D::Poly)],
        _: usize,
    ) -> Result<D::Poly, NtruError> {
        let mut sums = context
            .device()
            .inner_products(&[pairs.to_vec()], T, Domain::Coefficient)?;
        sums.pop().ok_or(NtruError::NoOperands)
    }

    fn no_elements<D: Device>(context: &Context<D>) -> GroupedKey<D::Poly> {
        let groups = context.tables().iter().map(|limbs| KeyGroup {
            limbs: limbs.clone(),
            elements: Vec::new(),
        });
        GroupedKey {
            bits: context.parameters().digit_bits(),
            auxiliary: context.parameters().auxiliary().clone(),
            groups: groups.collect(),
        }
    }

    /// Keeps for each group the element's centred value there, over the auxiliary primes.
    fn push_element<D: Device>(
        context: &Context<D>,
        key: &mut GroupedKey<D::Poly>,
        element: D::Poly,
    ) -> Result<(), NtruError> {
        let (device, auxiliary) = (context.device(), context.parameters().auxiliary());
        let element = device.transform(element, Domain::Coefficient)?;
        for group in &mut key.groups {
            let own = device.restrict(&element, &group.limbs)?;
            let lifted = device.lift(&own, auxiliary, Domain::Coefficient)?;
            let cut = device.restrict(&lifted, auxiliary)?;
            group.elements.push(device.transform(cut, Domain::Evaluation)?);
        }
        Ok(())
    }

    /// Puts the groups together again.
    fn element<D: Device>(
        context: &Context<D>,
        key: &GroupedKey<D::Poly>,
        k: usize,
    ) -> Result<D::Poly, NtruError> {
        let device = context.device();
        let mut limbs = Vec::new();
        for group in &key.groups {
            let cut = group.elements.get(k).ok_or(NtruError::NoOperands)?;
            let cut = context.in_domain(cut, Domain::Coefficient)?;
            let lifted = device.lift(&cut, &group.limbs, Domain::Coefficient)?;
            limbs.push(device.restrict(&lifted, &group.limbs)?);
        }
        let joined = device.concat_limbs(&limbs.iter().collect::<Vec<_>>())?;
        Ok(device.transform(joined, Domain::Evaluation)?)
    }

    fn switch_keys<D: Device>(
        context: &Context<D>,
        key: &GroupedKey<D::Poly>,
        products: &[&D::Poly],
    ) -> Result<Vec<D::Poly>, NtruError> {
        Ok(context
            .device()
            .key_switch_grouped(products, key, Domain::Coefficient)?)
    }

    fn depth(noise: &NoiseModel) -> Result<usize, NtruError> {
        noise.depth(1)
    }
}
