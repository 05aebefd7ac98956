use ringmill_arith::{Basis, Modulus, prime};
use ringmill_ring::{Domain, Ring};

use super::suite::{Case, Suite};
use super::{Failure, Layout, Operation};
use ringmill_device::Device;

/// Values of a dense polynomial that are computed from the definition, which takes n steps each.
const SAMPLES: usize = 6;

impl<D: Device> Suite<'_, D> {
    /// Evaluation, by powers of the root, and interpolation.
    pub(super) fn transforms(&mut self, layout: &Layout) -> Result<(), Failure> {
        let basis = layout.all()?;
        let ring = self.device.ring().clone();
        let powers = basis.moduli().iter().map(|q| powers(&ring, q));
        let powers: Vec<Vec<u64>> = powers.collect::<Result<_, Failure>>()?;
        self.constants(layout.name, &basis, &powers)?;
        self.sparse(layout.name, &basis, &powers)?;
        self.dense(layout.name, &basis, &powers)
    }

    /// All coefficients 1 or all -1: as they are equal and extreme, sums in a transform are as large as
    /// they get.
    fn constants(&mut self, name: &str, basis: &Basis, powers: &[Vec<u64>]) -> Result<(), Failure> {
        let (n, ring) = (self.n(), self.device.ring().clone());
        for negative in [false, true] {
            let case = Operation::Transform.case(format!("{name}, all coefficients 1 or -1"));
            let signed = |q: &Modulus, x: u64| if negative { q.neg(x) } else { x };
            let (mut coefficients, mut values) = (Vec::new(), Vec::new());
            for (q, powers) in basis.moduli().iter().zip(powers) {
                coefficients.extend(std::iter::repeat_n(signed(q, 1), n));
                values.extend((0..n).map(|i| signed(q, sum_of_basis(&ring, q, powers, i))));
            }
            let a = self.upload(basis, Domain::Coefficient, &coefficients)?;
            let a = case.done(self.device.transform(a, Domain::Evaluation))?;
            self.compare(&case, &a, basis, Domain::Evaluation, &values)?;
            let a = case.done(self.device.transform(a, Domain::Coefficient))?;
            self.compare(&case, &a, basis, Domain::Coefficient, &coefficients)?;
        }
        Ok(())
    }

    /// A few basis elements: all values from the definition.
    fn sparse(&mut self, name: &str, basis: &Basis, powers: &[Vec<u64>]) -> Result<(), Failure> {
        let (n, ring) = (self.n(), self.device.ring().clone());
        let case = Operation::Transform.case(format!("{name}, three coefficients"));
        let (mut coefficients, mut values) = (vec![0; basis.len() * n], Vec::new());
        for ((limb, q), powers) in coefficients.chunks_exact_mut(n).zip(basis.moduli()).zip(powers) {
            let terms = [
                (n - 1, q.value() - 1),
                (0, self.random.below(q.value())),
                (self.random.below(n as u64) as usize, self.random.below(q.value())),
            ];
            let terms = terms.map(|(j, x)| {
                limb[j] = x;
                (j, x)
            });
            // A position drawn twice holds what was written last.
            let terms = if terms[2].0 == 0 || terms[2].0 == n - 1 {
                terms[..2].iter().map(|&(j, _)| (j, limb[j])).collect()
            } else {
                terms.to_vec()
            };
            let at = |k: usize| {
                let sum = terms
                    .iter()
                    .map(|&(j, x)| u128::from(x) * u128::from(power(&ring, powers, j, k)));
                remainder(sum.sum(), q)
            };
            values.extend((0..n).map(at));
        }
        let a = self.upload(basis, Domain::Coefficient, &coefficients)?;
        let a = case.done(self.device.transform(a, Domain::Evaluation))?;
        self.compare(&case, &a, basis, Domain::Evaluation, &values)
    }

    /// Random polynomials in both directions and back.
    fn dense(&mut self, name: &str, basis: &Basis, powers: &[Vec<u64>]) -> Result<(), Failure> {
        for (from, to) in [
            (Domain::Coefficient, Domain::Evaluation),
            (Domain::Evaluation, Domain::Coefficient),
        ] {
            let case = Operation::Transform.case(format!("{name}, to {to:?}"));
            let (a, words) = self.draw(basis, from, 0)?;
            let same = case.done(self.device.transform(a, from))?;
            self.compare(&case, &same, basis, from, &words)?;
            let a = case.done(self.device.transform(same, to))?;
            let result = self.words(&case, &a, basis, to)?;
            match to {
                Domain::Evaluation => self.evaluation(&case, basis, powers, &words, &result)?,
                Domain::Coefficient => self.evaluation(&case, basis, powers, &result, &words)?,
            }
            let case = Operation::Transform.case(format!("{name}, to {to:?} and back"));
            let a = case.done(self.device.transform(a, from))?;
            self.compare(&case, &a, basis, from, &words)?;
        }
        Ok(())
    }

    /// Sees that values are those of a polynomial: some one by one, all by their sum ([`sum_of_values`]).
    fn evaluation(
        &mut self,
        case: &Case,
        basis: &Basis,
        powers: &[Vec<u64>],
        coefficients: &[u64],
        values: &[u64],
    ) -> Result<(), Failure> {
        let (n, ring) = (self.n(), self.device.ring().clone());
        let (mut expected, mut got) = (Vec::new(), Vec::new());
        let limbs = coefficients.chunks_exact(n).zip(values.chunks_exact(n));
        for (i, ((a, v), q)) in limbs.zip(basis.moduli()).enumerate() {
            case.total(i, q.value(), sum_of_values(&ring, q, a), total(q, v))?;
            // Zeros where nothing is computed, on both sides.
            let start = expected.len();
            expected.resize(start + n, 0);
            got.resize(start + n, 0);
            for sample in 0..SAMPLES {
                let k = match sample {
                    0 => 0,
                    1 => n - 1,
                    _ => self.random.below(n as u64) as usize,
                };
                let terms = a.iter().enumerate();
                let terms = terms.map(|(j, &x)| u128::from(x) * u128::from(power(&ring, &powers[i], j, k)));
                expected[start + k] = remainder(terms.sum(), q);
                got[start + k] = v[k];
            }
        }
        self.compare_words(case, &got, basis, &expected)
    }
}

