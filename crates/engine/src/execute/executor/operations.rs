//! The calls that each operation makes to the scheme.

use super::{Executor, missing};
use crate::error::Failure;
use crate::execute::codec::Codec;
use crate::execute::linear_maps::{LinearMaps, MapSum};
use crate::execute::scheme::ProductSum;
use crate::{ClearId, Operation, OperationKind, Scheme, Side, ValueId};

impl<S: Scheme, M: LinearMaps<S>, K: Codec<S::Ciphertext>> Executor<'_, S, M, K> {
    /// Makes the values of a task: several products or linear maps, or one of anything.
    pub(super) fn make(&self, task: &[ValueId]) -> Result<Vec<S::Ciphertext>, Failure> {
        let (scheme, meter) = (self.scheme, &self.meter);
        let step = &self.schedule.steps[task[0].0];
        let made = match &step.operation {
            Operation::Product { .. } => return self.products(task),
            Operation::Map { .. } => return self.linear_maps(task),
            // Inputs are in no wave.
            Operation::Input { .. } => return Err(missing(task[0]).into()),
            Operation::PlainProduct { operand, factor } => meter.time(OperationKind::Plain, 1, || {
                let factor = self.encode(*factor)?;
                Ok::<_, Failure>(scheme.multiply_plain(self.value(*operand)?, &factor)?)
            })?,
            Operation::Linear { terms, clear } => self.sum(terms, *clear)?,
            Operation::Switch { operand } => {
                let operand = self.value(*operand)?;
                meter.time(OperationKind::Switch, 1, || scheme.switch(operand, step.level))?
            }
        };
        Ok(vec![made])
    }

    /// Sums of products, all of one level and to be brought to one.
    fn products(&self, task: &[ValueId]) -> Result<Vec<S::Ciphertext>, Failure> {
        let level = self.schedule.steps[task[0].0].level;
        let (mut sums, mut clears) = (Vec::new(), Vec::new());
        for value in task {
            if let Operation::Product { pairs, terms, clear } = &self.schedule.steps[value.0].operation {
                sums.push(ProductSum {
                    product: self
                        .meter
                        .time(OperationKind::Multiply, 1, || self.multiply(pairs))?,
                    terms: self.values(terms)?,
                });
                clears.push(*clear);
            }
        }
        let made = self.meter.time(OperationKind::Relinearize, sums.len(), || {
            self.scheme.relinearize_all(sums, level)
        })?;
        self.add_all_clear(made, clears)
    }

    fn multiply(&self, pairs: &[(ValueId, ValueId)]) -> Result<S::Product<'_>, Failure> {
        let factor = |value: &ValueId, side: Side| {
            let found = self.factors.get(&(*value, side));
            found.ok_or_else(|| missing(*value))
        };
        let [first, second] = self.schedule.sides;
        let pairs = pairs
            .iter()
            .map(|(a, b)| Ok((factor(a, first)?, factor(b, second)?)));
        let pairs = pairs.collect::<Result<Vec<_>, Failure>>()?;
        Ok(self.scheme.multiply(&pairs)?)
    }

    /// Several linear maps of operands of one level.
    fn linear_maps(&self, task: &[ValueId]) -> Result<Vec<S::Ciphertext>, Failure> {
        let (mut sums, mut clears) = (Vec::new(), Vec::new());
        for value in task {
            let step = &self.schedule.steps[value.0];
            if let Operation::Map { images, terms, clear } = &step.operation {
                let images = images.iter().map(|(operand, map)| {
                    let rotations = self.rotations.get(operand).ok_or_else(|| missing(*operand));
                    Ok((rotations?, *map))
                });
                sums.push(MapSum {
                    images: images.collect::<Result<_, Failure>>()?,
                    terms: self.values(terms)?,
                    level: step.level,
                });
                clears.push(*clear);
            }
        }
        let made = self
            .meter
            .time(OperationKind::Map, 1, || self.maps.map_all(&sums))?;
        self.add_all_clear(made, clears)
    }

    fn add_all_clear(
        &self,
        made: Vec<S::Ciphertext>,
        clears: Vec<Option<ClearId>>,
    ) -> Result<Vec<S::Ciphertext>, Failure> {
        let sums = made.into_iter().zip(clears);
        sums.map(|(sum, clear)| self.add_clear(sum, clear)).collect()
    }

    /// Adds a value in the clear, if there is one.
    fn add_clear(&self, sum: S::Ciphertext, clear: Option<ClearId>) -> Result<S::Ciphertext, Failure> {
        let Some(clear) = clear else {
            return Ok(sum);
        };
        self.meter.time(OperationKind::Plain, 1, || {
            match self.schedule.clear.constant(clear) {
                Some(complement) => Ok(self.scheme.sum(&[&sum], complement)?),
                None => {
                    let term = self.clear_term(clear, self.scheme.level(&sum))?;
                    Ok(self.scheme.sum(&[&sum, &term], false)?)
                }
            }
        })
    }

    fn sum(&self, terms: &[ValueId], clear: Option<ClearId>) -> Result<S::Ciphertext, Failure> {
        let (scheme, meter) = (self.scheme, &self.meter);
        let mut values = self.values(terms)?;
        let constant = clear.map(|clear| self.schedule.clear.constant(clear));
        let (Some(clear), Some(None), Some(first)) = (clear, constant, values.first()) else {
            let complement = constant == Some(Some(true));
            return Ok(meter.time(OperationKind::Sum, 1, || scheme.sum(&values, complement))?);
        };
        let level = scheme.level(first);
        let term = meter.time(OperationKind::Plain, 1, || self.clear_term(clear, level))?;
        values.push(&term);
        Ok(meter.time(OperationKind::Sum, 1, || scheme.sum(&values, false))?)
    }
}
