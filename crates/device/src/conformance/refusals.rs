use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::suite::Suite;
use super::{Failure, Layout, Operation};
use crate::{Device, DeviceError, Digits, Pair};

use Domain::{Coefficient, Evaluation};

const NEEDS_COEFFICIENTS: DeviceError = DeviceError::WrongDomain(Coefficient);
const NEEDS_VALUES: DeviceError = DeviceError::WrongDomain(Evaluation);

impl<D: Device> Suite<'_, D> {
    /// What the contract says fails does, with the error it names, and leaves operands alone.
    pub(super) fn refusals(&mut self, layout: &Layout) -> Result<(), Failure> {
        let all = layout.all()?;
        let (a, coefficients) = self.draw(&all, Coefficient, 0)?;
        let (v, values) = self.draw(&all, Evaluation, 1)?;
        self.bad_words(&all, &coefficients)?;
        self.bad_sums(layout, &a, &v)?;
        self.bad_dots(layout, &a, &v)?;
        self.bad_products(layout, &v)?;
        self.bad_conversions(layout, &a, &v)?;
        self.bad_digits(layout)?;
        self.bad_keys(layout)?;
        let case = Operation::Upload.case("operand of calls that failed");
        self.compare(&case, &a, &all, Coefficient, &coefficients)?;
        self.compare(&case, &v, &all, Evaluation, &values)
    }

    /// Sees that a call fails with this very error.
    fn fails<T>(
        &mut self,
        operation: Operation,
        name: &str,
        expected: &DeviceError,
        result: Result<T, DeviceError>,
    ) -> Result<(), Failure> {
        self.refused(&operation.case(name), result, &format!("{expected:?}"), |e| {
            e == expected
        })
    }

    fn bad_words(&mut self, basis: &Basis, words: &[u64]) -> Result<(), Failure> {
        let (device, n, operation) = (self.device, self.n(), Operation::Upload);
        for got in [0, n, words.len() - 1, words.len() + 1] {
            let mut wrong = words.to_vec();
            wrong.resize(got, 0);
            let expected = DeviceError::WrongLength {
                expected: words.len(),
                got,
            };
            self.fails(
                operation,
                "wrong length",
                &expected,
                device.upload(basis, Coefficient, &wrong),
            )?;
        }
        for (i, q) in basis.moduli().iter().enumerate() {
            let modulus = q.value();
            for (index, word) in [(0, modulus), (n - 1, modulus), (n / 3, u64::MAX)] {
                let mut wrong = words.to_vec();
                wrong[i * n + index] = word;
                let expected = DeviceError::OutOfRange { modulus, index, word };
                let result = device.upload(basis, Evaluation, &wrong);
                self.fails(operation, "word out of range", &expected, result)?;
            }
        }
        Ok(())
    }

    fn bad_sums(&mut self, layout: &Layout, a: &D::Poly, v: &D::Poly) -> Result<(), Failure> {
        let (device, all) = (self.device, layout.all()?);
        let (short, _) = self.draw(&layout.main, Coefficient, 0)?;
        let mut moduli = all.moduli().to_vec();
        moduli.rotate_left(1);
        let (rotated, _) = self.draw(&Basis::new(&moduli)?, Coefficient, 0)?;
        let missing = DeviceError::MissingLimb(moduli[all.len() - 1].value());
        let tail = Basis::new(&moduli[..all.len() - 1])?;
        let (other, _) = self.draw(&tail, Coefficient, 0)?;
        self.fails(
            Operation::Restrict,
            "missing prime",
            &missing,
            device.restrict(&other, &all),
        )?;

        self.fails(
            Operation::Sum,
            "no terms",
            &DeviceError::NoOperands,
            device.sum(&[]),
        )?;
        let wrong_domain = |e: &DeviceError| matches!(e, DeviceError::WrongDomain(_));
        let (sum, sub) = (Operation::Sum, Operation::Sub);
        self.refused(
            &sum.case("two domains"),
            device.sum(&[a, a, v]),
            "WrongDomain",
            wrong_domain,
        )?;
        self.refused(
            &sub.case("two domains"),
            device.sub(v, a),
            "WrongDomain",
            wrong_domain,
        )?;
        for (b, right) in [(&short, layout.main.len()), (&rotated, all.len())] {
            let expected = DeviceError::BasisMismatch {
                left: all.len(),
                right,
            };
            self.fails(sum, "two bases", &expected, device.sum(&[a, a, b]))?;
            self.fails(sub, "two bases", &expected, device.sub(a, b))?;
        }
        let conductor = device.ring().conductor();
        let first = (2..conductor).find(|&k| !device.ring().is_unit(k));
        for exponent in [0, first.unwrap_or(0), conductor] {
            for a in [a, v] {
                let case = Operation::Automorphism.case(format!("exponent {exponent}"));
                self.refused(&case, device.automorphism(a, exponent), "not a unit", |_| true)?;
            }
        }
        Ok(())
    }

    fn bad_dots(&mut self, layout: &Layout, a: &D::Poly, v: &D::Poly) -> Result<(), Failure> {
        let (device, dot, all) = (self.device, Operation::Dot, layout.all()?);
        let (short, _) = self.draw(&layout.main, Evaluation, 0)?;
        self.fails(
            dot,
            "no pairs",
            &DeviceError::NoOperands,
            device.dot(&[], Evaluation),
        )?;
        for (pair, name) in [((a, v), "first"), ((v, a), "second"), ((a, a), "both")] {
            let name = format!("{name} operand in coefficient domain");
            self.fails(dot, &name, &NEEDS_VALUES, device.dot(&[pair], Evaluation))?;
            self.fails(
                dot,
                &name,
                &NEEDS_VALUES,
                device.dot(&[(v, v), pair], Coefficient),
            )?;
        }
        let mismatch = DeviceError::BasisMismatch {
            left: layout.main.len(),
            right: all.len(),
        };
        let pairs = [(&short, v), (v, v)];
        self.fails(
            dot,
            "first operands over two bases",
            &mismatch,
            device.dot(&pairs, Evaluation),
        )?;
        // Any of the missing limbs may be named.
        let several = |sums: &[Vec<(&D::Poly, &D::Poly)>]| device.dots(sums, 3, Evaluation);
        let (dots, none) = (Operation::Dots, DeviceError::NoOperands);
        self.fails(dots, "no sums", &none, several(&[]))?;
        self.fails(dots, "a sum of no pairs", &none, several(&[vec![(v, v)], vec![]]))?;
        self.fails(
            dots,
            "coefficients",
            &NEEDS_VALUES,
            several(&[vec![(v, v)], vec![(v, a)]]),
        )?;
        self.fails(
            dots,
            "sums over two bases",
            &mismatch,
            several(&[vec![(&short, v)], vec![(v, v)]]),
        )?;
        let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(q) if layout.extra.moduli().iter().any(|m| m.value() == *q));
        let name = "second operand without some limbs";
        let result = device.dot(&[(v, &short)], Evaluation);
        self.refused(&dot.case(name), result, "MissingLimb", missing)?;
        let result = several(&[vec![(v, v)], vec![(v, v), (v, &short)]]);
        self.refused(&dots.case(name), result, "MissingLimb", missing)
    }

    fn bad_products(&mut self, layout: &Layout, v: &D::Poly) -> Result<(), Failure> {
        let (device, all) = (self.device, layout.all()?);
        let products = Operation::Products;
        let (short, _) = self.draw(&layout.main, Evaluation, 0)?;
        let mut batch = |basis: &Basis, last: &Basis, domain| -> Result<Vec<D::Poly>, Failure> {
            Ok(vec![
                self.draw(basis, Coefficient, 0)?.0,
                self.draw(last, domain, 1)?.0,
            ])
        };
        let good = [batch(&all, &all, Coefficient)?, batch(&all, &all, Coefficient)?];
        let [without, coefficients] = good;
        let (values, mixed) = (
            batch(&all, &all, Evaluation)?,
            batch(&all, &layout.main, Coefficient)?,
        );
        let unfit = batch(&all, &all, Coefficient)?;
        let (factor, _) = self.draw(&all, Coefficient, 2)?;
        let none = DeviceError::NoOperands;
        self.fails(products, "no factors", &none, device.products(without, &[]))?;
        let result = device.products(coefficients, &[v, &factor]);
        self.fails(products, "factor in coefficient domain", &NEEDS_VALUES, result)?;
        let result = device.products(values, &[v]);
        self.fails(products, "values", &NEEDS_COEFFICIENTS, result)?;
        let mismatch = DeviceError::BasisMismatch {
            left: all.len(),
            right: layout.main.len(),
        };
        let result = device.products(mixed, &[v]);
        self.fails(products, "two bases", &mismatch, result)?;
        let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(q) if layout.extra.moduli().iter().any(|m| m.value() == *q));
        let case = products.case("factor without some limbs");
        self.refused(
            &case,
            device.products(unfit, &[v, &short]),
            "MissingLimb",
            missing,
        )
    }

    fn bad_conversions(&mut self, layout: &Layout, a: &D::Poly, v: &D::Poly) -> Result<(), Failure> {
        let (device, limbs) = (self.device, layout.all()?.len());
        let (short, _) = self.draw(&layout.main, Evaluation, 0)?;
        for to in [Coefficient, Evaluation] {
            let result = device.lift(&short, &layout.extra, to);
            self.fails(Operation::Lift, "values", &NEEDS_COEFFICIENTS, result)?;
            let case = Operation::Lift.case("shared primes");
            self.refused(&case, device.lift(a, &layout.extra, to), "a shared prime", |_| {
                true
            })?;
        }
        let (lifts, extra) = (Operation::Lifts, &layout.extra);
        let (main, _) = self.draw(&layout.main, Coefficient, 0)?;
        let none = DeviceError::NoOperands;
        self.fails(
            lifts,
            "no polynomials",
            &none,
            device.lifts(&[], extra, Coefficient),
        )?;
        let result = device.lifts(&[&main, &short], extra, Coefficient);
        self.fails(lifts, "values", &NEEDS_COEFFICIENTS, result)?;
        let mismatch = DeviceError::BasisMismatch {
            left: layout.main.len(),
            right: limbs,
        };
        let result = device.lifts(&[&main, a], extra, Evaluation);
        self.fails(lifts, "two bases", &mismatch, result)?;
        self.fails(
            Operation::Scale,
            "values",
            &NEEDS_COEFFICIENTS,
            device.scale(v, 2, 1),
        )?;
        for keep in [0, limbs, limbs + 1, usize::MAX] {
            let (name, expected) = (format!("keep {keep}"), DeviceError::BadLimbCount { keep, limbs });
            self.fails(Operation::Scale, &name, &expected, device.scale(a, 2, keep))?;
        }
        Ok(())
    }

    fn bad_digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let (a, _) = self.draw(q, Coefficient, 0)?;
        let (decompose, switch) = (Operation::Decompose, Operation::KeySwitch);
        for bits in [0, 1, 1025, 2048, u32::MAX] {
            let (digits, expected) = (Digits::Words { bits }, DeviceError::BadDigits(bits as usize));
            let name = format!("{digits:?}");
            self.fails(decompose, &name, &expected, device.decompose(&a, &digits))?;
            let result = device.key_switch(&a, &[], &digits, &[], q, Coefficient);
            self.fails(switch, &name, &expected, result)?;
        }
        let limbs = |groups: &[Basis], special: &Basis| Digits::Limbs {
            groups: groups.to_vec(),
            special: special.clone(),
        };
        let shared = limbs(std::slice::from_ref(q), &q.prefix(1)?);
        let prime = |_: &DeviceError| true;
        let case = decompose.case("special primes of the basis");
        self.refused(&case, device.decompose(&a, &shared), "a shared prime", prime)?;
        let case = Operation::Raise.case("special primes of the basis");
        self.refused(&case, device.raise(&a, &shared), "a shared prime", prime)?;
        // No limb is in a group but those of the first prime; none at all.
        let ungrouped = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(p) if q.moduli().iter().any(|q| q.value() == *p));
        for (name, groups, fails) in [
            ("limbs in no group", vec![q.prefix(1)?], q.len() > 1),
            ("no groups", vec![], true),
        ] {
            let digits = limbs(&groups, &layout.extra);
            if fails {
                let result = device.decompose(&a, &digits);
                self.refused(&decompose.case(name), result, "MissingLimb", ungrouped)?;
                let result = device.key_switch(&a, &[], &digits, &[], q, Coefficient);
                self.refused(&switch.case(name), result, "MissingLimb", ungrouped)?;
            }
        }
        Ok(())
    }

    fn bad_keys(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let (a, _) = self.draw(q, Coefficient, 0)?;
        let (other, _) = self.draw(&layout.extra, Coefficient, 1)?;
        let (special, groups) = (layout.extra.clone(), q.moduli().chunks(1).map(Basis::new));
        let groups = groups.collect::<Result<_, _>>()?;
        for digits in [Digits::Limbs { groups, special }, Digits::Words { bits: 40 }] {
            let needed = digits.elements(q).len();
            let basis = Operation::KeySwitch.case("basis").done(digits.extended(q))?;
            let mut key = Vec::new();
            for got in 0..needed {
                if got == 0 || got == needed - 1 {
                    let expected = DeviceError::ShortKey { needed, got };
                    self.bad_key(&a, &digits, &key, "short key", |e| *e == expected)?;
                }
                let (b, _) = self.draw(&basis, Evaluation, 1)?;
                key.push((b, self.draw(&basis, Evaluation, 2)?.0));
            }
            let mismatch = DeviceError::BasisMismatch {
                left: q.len(),
                right: layout.extra.len(),
            };
            for addends in [[(&a, &a), (&a, &other)], [(&other, &a), (&a, &a)]] {
                let result = device.key_switch(&a, &addends, &digits, &key, q, Evaluation);
                self.fails(
                    Operation::KeySwitch,
                    "addend over another basis",
                    &mismatch,
                    result,
                )?;
            }
            self.bad_parts(&a, &digits, &key)?;
            // One bad half of the last element.
            let (bad, _) = self.draw(&basis, Coefficient, 0)?;
            if let Some(last) = key.last_mut() {
                last.1 = bad;
            }
            let values = |e: &DeviceError| *e == NEEDS_VALUES;
            self.bad_key(&a, &digits, &key, "key in coefficient domain", values)?;
            let (alien, _) = self.draw(&basis.slice(basis.len() - 1..basis.len())?, Evaluation, 0)?;
            if basis.len() > 1 {
                if let Some(last) = key.last_mut() {
                    last.1 = alien;
                }
                let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(_));
                self.bad_key(&a, &digits, &key, "key without some limbs", missing)?;
            }
        }
        Ok(())
    }

    /// Sees that neither key switching nor rotation takes a key.
    fn bad_key(
        &mut self,
        a: &D::Poly,
        digits: &Digits,
        key: &[Pair<D::Poly>],
        name: &str,
        fits: impl Fn(&DeviceError) -> bool,
    ) -> Result<(), Failure> {
        let device = self.device;
        let result = device.key_switch(a, &[], digits, key, device.basis(a), Coefficient);
        self.refused(&Operation::KeySwitch.case(name), result, name, &fits)?;
        let parts = self.parts(device.basis(a), digits)?;
        let result = device.rotate(a, &parts, digits, key, 1);
        self.refused(&Operation::Rotate.case(name), result, name, fits)
    }

    /// As many polynomials as there are digits, over their basis.
    fn parts(&mut self, q: &Basis, digits: &Digits) -> Result<Vec<D::Poly>, Failure> {
        let basis = Operation::Rotate.case("basis").done(digits.extended(q))?;
        let elements = digits.elements(q).into_iter();
        elements
            .map(|_| Ok(self.draw(&basis, Evaluation, 0)?.0))
            .collect()
    }

    /// Digits that are not those of the polynomial that is rotated, and exponents that are no units.
    fn bad_parts(&mut self, a: &D::Poly, digits: &Digits, key: &[Pair<D::Poly>]) -> Result<(), Failure> {
        let (device, rotate) = (self.device, Operation::Rotate);
        let mut parts = self.parts(device.basis(a), digits)?;
        let case = rotate.case("exponent that is not a unit");
        let result = device.rotate(a, &parts, digits, key, 0);
        self.refused(&case, result, "not a unit", |_| true)?;
        let needed = parts.len();
        let Some(last) = parts.pop() else {
            return Ok(());
        };
        let got = parts.len();
        let expected = DeviceError::WrongDigits { needed, got };
        let result = device.rotate(a, &parts, digits, key, 1);
        self.fails(rotate, "a digit less", &expected, result)?;
        let basis = device.basis(&last).clone();
        let mut moduli = basis.moduli().to_vec();
        moduli.rotate_left(1);
        if basis.len() > 1 {
            parts.push(self.draw(&Basis::new(&moduli)?, Evaluation, 0)?.0);
            let (left, right) = (basis.len(), basis.len());
            let expected = DeviceError::BasisMismatch { left, right };
            let result = device.rotate(a, &parts, digits, key, 1);
            self.fails(rotate, "a digit over another basis", &expected, result)?;
            parts.pop();
        }
        parts.push(self.draw(&basis, Coefficient, 0)?.0);
        let result = device.rotate(a, &parts, digits, key, 1);
        self.fails(rotate, "a digit in coefficient domain", &NEEDS_VALUES, result)
    }
}
