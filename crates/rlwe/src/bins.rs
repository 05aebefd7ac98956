use std::f64::consts::TAU;

use ringmill_arith::secret::Secret;
use ringmill_ring::{FermatRing, Ring};

/// Highest ranks that have a bin of their own.
const SINGLE: usize = 8;

/// Bins in all, of every ring.
pub const COUNT: usize = 48;

/// Deviations above its mean that the number of large roots is allowed, for each bin: a probability of
/// 3.4 10^-6 that a secret exceeds it.
const DEVIATIONS: f64 = 4.5;
const EXCESS: f64 = 3.4e-6;

/// The roots sorted by x = |s(zeta^e)|^2 / (n V_s) of the secret s, in bins of ascending x.
///
/// The n/2 pairs of conjugate roots are ranked; the eight largest have a bin each, the others share bins
/// of geometrically growing size; in small rings some of them are empty. A bin's x is an upper bound for the largest of its ranks: x is about
/// exponentially distributed, so with at most the allowed `bound` the number of pairs above x is about
/// Poisson distributed with the mean n/2 (exp(-x) - exp(-bound)). The k-th largest is below the x whose
/// mean lambda gives k or more with probability 3.4 10^-6. Key generation can make sure of it with
/// [`Bins::cover`].
#[derive(Debug, Clone)]
pub struct Bins {
    /// x of each bin.
    x: Vec<f64>,
    /// First rank of each bin, counted from the largest; descending to 0.
    first: Vec<usize>,
    log2_shares: Vec<f64>,
    pairs: usize,
}

impl Bins {
    /// The bins of a ring for secrets of largest x `bound`.
    #[must_use]
    pub fn new(ring: &Ring, bound: f64) -> Self {
        let pairs = ring.n() / 2;
        // Growth to reach all pairs with the bins that are left.
        let ratio = (pairs as f64 / SINGLE as f64).powf(1.0 / (COUNT - SINGLE) as f64);
        let mut first: Vec<usize> = (0..SINGLE).collect();
        let mut edge = SINGLE as f64;
        while first.len() < COUNT {
            first.push(edge.round() as usize);
            edge *= ratio;
        }
        let x = first
            .iter()
            .map(|&rank| -((-bound).exp() + least_mean(rank + 1) / pairs as f64).ln());
        let mut bins = Self {
            x: x.map(|x| x.clamp(0.0, bound)).rev().collect(),
            log2_shares: shares(ring, &first).iter().rev().map(|s| s.log2()).collect(),
            first,
            pairs,
        };
        bins.first.reverse();
        bins
    }

    /// x of each bin, ascending.
    #[must_use]
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// log2 of the share of each bin in a coefficient's variance, as the module derives: the sum over the
    /// bin's roots of F/d^2, both sorted, or of 1/n^2 modulo x^n + 1. They add up to 2^w/d or 1/n.
    #[must_use]
    pub fn log2_shares(&self) -> &[f64] {
        &self.log2_shares
    }

    /// The first rank of each bin, counted in pairs of roots from the largest; descending to 0.
    #[must_use]
    pub fn first_ranks(&self) -> &[usize] {
        &self.first
    }

    /// The number of pairs of roots in each bin; 0 in the empty ones of small rings.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        let ends = [self.pairs].into_iter().chain(self.first.iter().copied());
        ends.zip(&self.first)
            .map(|(end, first)| end.saturating_sub(*first))
    }

    /// The bin of the pair of this rank, counted from the largest.
    #[must_use]
    pub fn of_rank(&self, rank: usize) -> usize {
        let first = self.first.iter().position(|first| *first <= rank);
        first.unwrap_or(COUNT - 1)
    }

    /// Whether the bins bound a secret, given |s(zeta^e)|^2 for all n roots, in any order, and its mean
    /// `n V_s`.
    #[must_use]
    pub fn cover(&self, powers: &[f64], mean: f64) -> bool {
        // A hair for the two values of a pair, which are computed apart.
        let limit = |x: f64| x * mean * (1.0 + 1e-9);
        // Most secrets that do not fit fail by their largest root, which is found without sorting.
        let largest = powers.iter().copied().fold(0.0, f64::max);
        if self.x.last().is_some_and(|&x| largest > limit(x)) {
            return false;
        }
        let mut sorted = Secret::copy_of(powers);
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        // Every pair comes twice.
        let fits = |rank: usize, x: f64| sorted.get(2 * rank).is_none_or(|p| *p <= limit(x));
        self.first.iter().zip(&self.x).all(|(&rank, &x)| fits(rank, x))
    }
}

/// A mean for which a Poisson variable is `count` or more with a probability of at most [`EXCESS`].
///
/// For few, from P(N >= k) <= lambda^k / k!; for many, by the cube-root approximation of Wilson and
/// Hilferty to the quantile of the gamma distribution of shape k.
fn least_mean(count: usize) -> f64 {
    let k = count as f64;
    let log_factorial: f64 = (1..=count.min(64)).map(|i| (i as f64).ln()).sum();
    let few = ((log_factorial + EXCESS.ln()) / k).exp();
    if count <= 4 {
        return few;
    }
    let root = (1.0 - 1.0 / (9.0 * k) - DEVIATIONS / (3.0 * k.sqrt())).max(0.0);
    let many = k * root.powi(3);
    if count <= 64 { few.max(many) } else { many }
}

/// The share of each pair in a coefficient's variance, the largest first.
pub(crate) fn pair_shares(ring: &Ring) -> Vec<f64> {
    weights(ring).chunks(2).map(|pair| pair.iter().sum()).collect()
}

