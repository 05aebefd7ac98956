use std::collections::HashMap;

use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Combination, Context, ExtendedCiphertext, FvError, PlaintextOperand};
use ringmill_ring::Domain;

use super::{EvaluationKeys, FvScheme};
use crate::SlotMaps;
use crate::error::Failure;
use crate::execute::linear_maps::{LinearMaps, MapSum};
use crate::execute::workers::for_each;

/// Linear maps over FV: sums of automorphisms, multiplied by constants.
pub(crate) struct FvMaps<'a, D: Device> {
    context: &'a Context<D>,
    keys: &'a EvaluationKeys<D>,
    maps: &'a SlotMaps,
    constants: Vec<PlaintextOperand<D>>,
}

impl<'a, D: Device> FvMaps<'a, D> {
    /// Makes the constants ready.
    pub fn new(
        context: &'a Context<D>,
        keys: &'a EvaluationKeys<D>,
        maps: &'a SlotMaps,
    ) -> Result<Self, FvError> {
        let lifts: Vec<&[i64]> = maps.factors().collect();
        Ok(Self {
            context,
            keys,
            maps,
            constants: for_each(lifts.len(), |i| context.factor(lifts[i]))?,
        })
    }

    /// The rotations that a map is a sum of, with their constants.
    fn combination<'b>(
        &'b self,
        sum: &MapSum<'b, Ciphertext<D>, HashMap<u64, ExtendedCiphertext<D>>>,
    ) -> Result<Combination<'b, D>, FvError> {
        let mut rotated = Vec::new();
        for (rotations, map) in &sum.images {
            for term in self.maps.terms(map.index()) {
                let extended = rotations.get(&term.exponent).ok_or(FvError::NoOperands)?;
                rotated.push((extended, term.factor.map(|factor| &self.constants[factor])));
            }
        }
        Ok(Combination {
            terms: rotated,
            addends: sum.terms.clone(),
            level: sum.level,
        })
    }
}

impl<'s, D: Device> LinearMaps<FvScheme<'s, D>> for FvMaps<'_, D> {
    /// By exponent.
    type Rotations = HashMap<u64, ExtendedCiphertext<D>>;

    fn rotate(&self, a: &Ciphertext<D>, exponents: &[u64]) -> Result<Self::Rotations, Failure> {
        let decomposed = self.context.decompose(a)?;
        let rotate = |exponent: &u64| {
            let extended = match exponent {
                1 => self.context.extend_by_p(a)?,
                _ => {
                    let key = self.keys.rotation(*exponent).ok_or(FvError::NoOperands)?;
                    self.context.rotate(&decomposed, key)?
                }
            };
            Ok((*exponent, extended))
        };
        exponents.iter().map(rotate).collect()
    }

    fn map_all(
        &self,
        sums: &[MapSum<'_, Ciphertext<D>, Self::Rotations>],
    ) -> Result<Vec<Ciphertext<D>>, Failure> {
        let combinations = sums.iter().map(|sum| self.combination(sum));
        let combinations = combinations.collect::<Result<Vec<_>, _>>()?;
        Ok(self.context.combine_all(&combinations, Domain::Coefficient)?)
    }
}
