use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::suite::Suite;
use super::{Failure, Layout, Operation};
use crate::{Device, DeviceError, Digits};

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
        let first = device.ring().orders().first().map_or(0, |&m| m as u64 + 1);
        for exponent in [0, first, device.ring().d()] {
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
        let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(q) if layout.extra.moduli().iter().any(|m| m.value() == *q));
        let case = dot.case("second operand without some limbs");
        self.refused(
            &case,
            device.dot(&[(v, &short)], Evaluation),
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
        self.fails(
            Operation::Scale,
            "values",
            &NEEDS_COEFFICIENTS,
            device.scale(v, 2, 1),
        )?;
        self.fails(
            Operation::DropLimbs,
            "values",
            &NEEDS_COEFFICIENTS,
            device.drop_limbs(v, 1),
        )?;
        for keep in [0, limbs, limbs + 1, usize::MAX] {
            let (name, expected) = (format!("keep {keep}"), DeviceError::BadLimbCount { keep, limbs });
            self.fails(Operation::Scale, &name, &expected, device.scale(a, 2, keep))?;
            self.fails(Operation::DropLimbs, &name, &expected, device.drop_limbs(a, keep))?;
        }
        Ok(())
    }

    fn bad_digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        let device = self.device;
        let (a, _) = self.draw(&layout.main, Coefficient, 0)?;
        let (v, _) = self.draw(&layout.main, Evaluation, 0)?;
        let limbs = |size, special: &Basis| Digits::Limbs {
            size,
            special: special.clone(),
        };
        let (decompose, switch) = (Operation::Decompose, Operation::KeySwitch);
        for digits in [limbs(1, &layout.extra), Digits::Words { bits: 20 }] {
            self.fails(
                decompose,
                "values",
                &NEEDS_COEFFICIENTS,
                device.decompose(&v, &digits),
            )?;
            self.fails(
                switch,
                "values",
                &NEEDS_COEFFICIENTS,
                device.key_switch(&v, &digits, &[]),
            )?;
        }
        let words = [0, 1, 61, 64, u32::MAX].map(|bits| (Digits::Words { bits }, bits as usize));
        for (digits, size) in words.into_iter().chain([(limbs(0, &layout.extra), 0)]) {
            let (name, expected) = (format!("{digits:?}"), DeviceError::BadDigits(size));
            self.fails(decompose, &name, &expected, device.decompose(&a, &digits))?;
            self.fails(switch, &name, &expected, device.key_switch(&a, &digits, &[]))?;
        }
        let shared = limbs(1, &layout.main.prefix(1)?);
        let case = decompose.case("special primes of the basis");
        self.refused(&case, device.decompose(&a, &shared), "a shared prime", |_| true)
    }

    fn bad_keys(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, switch) = (self.device, Operation::KeySwitch);
        let (a, _) = self.draw(&layout.main, Coefficient, 0)?;
        let special = layout.extra.clone();
        for digits in [Digits::Limbs { size: 1, special }, Digits::Words { bits: 40 }] {
            let needed = digits.count(&layout.main);
            let basis = match digits {
                Digits::Limbs { .. } => layout.all()?,
                Digits::Words { .. } => layout.main.clone(),
            };
            let mut key = Vec::new();
            for got in 0..needed {
                let expected = DeviceError::ShortKey { needed, got };
                if got == 0 || got == needed - 1 {
                    self.fails(
                        switch,
                        "short key",
                        &expected,
                        device.key_switch(&a, &digits, &key),
                    )?;
                }
                let (b, _) = self.draw(&basis, Evaluation, 1)?;
                key.push((b, self.draw(&basis, Evaluation, 2)?.0));
            }
            // One bad half of the last element.
            let (bad, _) = self.draw(&basis, Coefficient, 0)?;
            if let Some(last) = key.last_mut() {
                last.1 = bad;
            }
            let result = device.key_switch(&a, &digits, &key);
            self.fails(switch, "key in coefficient domain", &NEEDS_VALUES, result)?;
            let (alien, _) = self.draw(&basis.slice(basis.len() - 1..basis.len())?, Evaluation, 0)?;
            if basis.len() > 1 {
                if let Some(last) = key.last_mut() {
                    last.1 = alien;
                }
                let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(_));
                let result = device.key_switch(&a, &digits, &key);
                self.refused(
                    &switch.case("key without some limbs"),
                    result,
                    "MissingLimb",
                    missing,
                )?;
            }
        }
        Ok(())
    }
}
