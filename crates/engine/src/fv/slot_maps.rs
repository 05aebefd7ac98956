//! Linear maps as automorphisms and products with constants.

use std::collections::BTreeSet;

use rayon::prelude::*;
use ringmill_circuit::RowMap;
use ringmill_fv::Parameters;
use ringmill_ring::{FermatRing, RowEntry, Slots, embedding};

use crate::{Layout, PlanError};

/// The linear maps of a program in the slots of one ring: each the sum of automorphisms x -> x^k of the
/// operand, multiplied by constants.
#[derive(Debug, Clone, Default)]
pub struct SlotMaps {
    maps: Vec<Vec<MapTerm>>,
    factors: Vec<Factor>,
    powers: Vec<MapPower>,
}

/// The bytes of a constant, a byte for each slot, and the coefficients that it is multiplied as.
type Factor = (Vec<u8>, Vec<i64>);

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
        let mut constants: Vec<Vec<u8>> = Vec::new();
        let mut result = Self {
            maps: vec![Vec::new(); maps.len()],
            ..Self::default()
        };
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
                    Some(position(&mut constants, layout.held_factors(term.factors)))
                };
                result.maps[index].push(MapTerm {
                    exponent: term.exponent,
                    factor,
                });
            }
        }
        result.maps.extend(moves.iter().map(|exponent| {
            vec![MapTerm {
                exponent: *exponent,
                factor: None,
            }]
        }));
        // Each takes many transforms.
        let lifts = constants
            .into_par_iter()
            .map(|bytes| lift(bytes, slots, parameters));
        let lifts = lifts.collect::<Result<Vec<_>, PlanError>>()?;
        let spectra: Vec<Vec<f64>>;
        (result.factors, spectra) = lifts.into_iter().unzip();
        let maps = result.maps.iter();
        result.powers = maps.map(|terms| power(terms, &spectra)).collect();
        Ok(result)
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

/// The place of a constant among others, to which it is added unless it is one of them.
fn position(constants: &mut Vec<Vec<u8>>, bytes: Vec<u8>) -> usize {
    let known = constants.iter().position(|constant| *constant == bytes);
    known.unwrap_or_else(|| {
        constants.push(bytes);
        constants.len() - 1
    })
}

/// A constant with the coefficients that it is multiplied as, and the powers of these at all roots.
fn lift(bytes: Vec<u8>, slots: &Slots, parameters: &Parameters) -> Result<(Factor, Vec<f64>), PlanError> {
    let (lift, _) = embedding::small_lift(fermat_ring(parameters)?, &slots.encode_bytes(&bytes)?)?;
    let coefficients: Vec<f64> = lift.iter().map(|x| *x as f64).collect();
    let powers = embedding::powers(parameters.ring(), &coefficients)?.to_vec();
    Ok(((bytes, lift), powers))
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
