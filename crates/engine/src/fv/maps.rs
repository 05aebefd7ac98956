use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, Decomposed, FvError, PlaintextOperand, Rotation, RotationSum};

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

    /// The terms of a sum, operands and exponents by their numbers, which are given out as they come.
    fn sum<'b>(
        &'b self,
        sum: &MapSum<'b, Ciphertext<D>, Decomposed<D>>,
        (operands, exponents): (&mut Vec<&'b Decomposed<D>>, &mut Vec<u64>),
    ) -> RotationSum<'b, D> {
        let mut terms = Vec::new();
        for (decomposed, map) in &sum.images {
            let operand = number(operands, |known| std::ptr::eq(*known, *decomposed), decomposed);
            for term in self.maps.terms(map.index()) {
                let exponent = term.exponent;
                terms.push(Rotation {
                    operand,
                    key: (exponent != 1).then(|| number(exponents, |known| *known == exponent, &exponent)),
                    factor: term.factor.map(|factor| &self.constants[factor]),
                });
            }
        }
        RotationSum {
            terms,
            addends: sum.terms.clone(),
            level: sum.level,
        }
    }
}

/// The place of something in a list, to which it is added if it is not there.
fn number<T: Copy>(list: &mut Vec<T>, is: impl Fn(&T) -> bool, new: &T) -> usize {
    let known = list.iter().position(is);
    known.unwrap_or_else(|| {
        list.push(*new);
        list.len() - 1
    })
}

impl<'s, D: Device> LinearMaps<FvScheme<'s, D>> for FvMaps<'_, D> {
    type Rotations = Decomposed<D>;

    fn rotate(&self, a: &Ciphertext<D>, exponents: &[u64]) -> Result<Self::Rotations, Failure> {
        Ok(match exponents {
            [1] => self.context.unmoved(a)?,
            _ => self.context.decompose(a)?,
        })
    }

    fn map_all(
        &self,
        sums: &[MapSum<'_, Ciphertext<D>, Self::Rotations>],
    ) -> Result<Vec<Ciphertext<D>>, Failure> {
        let (mut operands, mut exponents) = (Vec::new(), Vec::new());
        let sums: Vec<_> = sums
            .iter()
            .map(|sum| self.sum(sum, (&mut operands, &mut exponents)))
            .collect();
        let keys = exponents.iter().map(|exponent| {
            let key = self.keys.rotation(*exponent);
            key.ok_or(FvError::NoOperands)
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        Ok(self.context.sum_rotations(&operands, &keys, &sums)?)
    }
}
