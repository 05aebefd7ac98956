use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use ringmill_arith::Basis;
use ringmill_device::{Device, DeviceError, Digits, GroupedKey, KeyGroup, Pair, Tensor};
use ringmill_ring::Domain;

use super::{Configuration, CoreDevice, Counts, MemoryTiming, Stopwatch};
use crate::RtlError;

/// An operation of a device, as far as its time on a core depends on it: bases, domains and numbers of operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A transform to a domain.
    Transform {
        /// The basis.
        basis: Basis,
        /// The domain of the result.
        to: Domain,
    },
    /// A sum of so many terms.
    Sum {
        /// The basis.
        basis: Basis,
        /// The number of terms.
        terms: usize,
    },
    /// A difference.
    Subtract {
        /// The basis.
        basis: Basis,
    },
    /// A negation.
    Negate {
        /// The basis.
        basis: Basis,
    },
    /// Sums of products.
    InnerProducts {
        /// The basis.
        basis: Basis,
        /// For each sum the operands of its products, by their numbers among all that differ.
        sums: Vec<Vec<(usize, usize)>>,
        /// The domain of the results.
        to: Domain,
    },
    /// Products of polynomials with fixed factors.
    MultiplyFixed {
        /// The basis.
        basis: Basis,
        /// The number of polynomials.
        batch: usize,
        /// The number of factors.
        factors: usize,
    },
    /// An automorphism.
    Automorphism {
        /// The basis.
        basis: Basis,
        /// The domain.
        domain: Domain,
        /// Whether it is not the identity: all others take the same time.
        moves: bool,
    },
    /// Lifts of so many polynomials.
    Lifts {
        /// The basis.
        basis: Basis,
        /// The primes that are taken on.
        extension: Basis,
        /// The number of polynomials.
        polys: usize,
        /// The domain of the results.
        to: Domain,
    },
    /// A scaling.
    Scale {
        /// The basis.
        basis: Basis,
        /// The limbs that are kept.
        keep: usize,
    },
    /// A change of modulus.
    Rescale {
        /// The basis and the domain before it.
        from: (Basis, Domain),
        /// The basis and the domain after it.
        to: (Basis, Domain),
    },
    /// A decomposition into digits.
    Decompose {
        /// The basis and the domain.
        from: (Basis, Domain),
        /// The digits.
        digits: Digits,
    },
    /// A decomposition into digits in base 2^bits over some basis.
    DecomposeBaseTwo {
        /// The basis and the domain.
        from: (Basis, Domain),
        /// The bits of a digit.
        bits: u32,
        /// The basis of the digits.
        over: Basis,
    },
    /// Key switches with a key that is cut into groups.
    KeySwitchGrouped {
        /// The basis and the domain.
        from: (Basis, Domain),
        /// The number of polynomials.
        batch: usize,
        /// The bits of a digit.
        bits: u32,
        /// The primes of the key.
        auxiliary: Basis,
        /// The limbs of each group.
        groups: Vec<Basis>,
        /// The domain of the results.
        to: Domain,
    },
    /// A key switch.
    KeySwitch {
        /// The basis and the domain.
        from: (Basis, Domain),
        /// The domains of the addends.
        addends: Vec<Pair<Domain>>,
        /// The digits.
        digits: Digits,
        /// The basis and the domain of the result.
        to: (Basis, Domain),
    },
    /// A relinearization.
    Relinearize {
        /// The basis and the domain of the third part.
        third: (Basis, Domain),
        /// The basis of the products.
        wide: Basis,
        /// For the first and the second part the operands of its products, by their numbers among all that differ.
        sums: Vec<Vec<(usize, usize)>>,
        /// The domains of the addends.
        addends: Vec<Pair<Domain>>,
        /// The digits.
        digits: Digits,
        /// The basis and the domain of the result.
        to: (Basis, Domain),
    },
    /// A rotation.
    Rotate {
        /// The basis and the domain of the part without digits.
        first: (Basis, Domain),
        /// The digits.
        digits: Digits,
        /// Whether it is not the identity: all others take the same time.
        moves: bool,
    },
}

/// The core that only takes time, as a device.
type Clock = CoreDevice<Stopwatch>;

