use num_bigint::{BigInt, BigUint};
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::columns::{boundaries, centred, integers, nearest, words};
use super::suite::Suite;
use super::{Failure, Layout, Operation};
use ringmill_device::{Device, Digits};

impl<D: Device> Suite<'_, D> {
    /// Lift, scale, modulus switching and multiplication by special primes.
    pub(super) fn conversions(&mut self, layout: &Layout) -> Result<(), Failure> {
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            self.lifts(&name, &q, &layout.extra)?;
            self.scales(&name, &q, &layout.extra)?;
            self.rescales(&name, &q, &layout.extra)?;
            self.extensions_by_p(&name, &q, &layout.extra)?;
        }
        // The other way, for long tails and short ones.
        self.lifts(layout.name, &layout.extra, &layout.main)?;
        self.scales(layout.name, &layout.extra, &layout.main)?;
        self.rescales(layout.name, &layout.extra, &layout.main)
    }

    fn lifts(&mut self, name: &str, q: &Basis, extension: &Basis) -> Result<(), Failure> {
        let (device, n, product) = (self.device, self.n(), q.product());
        let values = integers(&mut self.random, q, &[]);
        let own = words(&values, q, n);
        let a = self.upload(q, Domain::Coefficient, &own)?;
        let name = format!("{name} and {} more", extension.len());
        let case = Operation::Lift.case(&name);
        let result = case.done(device.lift(&a, extension, Domain::Coefficient))?;
        let basis = q.concat(extension)?;
        let values: Vec<BigInt> = values.iter().map(|x| centred(x, &product)).collect();
        let expected = words(&values, &basis, n);
        self.compare(&case, &result, &basis, Domain::Coefficient, &expected)?;

        let case = Operation::Lift.case(format!("{name}, to values"));
        let transformed = case.done(device.transform(result, Domain::Evaluation))?;
        let expected = self.words(&case, &transformed, &basis, Domain::Evaluation)?;
        let result = case.done(device.lift(&a, extension, Domain::Evaluation))?;
        self.compare(&case, &result, &basis, Domain::Evaluation, &expected)?;
        self.compare(&Operation::Lift.case("operand"), &a, q, Domain::Coefficient, &own)?;
        self.several_lifts(&name, q, extension)
    }

    /// Compares several lifts at once with the same ones, each alone.
    fn several_lifts(&mut self, name: &str, q: &Basis, extension: &Basis) -> Result<(), Failure> {
        let (device, case) = (self.device, Operation::Lifts.case(name));
        let basis = q.concat(extension)?;
        let polys = (0..3).map(|rank| Ok(self.draw(q, Domain::Coefficient, rank)?.0));
        let polys = polys.collect::<Result<Vec<_>, Failure>>()?;
        for to in [Domain::Coefficient, Domain::Evaluation] {
            let results = case.done(device.lifts(&polys.iter().collect::<Vec<_>>(), extension, to))?;
            case.count(polys.len(), results.len())?;
            for (a, result) in polys.iter().zip(&results) {
                let expected = case.done(device.lift(a, extension, to))?;
                let expected = self.words(&case, &expected, &basis, to)?;
                self.compare(&case, result, &basis, to, &expected)?;
            }
        }
        Ok(())
    }

    fn scales(&mut self, name: &str, q: &Basis, b: &Basis) -> Result<(), Failure> {
        let (device, n) = (self.device, self.n());
        let (basis, divisor) = (q.concat(b)?, q.product());
        let whole = basis.product();
        // The last one is no residue and not prime to q.
        let multiple = q.moduli().first().map_or(0, |p| p.value().saturating_mul(3));
        for t in [0, 1, 2, 3, 257, (1 << 61) - 1, u64::MAX, multiple] {
            // c such that t c is at a boundary modulo q B; [t c] then wraps for most c.
            let mut edges = boundaries(&mut self.random, &whole, &divisor);
            let inverse = BigInt::from(t).modinv(&whole.clone().into());
            edges
                .iter_mut()
                .for_each(|x| *x *= inverse.clone().unwrap_or_else(|| 1.into()));
            // c at boundaries itself, and so small that t c does not wrap.
            edges.extend(boundaries(&mut self.random, &(&whole / t.max(1)), &divisor));
            let values = integers(&mut self.random, &basis, &edges);
            let c = self.upload(&basis, Domain::Coefficient, &words(&values, &basis, n))?;
            let case = Operation::Scale.case(format!("{name} and {} more, t = {t}", b.len()));
            let result = case.done(device.scale(&c, t, q.len()))?;
            let scaled = values
                .iter()
                .map(|x| nearest(&centred(&(x * t), &whole), &divisor));
            let expected = words(&scaled.collect::<Vec<_>>(), q, n);
            self.compare(&case, &result, q, Domain::Coefficient, &expected)?;
        }
        Ok(())
    }

    /// Changes of basis that give up limbs at the end and elsewhere, take on others, or both.
    fn rescales(&mut self, name: &str, q: &Basis, others: &Basis) -> Result<(), Failure> {
        let all = q.concat(others)?;
        let mut odd: Vec<Modulus> = all.moduli().iter().skip(1).step_by(2).copied().collect();
        odd.reverse();
        let mut mixed = odd.clone();
        mixed.extend(others.moduli().last().filter(|last| !odd.contains(last)));
        let mut turned = all.moduli().to_vec();
        turned.rotate_left(1);
        let changes = [
            ("limbs dropped at the end", &all, q.clone()),
            ("limbs dropped here and there", &all, Basis::new(&odd)?),
            ("limbs dropped and taken on", q, Basis::new(&mixed)?),
            ("limbs taken on", q, Basis::new(&turned)?),
            ("all limbs exchanged", q, others.clone()),
            ("same limbs in another order", &all, Basis::new(&turned)?),
        ];
        for (change, from, to) in changes {
            self.rescale(&format!("{name}, {change}"), from, &to)?;
        }
        Ok(())
    }

    fn rescale(&mut self, name: &str, from: &Basis, to: &Basis) -> Result<(), Failure> {
        let (device, n, whole) = (self.device, self.n(), from.product());
        let (down, up) = (product_without(from, to), product_without(to, from));
        // a such that U a is at a boundary modulo D, and a at boundaries itself.
        let inverse = BigInt::from(up.clone()).modinv(&whole.clone().into());
        let mut edges = boundaries(&mut self.random, &whole, &down);
        edges.extend(
            edges
                .clone()
                .iter()
                .map(|x| x * inverse.clone().unwrap_or_default()),
        );
        let values = integers(&mut self.random, from, &edges);
        let quotients = values
            .iter()
            .map(|x| nearest(&(x * BigInt::from(up.clone())), &down));
        let expected = words(&quotients.collect::<Vec<_>>(), to, n);
        let own = words(&values, from, n);

        let case = Operation::Rescale.case(name);
        let a = self.upload(from, Domain::Coefficient, &own)?;
        let evaluated = case.done(device.transform(case.done(device.copy(&a))?, Domain::Evaluation))?;
        let values = self.words(&case, &evaluated, from, Domain::Evaluation)?;
        let transformed = self.upload(to, Domain::Coefficient, &expected)?;
        let transformed = case.done(device.transform(transformed, Domain::Evaluation))?;
        let transformed = self.words(&case, &transformed, to, Domain::Evaluation)?;
        for (a, own) in [(&a, &own), (&evaluated, &values)] {
            for (domain, expected) in [
                (Domain::Coefficient, &expected),
                (Domain::Evaluation, &transformed),
            ] {
                let case = Operation::Rescale.case(format!("{name}, {:?} to {domain:?}", device.domain(a)));
                let result = case.done(device.rescale(a, to, domain))?;
                self.compare(&case, &result, to, domain, expected)?;
            }
            let case = Operation::Rescale.case("operand");
            self.compare(&case, a, from, device.domain(a), own)?;
        }
        Ok(())
    }

    fn extensions_by_p(&mut self, name: &str, q: &Basis, special: &Basis) -> Result<(), Failure> {
        let (device, n, basis) = (self.device, self.n(), q.concat(special)?);
        let limbs = Digits::Limbs {
            groups: vec![q.clone()],
            special: special.clone(),
        };
        let values = integers(&mut self.random, q, &[]);
        let factor = BigInt::from(special.product());
        let extended: Vec<BigInt> = values.iter().map(|x| x * &factor).collect();
        for (digits, basis, expected) in [
            (limbs, &basis, &extended),
            (Digits::BaseTwo { bits: 20 }, q, &values),
        ] {
            let case = Operation::ExtendByP.case(format!("{name}, {} limbs more", basis.len() - q.len()));
            let expected = words(expected, basis, n);
            let a = self.upload(q, Domain::Coefficient, &words(&values, q, n))?;
            let result = case.done(device.extend_by_p(&a, &digits))?;
            self.compare(&case, &result, basis, Domain::Coefficient, &expected)?;
            let a = case.done(device.transform(a, Domain::Evaluation))?;
            let result = case.done(device.extend_by_p(&a, &digits))?;
            self.words(&case, &result, basis, Domain::Evaluation)?;
            let result = case.done(device.transform(result, Domain::Coefficient))?;
            self.compare(&case, &result, basis, Domain::Coefficient, &expected)?;
        }
        Ok(())
    }
}

/// The product of the primes of `a` that are not in `b`.
fn product_without(a: &Basis, b: &Basis) -> BigUint {
    let moduli = a.moduli().iter().filter(|q| b.position(q).is_none());
    moduli.map(Modulus::value).product()
}
