//! The device's operations that take polynomials from some primes to others.

use std::sync::Arc;

use ringmill_arith::{Basis, Modulus};
use ringmill_device::BasisChange;
use ringmill_ring::Domain;

use super::chain::{Chain, Job};
use super::conversion::most_targets;
use super::digits::Digit;
use super::operations::{self, Limbs};
use super::places::Limb;
use super::poly::CorePoly;
use super::session::{Session, TableUse};
use super::{ConversionKind, Machine};
use crate::RtlError;

type Result<T, E = RtlError> = std::result::Result<T, E>;

/// What is converted: limbs of the primes of one basis, and limbs of those of another if the result depends on them. Where
/// these are times 0, any limb will do.
struct Sources<'a> {
    limbs: Vec<&'a Arc<Limb>>,
    own: Vec<&'a Arc<Limb>>,
}

/// Lifts polynomials in coefficient domain: their limbs modulo the primes of the extension, in the domain asked for.
pub(super) fn lifts<M: Machine>(
    session: &mut Session<M>,
    polys: &[&CorePoly],
    extension: &Basis,
    to: Domain,
) -> Result<Vec<Limbs>> {
    let Some(first) = polys.first() else {
        return Ok(Vec::new());
    };
    let sources = polys.iter().map(|a| Sources {
        limbs: a.limbs.iter().collect(),
        own: Vec::new(),
    });
    let sources: Vec<_> = sources.collect();
    let lifted = convert(
        session,
        ConversionKind::Lift,
        &[],
        [&first.basis, extension],
        &sources,
    )?;
    let transformed = lifted
        .into_iter()
        .map(|limbs| in_domain(session, extension, limbs, to));
    transformed.collect()
}

/// Converts with t the product of `multiplier`, for each of the sources: the limbs modulo the target primes, all new.
fn convert<M: Machine>(
    session: &mut Session<M>,
    kind: ConversionKind,
    multiplier: &[u64],
    [from, to]: [&Basis; 2],
    sources: &[Sources<'_>],
) -> Result<Vec<Limbs>> {
    let mut results: Vec<Limbs> = sources.iter().map(|_| Vec::new()).collect();
    let most = most_targets(from.len(), kind == ConversionKind::Division).max(1);
    for (part, moduli) in to.moduli().chunks(most).enumerate() {
        let table = session.table(TableUse::convert(kind, multiplier), [from.moduli(), moduli])?;
        let mut jobs = Vec::new();
        for (sources, results) in sources.iter().zip(&mut results) {
            let new = new_limbs(session, moduli.len())?;
            let own = sources.own.iter().skip(part * most).take(moduli.len());
            jobs.push(Job {
                sources: places(sources.limbs.iter().copied()),
                own: places(own.copied()),
                results: places(&new),
            });
            results.extend(new);
        }
        let chain = Chain::new(session.configuration(), vec![table], jobs)?;
        session.convert(&chain)?;
    }
    Ok(results)
}

pub(super) fn new_limbs<M: Machine>(session: &mut Session<M>, count: usize) -> Result<Limbs> {
    (0..count).map(|_| Ok(Arc::new(session.limb()?))).collect()
}

pub(super) fn places<'a>(limbs: impl IntoIterator<Item = &'a Arc<Limb>>) -> Vec<u64> {
    limbs.into_iter().map(|limb| limb.place()).collect()
}

/// Limbs with coefficients, in a domain.
fn in_domain<M: Machine>(session: &mut Session<M>, basis: &Basis, limbs: Limbs, to: Domain) -> Result<Limbs> {
    let mut poly = CorePoly {
        basis: basis.clone(),
        domain: Domain::Coefficient,
        limbs,
    };
    if to == Domain::Evaluation {
        operations::transform(session, &mut poly, to)?;
    }
    Ok(poly.limbs)
}

/// The polynomial in coefficient domain. Its limbs are its own if it was in evaluation domain.
pub(super) fn in_coefficients<M: Machine>(session: &mut Session<M>, a: &CorePoly) -> Result<CorePoly> {
    let mut a = a.shared();
    if a.domain == Domain::Evaluation {
        operations::transform(session, &mut a, Domain::Coefficient)?;
    }
    Ok(a)
}

/// round([t c] / q) over q, the first basis; the second one is B.
pub(super) fn scale<M: Machine>(
    session: &mut Session<M>,
    c: &CorePoly,
    t: u64,
    [q, b]: [&Basis; 2],
) -> Result<Limbs> {
    let divide = session.table(
        TableUse::convert(ConversionKind::Division, &[t]),
        [q.moduli(), b.moduli()],
    )?;
    let back = session.table(
        TableUse::convert(ConversionKind::Lift, &[]),
        [b.moduli(), q.moduli()],
    )?;
    let (kept, others) = c.limbs.split_at(q.len().min(c.limbs.len()));
    let results = new_limbs(session, q.len())?;
    let job = Job {
        sources: places(kept),
        own: places(others),
        results: places(&results),
    };
    let chain = Chain::new(session.configuration(), vec![divide, back], vec![job])?;
    session.convert(&chain)?;
    Ok(results)
}