impl Operation {
    /// The counters of a core that does the operation with operands in memory and leaves its results there, before this
    /// memory.
    ///
    /// # Errors
    /// [`RtlError::Device`] for more primes than the core can do it with; [`RtlError::Ring`], [`RtlError::BadCore`].
    pub fn counts(&self, configuration: Configuration, memory: MemoryTiming) -> Result<Counts, RtlError> {
        let clock = CoreDevice::new(Stopwatch::new(configuration, memory, 1 << 44)?)?;
        for result in self.run(&clock)? {
            clock.download(&result)?;
        }
        clock.with_driver(|driver| Counts::of(driver.machine_mut()))
    }

    fn run(&self, clock: &Clock) -> Result<Vec<<Clock as Device>::Poly>, RtlError> {
        let n = clock.ring().n();
        let poly = |basis: &Basis, domain| clock.upload(basis, domain, &vec![0; n * basis.len()]);
        let in_domain = |(basis, domain): &(Basis, Domain)| poly(basis, *domain);
        let opposite = |domain| match domain {
            Domain::Coefficient => Domain::Evaluation,
            Domain::Evaluation => Domain::Coefficient,
        };
        let (coefficient, evaluation) = (Domain::Coefficient, Domain::Evaluation);
        Ok(match self {
            Self::Transform { basis, to } => vec![clock.transform(poly(basis, opposite(*to))?, *to)?],
            Self::Sum { basis, terms } => {
                let terms = (0..*terms).map(|_| poly(basis, coefficient));
                let terms = terms.collect::<Result<Vec<_>, _>>()?;
                vec![clock.sum(&terms.iter().collect::<Vec<_>>())?]
            }
            Self::Subtract { basis } => {
                vec![clock.sub(&poly(basis, coefficient)?, &poly(basis, coefficient)?)?]
            }
            Self::Negate { basis } => vec![clock.negate(&poly(basis, coefficient)?)?],
            Self::InnerProducts { basis, sums, to } => {
                let operands = operands(sums, || poly(basis, evaluation))?;
                let sums: Vec<_> = sums.iter().map(|pairs| pairs_of(&operands, pairs)).collect();
                clock.inner_products(&sums, 1, *to)?
            }
            Self::MultiplyFixed {
                basis,
                batch,
                factors,
            } => {
                let polys = |count, domain| {
                    (0..count)
                        .map(|_| poly(basis, domain))
                        .collect::<Result<Vec<_>, _>>()
                };
                let factors = polys(*factors, evaluation)?;
                let products =
                    clock.multiply_fixed(polys(*batch, coefficient)?, &factors.iter().collect::<Vec<_>>())?;
                products.into_iter().flatten().collect()
            }
            Self::Automorphism { basis, domain, moves } => {
                vec![clock.automorphism(&poly(basis, *domain)?, exponent(*moves))?]
            }
            Self::Lifts {
                basis,
                extension,
                polys,
                to,
            } => {
                let polys = (0..*polys).map(|_| poly(basis, coefficient));
                let polys = polys.collect::<Result<Vec<_>, _>>()?;
                clock.lifts(&polys.iter().collect::<Vec<_>>(), extension, *to)?
            }
            Self::Scale { basis, keep } => vec![clock.scale(&poly(basis, coefficient)?, 2, *keep)?],
            Self::Rescale { from, to } => vec![clock.rescale(&in_domain(from)?, &to.0, to.1)?],
            Self::Decompose { from, digits } => clock.decompose(&in_domain(from)?, digits)?,
            Self::DecomposeBaseTwo { from, bits, over } => {
                clock.decompose_base_two(&in_domain(from)?, *bits, over)?
            }
            Self::KeySwitchGrouped {
                from,
                batch,
                bits,
                auxiliary,
                groups,
                to,
            } => {
                let key = grouped_key(clock, &from.0, *bits, auxiliary, groups)?;
                let batch = (0..*batch).map(|_| in_domain(from));
                let batch = batch.collect::<Result<Vec<_>, _>>()?;
                clock.key_switch_grouped(&batch.iter().collect::<Vec<_>>(), &key, *to)?
            }
            Self::KeySwitch {
                from,
                addends,
                digits,
                to,
            } => {
                let key = key(clock, digits, &from.0)?;
                let addend =
                    |domains: &Pair<Domain>| Ok((poly(&from.0, domains.0)?, poly(&from.0, domains.1)?));
                let addends = addends.iter().map(addend).collect::<Result<Vec<_>, RtlError>>()?;
                let addends: Vec<_> = addends.iter().map(|pair| (&pair.0, &pair.1)).collect();
                let (b, a) = clock.key_switch(&in_domain(from)?, &addends, digits, &key, &to.0, to.1)?;
                vec![b, a]
            }
            Self::Relinearize {
                third,
                wide,
                sums,
                addends,
                digits,
                to,
            } => {
                let key = key(clock, digits, &third.0)?;
                let operands = operands(sums, || poly(wide, evaluation))?;
                let addend =
                    |domains: &Pair<Domain>| Ok((poly(&third.0, domains.0)?, poly(&third.0, domains.1)?));
                let addends = addends.iter().map(addend).collect::<Result<Vec<_>, RtlError>>()?;
                let addends: Vec<_> = addends.iter().map(|pair| (&pair.0, &pair.1)).collect();
                let tensor = Tensor {
                    sums: [0, 1].map(|side| pairs_of(&operands, sums.get(side).map_or(&[], Vec::as_slice))),
                    multiplier: 2,
                    third: &in_domain(third)?,
                };
                let (b, a) = clock.relinearize(&tensor, &addends, digits, &key, &to.0, to.1)?;
                vec![b, a]
            }
            Self::Rotate { first, digits, moves } => {
                let key = key(clock, digits, &first.0)?;
                let extended = digits.extended(&first.0)?;
                let parts = digits.elements(&first.0).into_iter();
                let parts = parts
                    .map(|_| poly(&extended, evaluation))
                    .collect::<Result<Vec<_>, _>>()?;
                let (b, a) = clock.rotate(&in_domain(first)?, &parts, digits, &key, exponent(*moves))?;
                vec![b, a]
            }
        })
    }
}

