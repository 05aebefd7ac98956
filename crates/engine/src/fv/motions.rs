//! What automorphisms do to noise.

use std::collections::HashMap;
use std::sync::Arc;

use ringmill_fv::noise::Roots;
use ringmill_fv::{Bins, FvError, Pairs, Parameters};
use ringmill_ring::{Split, embedding};

use crate::fv::packed::Unpacking;
use crate::fv::slot_maps::{MapPower, SlotMaps};

/// A linear map of noise: images under automorphisms, each times a constant, and the operand itself times a constant.
pub(crate) struct MapNoise<R: Roots> {
    pub moved: Vec<MovedNoise<R>>,
    pub kept: Option<Arc<R::Factor>>,
}

/// An image under an automorphism and what it is multiplied by, which other images may share.
pub(crate) struct MovedNoise<R: Roots> {
    pub motion: Arc<R::Motion>,
    pub factor: Arc<R::Factor>,
}

/// What the automorphisms of a plan do to noise.
pub(crate) struct Motions<R: Roots> {
    /// Of linear maps.
    pub maps: Vec<MapNoise<R>>,
    /// Of the splits by which packed inputs are taken apart: of each its automorphisms.
    pub unpacking: Vec<Vec<R::Motion>>,
}

impl Motions<Bins> {
    /// For all secrets: it does not matter which automorphisms they are.
    pub fn of_powers(maps: &[MapPower], unpacking: Option<&Unpacking>) -> Self {
        let moved = |power| MovedNoise {
            motion: Arc::new(()),
            factor: Arc::new(power),
        };
        let map = |power: &MapPower| MapNoise {
            moved: power.moved.map(moved).into_iter().collect(),
            kept: power.kept.map(Arc::new),
        };
        Self {
            maps: maps.iter().map(map).collect(),
            unpacking: splits(unpacking)
                .map(|split| vec![(); split.automorphisms().len()])
                .collect(),
        }
    }
}

impl Motions<Pairs> {
    /// From root to root, for one secret.
    pub fn of_pairs(
        pairs: &Pairs,
        parameters: &Parameters,
        maps: &SlotMaps,
        unpacking: Option<&Unpacking>,
    ) -> Result<Self, FvError> {
        let spectrum = |coefficients: &[i64]| -> Result<_, FvError> {
            let coefficients: Vec<f64> = coefficients.iter().map(|x| *x as f64).collect();
            let powers = embedding::powers(parameters.ring(), &coefficients)?;
            Ok(Arc::new(pairs.of_positions(&powers)?))
        };
        let factors = maps.factors().map(spectrum).collect::<Result<Vec<_>, _>>()?;
        let one = Arc::new(pairs.of_positions(&vec![1.0; parameters.n()])?);
        let mut motions = HashMap::new();
        for exponent in maps.exponents() {
            motions.insert(exponent, Arc::new(pairs.sources(exponent)?));
        }
        let map = |map: usize| {
            let mut noise = MapNoise {
                moved: Vec::new(),
                kept: None,
            };
            for term in maps.terms(map) {
                let factor = term.factor.and_then(|factor| factors.get(factor)).unwrap_or(&one);
                match motions.get(&term.exponent) {
                    Some(motion) => noise.moved.push(MovedNoise {
                        motion: Arc::clone(motion),
                        factor: Arc::clone(factor),
                    }),
                    None => noise.kept = Some(Arc::clone(factor)),
                }
            }
            noise
        };
        let unpacking = splits(unpacking).map(|split| {
            let exponents = split.exponents();
            exponents.map(|exponent| pairs.sources(exponent)).collect()
        });
        Ok(Self {
            maps: (0..maps.count()).map(map).collect(),
            unpacking: unpacking.collect::<Result<_, _>>()?,
        })
    }
}

fn splits(unpacking: Option<&Unpacking>) -> impl Iterator<Item = &Split> {
    unpacking.into_iter().flat_map(|unpacking| &unpacking.splits)
}