/// round(U a / D) over another basis.
pub(super) fn rescale<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    to: &Basis,
    change: &BasisChange,
    domain: Domain,
) -> Result<Limbs> {
    let Some(dropped) = &change.dropped else {
        let limbs = multiplied(session, a, to, change)?;
        let mut poly = a.with_limbs(to, limbs);
        if poly.domain != domain {
            operations::transform(session, &mut poly, domain)?;
        }
        return Ok(poly.limbs);
    };
    if a.domain == Domain::Evaluation && domain == Domain::Evaluation {
        let given_up = dropped.moduli().iter().map(|q| a.limb(q).cloned());
        let given_up = a.with_limbs(dropped, given_up.collect::<Result<_>>()?);
        let given_up = in_coefficients(session, &given_up)?;
        return rescale_values(session, &given_up, a, to, change);
    }
    let a = in_coefficients(session, a)?;
    let limbs = dropped
        .moduli()
        .iter()
        .map(|q| a.limb(q))
        .collect::<Result<Vec<_>>>()?;
    let sources = Sources {
        own: limbs
            .first()
            .into_iter()
            .flat_map(|any| to.moduli().iter().map(|q| a.limb(q).unwrap_or(any)))
            .collect(),
        limbs,
    };
    let divided = convert(
        session,
        ConversionKind::Division,
        &new_primes(&a, to),
        [dropped, to],
        &[sources],
    )?;
    in_domain(session, to, divided.into_iter().flatten().collect(), domain)
}

/// The same for values, of which only the limbs that are given up are in coefficient domain: the correction that comes
/// from them is transformed.
pub(super) fn rescale_values<M: Machine>(
    session: &mut Session<M>,
    given_up: &CorePoly,
    a: &CorePoly,
    to: &Basis,
    change: &BasisChange,
) -> Result<Limbs> {
    let sources = Sources {
        limbs: given_up.limbs.iter().collect(),
        own: Vec::new(),
    };
    let (kind, bases) = (ConversionKind::Correction, [&given_up.basis, to]);
    let corrections = convert(session, kind, &new_primes(a, to), bases, &[sources])?;
    let corrections = corrections.into_iter().flatten().collect();
    let mut limbs = in_domain(session, to, corrections, Domain::Evaluation)?;
    for (q, limb) in to.moduli().iter().zip(&mut limbs) {
        if let Ok(old) = a.limb(q) {
            *limb = operations::add_multiple(session, q, limb, old, change.factor(q))?;
        }
    }
    Ok(limbs)
}

/// The factors of U: the primes that a has not.
fn new_primes(a: &CorePoly, to: &Basis) -> Vec<u64> {
    let new = to.moduli().iter().filter(|q| a.basis.position(q).is_none());
    new.map(Modulus::value).collect()
}

/// U a over primes of which those that are new have 0.
fn multiplied<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    to: &Basis,
    change: &BasisChange,
) -> Result<Limbs> {
    let limb = |q: &Modulus| match a.limb(q) {
        Ok(limb) => operations::multiple(session, q, limb, change.factor(q)),
        Err(_) => operations::constant(session, q, 0),
    };
    to.moduli().iter().map(limb).collect()
}

/// The digits of a, in evaluation domain, each from the limbs of one of these bases: for each the limbs over the extended
/// basis.
pub(super) fn decompose<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    owns: &[Basis],
    extended: &Basis,
) -> Result<Vec<Limbs>> {
    let coefficients = in_coefficients(session, a)?;
    let mut values = a.shared();
    if a.domain == Domain::Coefficient {
        operations::transform(session, &mut values, Domain::Evaluation)?;
    }
    let digit = |own: &Basis| {
        let lifted = lifted_digit(session, &coefficients, own, extended, Domain::Evaluation)?;
        let limb = |q: &Modulus| match own.position(q) {
            Some(_) => values.limb(q).cloned(),
            None => lifted.limb(q).cloned(),
        };
        extended.moduli().iter().map(limb).collect()
    };
    owns.iter().map(digit).collect()
}

/// A digit modulo a prime.
#[derive(Debug, Clone)]
pub(super) enum DigitLimb {
    /// A limb in its domain.
    Limb(Arc<Limb>, Domain),
    /// Words that are the same for all primes.
    Pieces(Arc<Digit>),
}

/// The same digits as they come: limbs of a in its domain, the others in coefficient domain.
pub(super) fn digits<M: Machine>(
    session: &mut Session<M>,
    a: &CorePoly,
    owns: &[Basis],
    extended: &Basis,
) -> Result<Vec<Vec<DigitLimb>>> {
    let coefficients = in_coefficients(session, a)?;
    let digit = |own: &Basis| {
        let lifted = lifted_digit(session, &coefficients, own, extended, Domain::Coefficient)?;
        let limb = |q: &Modulus| match own.position(q) {
            Some(_) => Ok(DigitLimb::Limb(Arc::clone(a.limb(q)?), a.domain)),
            None => Ok(DigitLimb::Limb(Arc::clone(lifted.limb(q)?), Domain::Coefficient)),
        };
        extended.moduli().iter().map(limb).collect()
    };
    owns.iter().map(digit).collect()
}

/// A digit modulo the primes that are not its own.
fn lifted_digit<M: Machine>(
    session: &mut Session<M>,
    coefficients: &CorePoly,
    own: &Basis,
    extended: &Basis,
    to: Domain,
) -> Result<CorePoly> {
    let others = extended.moduli().iter().filter(|q| own.position(q).is_none());
    let others = Basis::new(&others.copied().collect::<Vec<_>>())?;
    let limbs = own.moduli().iter().map(|q| coefficients.limb(q).cloned());
    let part = coefficients.with_limbs(own, limbs.collect::<Result<_>>()?);
    let lifted = lifts(session, &[&part], &others, to)?;
    Ok(CorePoly {
        basis: others,
        domain: to,
        limbs: lifted.into_iter().flatten().collect(),
    })
}
