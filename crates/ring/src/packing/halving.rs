use std::collections::BTreeSet;
use std::f64::consts::TAU;

use crate::FermatRing;

/// The largest prime in whose dimension a factor is looked for: tables of p^2 entries are made.
const LARGEST_PRIME: u64 = 257;

/// One step from the root to the leaves: x becomes Tr(x) = x + sigma(x) and Tr(theta x) = theta x + sigma(theta)
/// sigma(x). See [`Packing`](super::Packing).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Halving {
    /// k of sigma: x -> x^k.
    pub exponent: u64,
    /// The terms of theta: powers of x^(d/p), a primitive p-th root of unity.
    pub theta: Vec<u64>,
    /// Those of sigma(theta) / T and 1 / T, modulo 2.
    first: Vec<u64>,
    second: Vec<u64>,
    /// The largest mean of |theta|^2 and |sigma(theta)|^2 at a root of unity: what multiplies the power of noise, that of
    /// both terms being added up.
    pub power: f64,
}

impl Halving {
    /// Finds theta for the trace of a group's fixed elements by x -> x^`sigma`: a sum of orbits of p-th roots of unity
    /// under the group, one if that will do, or two, or one of each pair that sigma exchanges. None where there is no
    /// such.
    pub(super) fn find(ring: &FermatRing, group: &[u64], sigma: u64) -> Option<Self> {
        let primes = ring.orders().iter().map(|order| *order as u64 + 1);
        let primes: Vec<u64> = primes.filter(|p| *p <= LARGEST_PRIME).collect();
        let kinds = [Orbits::single, Orbits::pairs, Orbits::transversal];
        kinds.iter().find_map(|candidates| {
            let all = primes.iter().flat_map(|p| {
                let orbits = Orbits::new(*p, group);
                candidates(&orbits, sigma).into_iter().map(|theta| (*p, theta))
            });
            smallest(all.filter_map(|(p, theta)| Self::new(ring, p, theta, sigma)))
        })
    }

    /// The step with this theta, if its trace is invertible.
    fn new(ring: &FermatRing, p: u64, theta: Vec<u64>, sigma: u64) -> Option<Self> {
        let image: Vec<u64> = theta.iter().map(|e| e * (sigma % p) % p).collect();
        let inverse = Residue::sum(p, theta.iter().chain(&image)).inverse()?;
        let first = Residue::sum(p, image.iter()).times(&inverse);
        let power = |theta: &[u64]| largest_power(p, theta, sigma % p);
        let scaled = |terms: Vec<u64>| terms.into_iter().map(|e| e * (ring.d() / p)).collect::<Vec<_>>();
        Some(Self {
            exponent: sigma,
            power: power(&theta),
            theta: scaled(theta),
            first: scaled(first.terms()),
            second: scaled(inverse.terms()),
        })
    }

    /// Adds sigma(theta) a / T modulo 2, both by exponent modulo x^d - 1.
    pub(super) fn add_first(&self, a: &[u8], to: &mut [u8]) {
        add_products(a, &self.first, to);
    }

    /// Adds b / T modulo 2.
    pub(super) fn add_second(&self, b: &[u8], to: &mut [u8]) {
        add_products(b, &self.second, to);
    }
}

/// Adds `a` times a sum of powers of x modulo x^d - 1 and 2.
fn add_products(a: &[u8], exponents: &[u64], to: &mut [u8]) {
    for exponent in exponents {
        let (front, back) = a.split_at(a.len() - *exponent as usize);
        let (start, end) = to.split_at_mut(back.len());
        let add = |(to, from): (&mut u8, &u8)| *to ^= from;
        start.iter_mut().zip(back).for_each(add);
        end.iter_mut().zip(front).for_each(add);
    }
}

/// The orbits of the units modulo p under a group, that of 1 first.
struct Orbits {
    p: u64,
    orbits: Vec<Vec<u64>>,
}

impl Orbits {
    fn new(p: u64, group: &[u64]) -> Self {
        let group: BTreeSet<u64> = group.iter().map(|unit| unit % p).collect();
        let mut seen: BTreeSet<u64> = BTreeSet::new();
        let mut orbits: Vec<Vec<u64>> = Vec::new();
        for e in 1..p {
            if !seen.contains(&e) {
                let orbit: BTreeSet<u64> = group.iter().map(|unit| unit * e % p).collect();
                seen.extend(&orbit);
                orbits.push(orbit.into_iter().collect());
            }
        }
        Self { p, orbits }
    }

    /// That of 1: others are conjugate.
    fn single(&self, _: u64) -> Vec<Vec<u64>> {
        self.orbits[..1].to_vec()
    }

    /// That of 1 with each other.
    fn pairs(&self, _: u64) -> Vec<Vec<u64>> {
        let (first, others) = self.orbits.split_at(1);
        others
            .iter()
            .map(|other| [&first[0][..], other].concat())
            .collect()
    }

