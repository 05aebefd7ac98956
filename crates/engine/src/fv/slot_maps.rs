//! Linear maps as automorphisms and products with constants.

use std::collections::BTreeSet;

use ringmill_circuit::RowMap;
use ringmill_fv::Parameters;
use ringmill_ring::{FermatRing, RowEntry, Slots, embedding};

use crate::{Layout, PlanError};

/// The linear maps of a program in the slots of one ring: each the sum of automorphisms x -> x^k of the
/// operand, multiplied by constants.
#[derive(Debug, Clone, Default)]
pub struct SlotMaps {
    maps: Vec<Vec<MapTerm>>,
    /// The bytes of each constant, a byte for each slot, and the coefficients it is multiplied as.
    factors: Vec<(Vec<u8>, Vec<i64>)>,
    powers: Vec<MapPower>,
}

/// One automorphism of a linear map's operand and what it is multiplied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapTerm {
    /// k of x -> x^k; 1 is the identity.
    pub exponent: u64,
    /// The constant, among [`SlotMaps::factors`]; `None` for 1.
    pub factor: Option<usize>,
}

/// What a map does to noise: the largest power of its constants together at a root, of those that
/// multiply an automorphism of the operand and of that which multiplies the operand itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MapPower {
    pub moved: Option<f64>,
    pub kept: Option<f64>,
}

impl SlotMaps {
    /// Arranges maps of rows of the given number of bytes in the slots of a ring; automorphisms that move records come
    /// after them.
    pub(crate) fn new(
        (maps, moves): (&[RowMap], &[u64]),
        used: &BTreeSet<usize>,
        slots: &Slots,
        layout: &Layout,
        parameters: &Parameters,
    ) -> Result<Self, PlanError> {
        let mut result = Self {
            maps: vec![Vec::new(); maps.len()],
            factors: Vec::new(),
            powers: vec![
                MapPower {
                    moved: None,
                    kept: None
                };
                maps.len()
            ],
        };
        let mut spectra: Vec<Vec<f64>> = Vec::new();
        for &index in used.range(..maps.len()) {
            let entries = maps[index].entries().iter().map(|entry| RowEntry {
                target: entry.target,
                source: entry.source,
                frobenius: entry.frobenius,
                factor: entry.factor,
            });
            for term in layout.rows().compile(&entries.collect::<Vec<_>>())? {
                let factor = if term.factors.iter().all(|byte| *byte == 1) {
                    None
                } else {
                    let held = layout.held_factors(term.factors);
                    Some(result.factor(held, slots, parameters, &mut spectra)?)
                };
                result.maps[index].push(MapTerm {
                    exponent: term.exponent,
                    factor,
                });
            }
            result.powers[index] = power(&result.maps[index], &spectra);
        }
        for exponent in moves {
            let term = MapTerm {
                exponent: *exponent,
                factor: None,
            };
            result.powers.push(power(&[term], &spectra));
            result.maps.push(vec![term]);
        }
        Ok(result)
    }

    /// The number of a constant, and its powers at all roots the first time.
    fn factor(
        &mut self,
        bytes: Vec<u8>,
        slots: &Slots,
        parameters: &Parameters,
        spectra: &mut Vec<Vec<f64>>,
    ) -> Result<usize, PlanError> {
        if let Some(known) = self.factors.iter().position(|factor| factor.0 == bytes) {
            return Ok(known);
        }
        let fermat = fermat_ring(parameters)?;
        let (lift, _) = embedding::small_lift(fermat, &slots.encode_bytes(&bytes)?)?;
        let coefficients: Vec<f64> = lift.iter().map(|x| *x as f64).collect();
        spectra.push(embedding::powers(parameters.ring(), &coefficients)?.to_vec());
        self.factors.push((bytes, lift));
        Ok(self.factors.len() - 1)
    }

    /// The terms of a map, by its place in the circuit.
    #[must_use]
    pub fn terms(&self, map: usize) -> &[MapTerm] {
        &self.maps[map]
    }

    /// How many maps there are.
    pub(crate) fn count(&self) -> usize {
        self.maps.len()
    }

    /// The constants, as plaintexts of small coefficients.
    pub fn factors(&self) -> impl ExactSizeIterator<Item = &[i64]> {
        self.factors.iter().map(|(_, lift)| lift.as_slice())
    }

    /// The automorphisms of all maps, but the identity; ascending.
    #[must_use]
    pub fn exponents(&self) -> BTreeSet<u64> {
        let exponents = self.maps.iter().flatten().map(|term| term.exponent);
        exponents.filter(|exponent| *exponent != 1).collect()
    }

    pub(crate) fn powers(&self) -> &[MapPower] {
        &self.powers
    }
}

/// The Fermat ring of parameters, in which bits and bytes have slots.
pub(crate) fn fermat_ring(parameters: &Parameters) -> Result<&FermatRing, PlanError> {
    parameters
        .ring()
        .as_fermat()
        .ok_or_else(|| PlanError::NoBitSlots {
            name: parameters.name().to_string(),
        })
}

/// Constants of one map add up at each root: they multiply noises of different roots, which are taken as
/// independent.
fn power(terms: &[MapTerm], spectra: &[Vec<f64>]) -> MapPower {
    let largest = |wanted: &dyn Fn(&MapTerm) -> bool| {
        let wanted: Vec<&MapTerm> = terms.iter().filter(|term| wanted(term)).collect();
        if wanted.is_empty() {
            return None;
        }
        let plain = wanted.iter().filter(|term| term.factor.is_none()).count() as f64;
        let spectra: Vec<&Vec<f64>> = wanted
            .iter()
            .filter_map(|term| term.factor.map(|factor| &spectra[factor]))
            .collect();
        let roots = spectra.first().map_or(1, |spectrum| spectrum.len());
        let sums = (0..roots).map(|root| plain + spectra.iter().map(|s| s[root]).sum::<f64>());
        Some(sums.fold(0.0, f64::max))
    };
    MapPower {
        moved: largest(&|term| term.exponent != 1),
        kept: largest(&|term| term.exponent == 1),
    }
}

#[cfg(test)]
pub(crate) mod tests;
