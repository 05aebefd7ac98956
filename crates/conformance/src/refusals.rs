use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::suite::Suite;
use super::{Failure, Layout, Operation};
use ringmill_device::{Device, DeviceError};

use Domain::{Coefficient, Evaluation};

const NEEDS_COEFFICIENTS: DeviceError = DeviceError::WrongDomain(Coefficient);
pub(super) const NEEDS_VALUES: DeviceError = DeviceError::WrongDomain(Evaluation);

impl<D: Device> Suite<'_, D> {
    /// What the contract says fails does, with the error it names, and leaves operands alone.
    pub(super) fn refusals(&mut self, layout: &Layout) -> Result<(), Failure> {
        self.linear_refusals(layout)?;
        let all = layout.all()?;
        let (a, coefficients) = self.draw(&all, Coefficient, 0)?;
        let (v, values) = self.draw(&all, Evaluation, 1)?;
        self.bad_conversions(layout, &a, &v)?;
        self.bad_digits(layout)?;
        self.bad_keys(layout)?;
        self.unchanged(&all, (&a, &coefficients), (&v, &values))
    }

    /// The refusals of the operations of [`Suite::linear`].
    pub(super) fn linear_refusals(&mut self, layout: &Layout) -> Result<(), Failure> {
        let all = layout.all()?;
        let (a, coefficients) = self.draw(&all, Coefficient, 0)?;
        let (v, values) = self.draw(&all, Evaluation, 1)?;
        self.bad_words(&all, &coefficients)?;
        self.bad_sums(layout, &a, &v)?;
        self.bad_dots(layout, &a, &v)?;
        self.bad_products(layout, &v)?;
        self.unchanged(&all, (&a, &coefficients), (&v, &values))
    }

    /// Sees that calls that failed left their operands, one in each domain, as they were.
    fn unchanged(
        &mut self,
        basis: &Basis,
        (a, coefficients): (&D::Poly, &[u64]),
        (v, values): (&D::Poly, &[u64]),
    ) -> Result<(), Failure> {
        let case = Operation::Upload.case("operand of calls that failed");
        self.compare(&case, a, basis, Coefficient, coefficients)?;
        self.compare(&case, v, basis, Evaluation, values)
    }

    /// Sees that a call fails with this very error.
    pub(super) fn fails<T>(
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
        let (device, dot, all) = (self.device, Operation::InnerProduct, layout.all()?);
        let (short, _) = self.draw(&layout.main, Evaluation, 0)?;
        self.fails(
            dot,
            "no pairs",
            &DeviceError::NoOperands,
            device.inner_product(&[], Evaluation),
        )?;
        for (pair, name) in [((a, v), "first"), ((v, a), "second"), ((a, a), "both")] {
            let name = format!("{name} operand in coefficient domain");
            self.fails(
                dot,
                &name,
                &NEEDS_VALUES,
                device.inner_product(&[pair], Evaluation),
            )?;
            self.fails(
                dot,
                &name,
                &NEEDS_VALUES,
                device.inner_product(&[(v, v), pair], Coefficient),
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
            device.inner_product(&pairs, Evaluation),
        )?;
        // Any of the missing limbs may be named.
        let several = |sums: &[Vec<(&D::Poly, &D::Poly)>]| device.inner_products(sums, 3, Evaluation);
        let (dots, none) = (Operation::InnerProducts, DeviceError::NoOperands);
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
        let result = device.inner_product(&[(v, &short)], Evaluation);
        self.refused(&dot.case(name), result, "MissingLimb", missing)?;
        let result = several(&[vec![(v, v)], vec![(v, v), (v, &short)]]);
        self.refused(&dots.case(name), result, "MissingLimb", missing)
    }

    fn bad_products(&mut self, layout: &Layout, v: &D::Poly) -> Result<(), Failure> {
        let (device, all) = (self.device, layout.all()?);
        let products = Operation::MultiplyFixed;
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
        self.fails(products, "no factors", &none, device.multiply_fixed(without, &[]))?;
        let result = device.multiply_fixed(coefficients, &[v, &factor]);
        self.fails(products, "factor in coefficient domain", &NEEDS_VALUES, result)?;
        let result = device.multiply_fixed(values, &[v]);
        self.fails(products, "values", &NEEDS_COEFFICIENTS, result)?;
        let mismatch = DeviceError::BasisMismatch {
            left: all.len(),
            right: layout.main.len(),
        };
        let result = device.multiply_fixed(mixed, &[v]);
        self.fails(products, "two bases", &mismatch, result)?;
        let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(q) if layout.extra.moduli().iter().any(|m| m.value() == *q));
        let case = products.case("factor without some limbs");
        self.refused(
            &case,
            device.multiply_fixed(unfit, &[v, &short]),
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
}
