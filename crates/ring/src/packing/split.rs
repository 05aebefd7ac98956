use super::halving::Halving;
use super::power;
use crate::{FermatRing, RingError};

/// What an image is multiplied by, by n coefficients; None for 1.
pub type Factor = Option<Vec<i64>>;

/// The automorphism x -> x^`exponent`, applied some times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The exponent of the automorphism for which a key is needed.
    pub exponent: u64,
    /// How often it is applied.
    pub times: usize,
}

/// One step from the root to the leaves, or two together: x becomes 2 children or 4.
///
/// Of two steps with the automorphisms sigma and tau, and theta and eta, the children are
///
/// ```text
/// sum over g in {1, sigma, tau, sigma tau} of g(theta^i eta^j) g(x)        for i, j in {0, 1}
/// ```
///
/// since sigma leaves eta as it is. One decomposition of x serves all three automorphisms, where the steps one after the
/// other take three, and each child is divided by P once, where they take six divisions for four children; but sigma tau
/// needs a key too.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    automorphisms: Vec<Repeated>,
    /// The terms of theta and eta.
    thetas: Vec<Vec<u64>>,
    power: f64,
    leaves: usize,
    d: u64,
}

impl Split {
    /// One step, by a repeated automorphism; so many leaves are below each child.
    pub(super) fn single(step: &Halving, by: Repeated, leaves: usize, d: u64) -> Self {
        Self {
            automorphisms: vec![by],
            thetas: vec![step.theta.clone()],
            power: step.power,
            leaves,
            d,
        }
    }

    /// Two steps together; so many leaves are below each child.
    pub(super) fn pair(first: &Halving, second: &Halving, leaves: usize, d: u64) -> Self {
        let (sigma, tau) = (first.exponent, second.exponent);
        let once = |exponent| Repeated { exponent, times: 1 };
        Self {
            automorphisms: [sigma, tau, sigma * tau % d].map(once).to_vec(),
            thetas: vec![first.theta.clone(), second.theta.clone()],
            power: first.power * second.power,
            leaves,
            d,
        }
    }

    /// The automorphisms of its images: sigma, and tau and sigma tau if there are two steps. Only one that is alone may be
    /// repeated.
    #[must_use]
    pub fn automorphisms(&self) -> &[Repeated] {
        &self.automorphisms
    }

    /// The exponent of each automorphism, all its applications together.
    pub fn exponents(&self) -> impl Iterator<Item = u64> {
        let automorphisms = self.automorphisms.iter();
        automorphisms.map(|automorphism| power(automorphism.exponent, automorphism.times, self.d))
    }

    /// The number of children.
    #[must_use]
    pub fn children(&self) -> usize {
        1 << self.thetas.len()
    }

    /// The number of leaves below each child.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// A bound, at any root of unity, of the mean of |g(f)|^2 over the identity and all automorphisms, f being what a child
    /// has for x: that of theta over 1 and sigma, at the two roots to which 1 and tau lead, times that of eta over 1 and tau.
    #[must_use]
    pub fn power(&self) -> f64 {
        self.power
    }

    /// What each image is multiplied by in each child; None for 1. The first image is x itself.
    pub(super) fn factors(&self, ring: &FermatRing) -> Result<Vec<Vec<Factor>>, RingError> {
        let exponents: Vec<u64> = std::iter::once(1).chain(self.exponents()).collect();
        let children = (0..self.children()).map(|child| {
            let images = exponents.iter().map(|exponent| {
                let image = |e: &u64| e * exponent % self.d;
                let terms = self.chosen(child).iter().map(image).collect::<Vec<_>>();
                (child > 0).then(|| self.element(ring, &terms)).transpose()
            });
            images.collect()
        });
        children.collect()
    }

    /// The terms of a child's product of theta and eta.
    fn chosen(&self, child: usize) -> Vec<u64> {
        // The first step decides between the halves of all children.
        let last = self.thetas.len() - 1;
        let chosen = self.thetas.iter().enumerate();
        let chosen = chosen.filter(|(step, _)| child >> (last - step) & 1 == 1);
        chosen.fold(vec![0], |product, (_, theta)| {
            let times = |e| theta.iter().map(move |f| (e + f) % self.d);
            product.into_iter().flat_map(times).collect()
        })
    }

    /// A sum of powers of x, by n coefficients.
    fn element(&self, ring: &FermatRing, exponents: &[u64]) -> Result<Vec<i64>, RingError> {
        let mut full = vec![0; self.d as usize];
        exponents.iter().for_each(|e| full[*e as usize] += 1);
        ring.fold(&full)
    }
}
