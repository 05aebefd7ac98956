use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::suite::Suite;
use super::transforms::remainder;
use super::{Effort, Failure, Layout, Operation};
use ringmill_device::Device;

/// Numbers of pairs of a dot product: around what kernels sum without a reduction.
const PAIRS: [usize; 6] = [1, 2, 5, 12, 13, 25];

impl<D: Device> Suite<'_, D> {
    /// Operations word by word, and automorphisms.
    pub(super) fn linear(&mut self, layout: &Layout) -> Result<(), Failure> {
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            self.sums(layout, domain)?;
            self.automorphisms(layout, domain)?;
        }
        self.dots(layout)?;
        self.multiplied(layout)?;
        self.products(layout, usize::MAX)?;
        self.schoolbook(layout)
    }

    fn sums(&mut self, layout: &Layout, domain: Domain) -> Result<(), Failure> {
        let (device, n, basis) = (self.device, self.n(), layout.all()?);
        let name = format!("{}, {domain:?}", layout.name);
        let mut drawn = Vec::new();
        for rank in 0..3 {
            drawn.push(self.draw(&basis, domain, rank)?);
        }
        let most = extreme(&basis, n);
        drawn.push((self.upload(&basis, domain, &most)?, most));
        // Which polynomials are added: one, all, the same twice, the largest many times.
        for choice in [&[0][..], &[0, 1, 2, 3], &[1, 1], &[3; 9]] {
            let case = Operation::Sum.case(format!("{name}, {} terms", choice.len()));
            let terms: Vec<&D::Poly> = choice.iter().map(|&i| &drawn[i].0).collect();
            let result = case.done(device.sum(&terms))?;
            let expected = by_word(&basis, n, |q, at| {
                let sum = choice.iter().map(|&i| u128::from(drawn[i].1[at])).sum();
                remainder(sum, q)
            });
            self.compare(&case, &result, &basis, domain, &expected)?;
        }
        for (i, j) in [(0, 1), (1, 0), (2, 2), (3, 0), (0, 3)] {
            let case = Operation::Sub.case(format!("{name}, polynomial {i} - polynomial {j}"));
            let result = case.done(device.sub(&drawn[i].0, &drawn[j].0))?;
            let expected = by_word(&basis, n, |q, at| {
                remainder(
                    u128::from(drawn[i].1[at]) + u128::from(q.value() - drawn[j].1[at]),
                    q,
                )
            });
            self.compare(&case, &result, &basis, domain, &expected)?;
        }
        for (a, words) in &drawn {
            let case = Operation::Negate.case(&name);
            let result = case.done(device.negate(a))?;
            let expected = by_word(&basis, n, |q, at| remainder(u128::from(q.value() - words[at]), q));
            self.compare(&case, &result, &basis, domain, &expected)?;
            self.compare(&Operation::Sum.case("operand"), a, &basis, domain, words)?;
        }
        Ok(())
    }

    fn dots(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, n, domain) = (self.device, self.n(), Domain::Evaluation);
        let basis = &layout.main;
        // Second operands have further limbs, before, between and after those of the first.
        let mut moduli = layout.all()?.moduli().to_vec();
        moduli.rotate_right(1);
        moduli.swap(0, layout.main.len() / 2);
        let wide = Basis::new(&moduli)?;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for rank in 0..2 {
            first.push(self.draw(basis, domain, rank)?);
            second.push(self.draw(if rank == 0 { basis } else { &wide }, domain, rank + 1)?);
        }
        let (most, more) = (extreme(basis, n), extreme(&wide, n));
        first.push((self.upload(basis, domain, &most)?, most));
        second.push((self.upload(&wide, domain, &more)?, more));
        for count in PAIRS {
            for greatest in [false, true] {
                let choose = |k: usize| if greatest { (2, 2) } else { (k % 2, k / 2 % 2) };
                let name = format!("{}, {count} pairs, all words q - 1: {greatest}", layout.name);
                let case = Operation::InnerProduct.case(&name);
                let pairs = (0..count).map(choose).map(|(i, j)| (&first[i].0, &second[j].0));
                let pairs: Vec<(&D::Poly, &D::Poly)> = pairs.collect();
                let result = case.done(device.inner_product(&pairs, domain))?;
                let mut expected = Vec::new();
                for (at, q) in basis.moduli().iter().enumerate() {
                    let mut sums = vec![0u128; n];
                    for (i, j) in (0..count).map(choose) {
                        let other = if j == 0 {
                            at
                        } else {
                            wide.position(q).unwrap_or(at)
                        };
                        let (x, y) = (&first[i].1[at * n..], &second[j].1[other * n..]);
                        let words = x.iter().zip(y).map(|(&x, &y)| u128::from(x) * u128::from(y));
                        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum += word);
                    }
                    expected.extend(sums.into_iter().map(|sum| remainder(sum, q)));
                }
                self.compare(&case, &result, basis, domain, &expected)?;

                let case = Operation::InnerProduct.case(format!("{name}, to coefficients"));
                let inverse = case.done(device.transform(result, Domain::Coefficient))?;
                let expected = self.words(&case, &inverse, basis, Domain::Coefficient)?;
                let result = case.done(device.inner_product(&pairs, Domain::Coefficient))?;
                self.compare(&case, &result, basis, Domain::Coefficient, &expected)?;
            }
        }
        Ok(())
    }

    /// Several sums of different lengths with common operands, times small, large and no numbers.
    fn multiplied(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, n, basis) = (self.device, self.n(), &layout.main);
        let (a, _) = self.draw(basis, Domain::Evaluation, 0)?;
        let (b, _) = self.draw(&layout.all()?, Domain::Evaluation, 1)?;
        let sums = [
            vec![(&a, &a)],
            vec![(&a, &b), (&a, &a), (&a, &b)],
            vec![(&a, &b); 14],
        ];
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            for multiplier in [0, 1, 2, 257, u64::MAX] {
                let name = format!("{}, times {multiplier}, {domain:?}", layout.name);
                let case = Operation::InnerProducts.case(name);
                let results = case.done(device.inner_products(&sums, multiplier, domain))?;
                case.count(sums.len(), results.len())?;
                for (pairs, result) in sums.iter().zip(&results) {
                    let sum = case.done(device.inner_product(pairs, domain))?;
                    let sum = self.words(&case, &sum, basis, domain)?;
                    let expected = by_word(basis, n, |q, at| {
                        remainder(u128::from(sum[at]) * u128::from(multiplier % q.value()), q)
                    });
                    self.compare(&case, result, basis, domain, &expected)?;
                }
            }
        }
        Ok(())
    }

    /// Batches of several sizes times one and more factors, some of them with further limbs: each product as
    /// the transforms and the pointwise product make it.
    pub(super) fn products(&mut self, layout: &Layout, most_factors: usize) -> Result<(), Failure> {
        let (device, basis) = (self.device, &layout.main);
        let most = extreme(basis, self.n());
        let (a, _) = self.draw(basis, Domain::Evaluation, 1)?;
        let (b, _) = self.draw(&layout.all()?, Domain::Evaluation, 2)?;
        let greatest = self.upload(basis, Domain::Evaluation, &most)?;
        for (count, factors) in [
            (0, &[&a][..]),
            (1, &[&b]),
            (1, &[&b, &a]),
            (5, &[&greatest, &b, &b]),
        ] {
            let factors = &factors[..factors.len().min(most_factors)];
            let name = format!("{}, {count} times {} factors", layout.name, factors.len());
            let case = Operation::MultiplyFixed.case(name);
            let (mut batch, mut expected) = (Vec::new(), Vec::new());
            for i in 0..count {
                let words = match i {
                    0 => most.clone(),
                    _ => self.random.words(basis, self.n(), 0),
                };
                batch.push(self.upload(basis, Domain::Coefficient, &words)?);
                let a = self.upload(basis, Domain::Coefficient, &words)?;
                let a = case.done(device.transform(a, Domain::Evaluation))?;
                for factor in factors {
                    let product = case.done(device.inner_product(&[(&a, factor)], Domain::Coefficient))?;
                    expected.push(self.words(&case, &product, basis, Domain::Coefficient)?);
                }
            }
            let results = case.done(device.multiply_fixed(batch, factors))?;
            case.count(count, results.len())?;
            for (row, expected) in results.iter().zip(expected.chunks_exact(factors.len())) {
                case.count(factors.len(), row.len())?;
                for (product, expected) in row.iter().zip(expected) {
                    self.compare(&case, product, basis, Domain::Coefficient, expected)?;
                }
            }
        }
        Ok(())
    }

    /// A product modulo x^n + 1 of dense polynomials, by the definition.
    pub(super) fn schoolbook(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, n, basis) = (self.device, self.n(), &layout.main);
        if device.ring().as_fermat().is_some() || self.effort == Effort::Few {
            return Ok(());
        }
        let case = Operation::MultiplyFixed.case(format!("{}, schoolbook", layout.name));
        let (a, x) = self.draw(basis, Domain::Coefficient, 1)?;
        let (b, y) = self.draw(basis, Domain::Coefficient, 0)?;
        let b = case.done(device.transform(b, Domain::Evaluation))?;
        let results = case.done(device.multiply_fixed(vec![a], &[&b]))?;
        let limbs = x.chunks_exact(n).zip(y.chunks_exact(n)).zip(basis.moduli());
        let expected: Vec<u64> = limbs.flat_map(|((x, y), q)| convolution(q, x, y)).collect();
        for product in results.iter().flatten() {
            self.compare(&case, product, basis, Domain::Coefficient, &expected)?;
        }
        case.count(1, results.iter().flatten().count())
    }

    /// x -> x^k moves the coefficient of zeta^e to zeta^(ke), with the sign of x^n = -1 modulo x^n + 1, and
    /// the value at zeta^(ke) to the place of the one at zeta^e.
    fn automorphisms(&mut self, layout: &Layout, domain: Domain) -> Result<(), Failure> {
        let (device, n, basis) = (self.device, self.n(), layout.all()?);
        let (ring, d) = (device.ring(), device.ring().conductor());
        let exponents: Vec<u64> = match domain {
            Domain::Coefficient => (0..n).map(|j| ring.coefficient_exponent(j)).collect(),
            Domain::Evaluation => (0..n).map(|i| ring.value_exponent(i)).collect(),
        };
        let mut index = vec![None; d as usize];
        exponents
            .iter()
            .enumerate()
            .for_each(|(i, &e)| index[e as usize] = Some(i));
        let (a, words) = self.draw(&basis, domain, 0)?;
        let random = ring.value_exponent(self.random.below(n as u64) as usize);
        // 2 is a unit modulo odd conductors only.
        let least = if ring.is_unit(2) { 2 } else { 3 };
        for k in [1, least, d - 1, random, d + least] {
            let case = Operation::Automorphism.case(format!("{}, {domain:?}, exponent {k}", layout.name));
            let result = case.done(device.automorphism(&a, k))?;
            let mut expected = vec![0; words.len()];
            let limbs = expected.chunks_exact_mut(n).zip(words.chunks_exact(n));
            for ((target, source), q) in limbs.zip(basis.moduli()) {
                for (i, &e) in exponents.iter().enumerate() {
                    let moved = e * (k % d) % d;
                    match (domain, index[moved as usize]) {
                        (Domain::Coefficient, Some(moved)) => target[moved] = source[i],
                        (Domain::Evaluation, Some(moved)) => target[i] = source[moved],
                        // x^(n + j) = -x^j
                        (_, None) => target[moved as usize - n] = q.neg(source[i]),
                    }
                }
            }
            self.compare(&case, &result, &basis, domain, &expected)?;
        }
        Ok(())
    }
}

/// The product modulo x^n + 1: c_i = sum_j x_j y_(i-j), with a sign where i < j. Sums of 2^11 products fit
/// 128 bits for primes below 2^58.
fn convolution(q: &Modulus, x: &[u64], y: &[u64]) -> Vec<u64> {
    let n = x.len();
    let coefficient = |i: usize| {
        let terms = x.iter().enumerate().map(|(j, &x)| {
            let y = if j <= i { y[i - j] } else { q.neg(y[n + i - j]) };
            u128::from(x) * u128::from(y)
        });
        remainder(terms.sum(), q)
    };
    (0..n).map(coefficient).collect()
}

/// A word for each prime and position in a polynomial.
fn by_word(basis: &Basis, n: usize, word: impl Fn(&Modulus, usize) -> u64) -> Vec<u64> {
    let word = &word;
    let limbs = basis.moduli().iter().enumerate();
    limbs
        .flat_map(|(i, q)| (i * n..(i + 1) * n).map(move |at| word(q, at)))
        .collect()
}

/// q - 1 everywhere: the largest sums and products.
fn extreme(basis: &Basis, n: usize) -> Vec<u64> {
    by_word(basis, n, |q, _| q.value() - 1)
}