fn total(q: &Modulus, words: &[u64]) -> u64 {
    remainder(words.iter().map(|&x| u128::from(x)).sum(), q)
}

/// The sum of the values of a polynomial at all primitive roots. Those of order d sum to (-1)^w, and so do
/// their powers by units: (-1)^w times the sum of the coefficients. For x^n + 1 the sum of the j-th powers is
/// 0 but for j = 0: n times the first coefficient.
fn sum_of_values(ring: &Ring, q: &Modulus, coefficients: &[u64]) -> u64 {
    match ring.as_fermat() {
        Some(ring) if ring.weight() % 2 == 1 => q.neg(total(q, coefficients)),
        Some(_) => total(q, coefficients),
        None => remainder(u128::from(coefficients[0]) * ring.n() as u128, q),
    }
}

/// The value at the i-th root of the sum of the basis: (-1)^w for the normal basis; for x^n + 1 at psi the
/// geometric sum (1 - psi^n)/(1 - psi) = 2/(1 - psi).
fn sum_of_basis(ring: &Ring, q: &Modulus, powers: &[u64], i: usize) -> u64 {
    match ring.as_fermat() {
        Some(ring) if ring.weight() % 2 == 1 => q.value() - 1,
        Some(_) => 1,
        None => {
            let psi = powers[ring.value_exponent(i) as usize];
            // psi is not 1.
            q.mul(2, q.inv(q.sub(1, psi)).unwrap_or(0))
        }
    }
}

/// 1, zeta, zeta^2, ... modulo a prime, zeta its root of unity of the conductor's order.
fn powers(ring: &Ring, q: &Modulus) -> Result<Vec<u64>, Failure> {
    let zeta = u128::from(prime::root_of_unity(q, ring.conductor())?);
    let next = |&x: &u64| Some(remainder(u128::from(x) * zeta, q));
    Ok(std::iter::successors(Some(1), next)
        .take(ring.conductor() as usize)
        .collect())
}

/// The j-th basis element at the k-th root. Sums of n of its multiples fit 128 bits for primes
/// below 2^55.
fn power(ring: &Ring, powers: &[u64], j: usize, k: usize) -> u64 {
    powers[(ring.coefficient_exponent(j) * ring.value_exponent(k) % ring.conductor()) as usize]
}

pub(super) fn remainder(x: u128, q: &Modulus) -> u64 {
    (x % u128::from(q.value())) as u64
}