    /// One of each pair that sigma exchanges, so that the trace is the sum of all roots of unity, which is -1. The
    /// choice is made smaller at the roots of unity pair by pair.
    fn transversal(&self, sigma: u64) -> Vec<Vec<u64>> {
        let image = |orbit: &[u64]| {
            let e = orbit[0] * (sigma % self.p) % self.p;
            self.orbits.iter().position(|other| other.contains(&e))
        };
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for (index, orbit) in self.orbits.iter().enumerate() {
            match image(orbit) {
                Some(other) if index < other => pairs.push([index, other]),
                Some(other) if index > other => {}
                _ => return Vec::new(),
            }
        }
        let sum = |choice: &[bool]| {
            let chosen = pairs
                .iter()
                .zip(choice)
                .map(|(pair, second)| pair[usize::from(*second)]);
            chosen
                .flat_map(|orbit| self.orbits[orbit].clone())
                .collect::<Vec<u64>>()
        };
        let power = |choice: &[bool]| largest_power(self.p, &sum(choice), sigma % self.p);
        let mut choice = vec![false; pairs.len()];
        let mut least = power(&choice);
        let mut improved = true;
        while improved {
            improved = false;
            for pair in 0..pairs.len() {
                choice[pair] ^= true;
                let new = power(&choice);
                improved |= is_less(new, least);
                if is_less(new, least) {
                    least = new;
                } else {
                    choice[pair] ^= true;
                }
            }
        }
        vec![sum(&choice)]
    }
}

/// Whether a power is smaller than another by more than rounding, which must never decide: all parties have to find the
/// same.
fn is_less(power: f64, other: f64) -> bool {
    power < 0.99 * other
}

fn smallest(halvings: impl Iterator<Item = Halving>) -> Option<Halving> {
    halvings.reduce(|best, next| {
        if is_less(next.power, best.power) {
            next
        } else {
            best
        }
    })
}

/// The largest mean of |theta|^2 and |sigma(theta)|^2 at a primitive p-th root of unity, theta being a sum of powers.
fn largest_power(p: u64, exponents: &[u64], sigma: u64) -> f64 {
    let at = |k: u64| {
        let turns = exponents
            .iter()
            .map(|e| (TAU / p as f64 * (e * k % p) as f64).sin_cos());
        let (sine, cosine) = turns.fold((0.0, 0.0), |sum, turn| (sum.0 + turn.0, sum.1 + turn.1));
        sine * sine + cosine * cosine
    };
    let powers: Vec<f64> = (0..p).map(at).collect();
    let mean = |k: u64| (powers[k as usize] + powers[(k * sigma % p) as usize]) / 2.0;
    (1..p).map(mean).fold(0.0, f64::max)
}

/// An element of Z\[x\]/Phi_p modulo 2: coefficients of 1, x, ..., x^(p-1), of which the sum is 0, so that the first is
/// made 0.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Residue(Vec<bool>);

impl Residue {
    fn sum<'a>(p: u64, exponents: impl Iterator<Item = &'a u64>) -> Self {
        let mut coefficients = vec![false; p as usize];
        exponents.for_each(|e| coefficients[*e as usize] ^= true);
        Self(coefficients).normal()
    }

    fn normal(mut self) -> Self {
        if self.0.first() == Some(&true) {
            self.0.iter_mut().for_each(|bit| *bit ^= true);
        }
        self
    }

    /// 1 = x + x^2 + ... + x^(p-1).
    fn one(p: usize) -> Self {
        Self((0..p).map(|e| e > 0).collect())
    }

    fn terms(&self) -> Vec<u64> {
        let bits = self.0.iter().enumerate();
        bits.filter(|(_, bit)| **bit).map(|(e, _)| e as u64).collect()
    }

    fn times(&self, other: &Self) -> Self {
        let p = self.0.len();
        let mut product = vec![false; p];
        for a in self.terms() {
            for b in other.terms() {
                product[(a + b) as usize % p] ^= true;
            }
        }
        Self(product).normal()
    }

    /// The square: exponents are doubled.
    fn square(&self) -> Self {
        let p = self.0.len();
        let mut square = vec![false; p];
        self.terms()
            .iter()
            .for_each(|e| square[2 * *e as usize % p] ^= true);
        Self(square).normal()
    }

    /// The inverse, if there is one. With u the order of 2 modulo p the element is in fields of 2^u elements, where it
    /// is its power of 2^u - 2 = 2 + 4 + ... + 2^(u-1).
    fn inverse(&self) -> Option<Self> {
        let p = self.0.len();
        let mut square = self.square();
        let mut inverse = Self::one(p);
        let mut doubled = 2 % p;
        while doubled != 1 {
            inverse = inverse.times(&square);
            square = square.square();
            doubled = 2 * doubled % p;
        }
        (self.times(&inverse) == Self::one(p)).then_some(inverse)
    }
}