/// The operands of sums of products, by their numbers.
fn operands<P>(
    sums: &[Vec<(usize, usize)>],
    poly: impl Fn() -> Result<P, DeviceError>,
) -> Result<BTreeMap<usize, P>, DeviceError> {
    let mut operands = BTreeMap::new();
    for at in sums.iter().flatten().flat_map(|&(a, b)| [a, b]) {
        if let Entry::Vacant(entry) = operands.entry(at) {
            entry.insert(poly()?);
        }
    }
    Ok(operands)
}

fn pairs_of<'a, P>(operands: &'a BTreeMap<usize, P>, pairs: &[(usize, usize)]) -> Vec<(&'a P, &'a P)> {
    let pair = |(a, b): &(usize, usize)| Some((operands.get(a)?, operands.get(b)?));
    pairs.iter().filter_map(pair).collect()
}

/// The exponent of an automorphism: 2 is a unit modulo every odd number.
fn exponent(moves: bool) -> u64 {
    1 + u64::from(moves)
}

/// A grouped key with elements for all digits of a polynomial over this basis.
fn grouped_key(
    clock: &Clock,
    basis: &Basis,
    bits: u32,
    auxiliary: &Basis,
    groups: &[Basis],
) -> Result<GroupedKey<<Clock as Device>::Poly>, RtlError> {
    let count = Digits::BaseTwo { bits }.elements(basis).len();
    let words = vec![0; clock.ring().n() * auxiliary.len()];
    let group = |limbs: &Basis| {
        let elements = (0..count).map(|_| clock.upload(auxiliary, Domain::Evaluation, &words));
        Ok::<_, RtlError>(KeyGroup {
            limbs: limbs.clone(),
            elements: elements.collect::<Result<_, _>>()?,
        })
    };
    Ok(GroupedKey {
        bits,
        auxiliary: auxiliary.clone(),
        groups: groups.iter().map(group).collect::<Result<_, _>>()?,
    })
}

/// A key with elements for all digits of a polynomial over this basis.
fn key(
    clock: &Clock,
    digits: &Digits,
    basis: &Basis,
) -> Result<Vec<Pair<<Clock as Device>::Poly>>, RtlError> {
    let extended = digits.extended(basis)?;
    let words = vec![0; clock.ring().n() * extended.len()];
    let half = || clock.upload(&extended, Domain::Evaluation, &words);
    let count = digits.elements(basis).last().map_or(0, |last| last + 1);
    (0..count).map(|_| Ok((half()?, half()?))).collect()
}