/// F/d^2 for all roots, the largest first; 1/n^2 modulo x^n + 1.
fn weights(ring: &Ring) -> Vec<f64> {
    match ring.as_fermat() {
        Some(ring) => fermat_weights(ring),
        None => vec![(ring.n() as f64).powi(-2); ring.n()],
    }
}

/// Share of the ranks from each entry of `first` (ascending) to the next in a coefficient's variance.
fn shares(ring: &Ring, first: &[usize]) -> Vec<f64> {
    let weights = weights(ring);
    let ends = first.iter().skip(1).map(|rank| 2 * rank).chain([weights.len()]);
    first
        .iter()
        .zip(ends)
        .map(|(&from, to)| weights[2 * from..to].iter().sum())
        .collect()
}

/// F/d^2 for all roots of a Fermat ring, the largest first.
fn fermat_weights(ring: &FermatRing) -> Vec<f64> {
    // F = prod_p |zeta_p^j - 1|^2 = prod_p (2 - 2 cos(2 pi j / p)), j running through the units.
    let mut factors = vec![1.0];
    for order in ring.orders() {
        let p = (order + 1) as f64;
        let own = (1..=*order).map(|j| 2.0 - 2.0 * (TAU * j as f64 / p).cos());
        let own: Vec<f64> = own.collect();
        factors = factors
            .iter()
            .flat_map(|f| own.iter().map(move |g| f * g))
            .collect();
    }
    factors.sort_unstable_by(|a, b| b.total_cmp(a));
    let scale = (ring.d() as f64).powi(-2);
    factors.into_iter().map(|factor| factor * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringmill_arith::sampling::{Seed, Stream, ternary};
    use ringmill_ring::NegacyclicRing;
    use ringmill_ring::embedding::powers;

    #[test]
    fn shares_add_up_and_bins_ascend() {
        let fermat = FermatRing::DIMENSIONS.map(|n| FermatRing::new(n).unwrap());
        let fermat = fermat.map(|ring| {
            let total = f64::from(1 << ring.weight()) / ring.d() as f64;
            (Ring::from(ring), total)
        });
        let negacyclic =
            [1024, 2048, 32768].map(|n| (NegacyclicRing::new(n).unwrap().into(), 1.0 / n as f64));
        for (ring, expected) in fermat.into_iter().chain(negacyclic) {
            let bins = Bins::new(&ring, 9.0);
            assert_eq!(bins.x().len(), COUNT);
            assert!(bins.x().is_sorted());
            assert!((bins.x().last().unwrap() - 9.0).abs() < 1e-2);
            let total: f64 = bins.log2_shares().iter().map(|s| s.exp2()).sum();
            assert!((total / expected - 1.0).abs() < 1e-9);
        }
    }

    /// Exponential variables drawn in plain double precision: the bins bound nearly all of them.
    #[test]
    fn simulated_exponentials_are_covered() {
        let ring = FermatRing::new(8192).unwrap().into();
        let bins = Bins::new(&ring, 7.7);
        let mut stream = Stream::new(&Seed::from_bytes([1; 32]));
        let (mut tried, mut covered) = (0, 0);
        while tried < 200 {
            let mut words = vec![0; ring.n() / 2];
            stream.fill_words(&mut words);
            let draw = |w: &u64| -((*w >> 11) as f64 + 0.5).ln() + 53.0 * 2f64.ln();
            let x: Vec<f64> = words.iter().map(draw).flat_map(|x| [x, x]).collect();
            if x.iter().all(|x| *x <= 7.7) {
                tried += 1;
                covered += usize::from(bins.cover(&x, 1.0));
            }
        }
        assert!(covered >= 199, "{covered}");
        // Not by being wide: the mean over all pairs is near 1.
        let pairs = (ring.n() / 2) as f64;
        let sizes = bins.sizes().map(|size| size as f64);
        let mean = bins.x().iter().zip(sizes).map(|(x, size)| x * size).sum::<f64>() / pairs;
        assert!((1.0..1.25).contains(&mean), "{mean}");
    }

    /// Real ternary secrets: those below the bound nearly always fit all bins.
    #[test]
    fn ternary_secrets_are_covered() {
        let fermat = [(4096, 7.0), (8192, 7.7), (16384, 8.4)];
        let fermat = fermat.map(|(n, bound)| (FermatRing::new(n).unwrap().into(), bound));
        let negacyclic = [(1024, 5.5), (4096, 7.0)];
        let negacyclic = negacyclic.map(|(n, bound)| (NegacyclicRing::new(n).unwrap().into(), bound));
        for (ring, bound) in fermat.into_iter().chain(negacyclic) {
            let n = Ring::n(&ring);
            let bins = Bins::new(&ring, bound);
            let mut stream = Stream::new(&Seed::from_bytes([2; 32]));
            let (mut below, mut covered) = (0, 0);
            for _ in 0..150 {
                let mut secret = vec![0; n];
                ternary(&mut stream, &mut secret);
                let secret: Vec<f64> = secret.into_iter().map(f64::from).collect();
                let powers = powers(&ring, &secret).unwrap();
                let mean = n as f64 * 2.0 / 3.0;
                let fits = powers.iter().all(|p| *p <= bound * mean);
                assert!(fits || !bins.cover(&powers, mean));
                below += usize::from(fits);
                covered += usize::from(bins.cover(&powers, mean));
            }
            assert!(below > 5 && covered + 1 >= below, "n = {n}: {covered} of {below}");
        }
    }
}
