//! The refusals of key switching, relinearization and rotation.

use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::refusals::NEEDS_VALUES;
use super::suite::Suite;
use super::{Failure, Layout, Operation};
use ringmill_device::{Device, DeviceError, Digits, Pair, Rotatable, RotatedTerm, Tensor};

use Domain::{Coefficient, Evaluation};

impl<D: Device> Suite<'_, D> {
    /// Digits that cannot be made.
    pub(super) fn bad_digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let (a, _) = self.draw(q, Coefficient, 0)?;
        let (decompose, switch) = (Operation::Decompose, Operation::KeySwitch);
        for bits in [0, 1, 1025, 2048, u32::MAX] {
            let (digits, expected) = (Digits::BaseTwo { bits }, DeviceError::BadDigits(bits as usize));
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
        let case = Operation::ExtendByP.case("special primes of the basis");
        self.refused(&case, device.extend_by_p(&a, &shared), "a shared prime", prime)?;
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

    /// Keys, addends and digits that do not fit together.
    pub(super) fn bad_keys(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let (a, _) = self.draw(q, Coefficient, 0)?;
        let (other, _) = self.draw(&layout.extra, Coefficient, 1)?;
        let (special, groups) = (layout.extra.clone(), q.moduli().chunks(1).map(Basis::new));
        let groups = groups.collect::<Result<_, _>>()?;
        for digits in [Digits::Limbs { groups, special }, Digits::BaseTwo { bits: 40 }] {
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
            self.bad_tensors(&a, &digits, &key, &basis)?;
            self.bad_rotated_sums(&a, &digits, &key, &basis)?;
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

    /// Addends and products that do not fit.
    fn bad_tensors(
        &mut self,
        a: &D::Poly,
        digits: &Digits,
        key: &[Pair<D::Poly>],
        basis: &Basis,
    ) -> Result<(), Failure> {
        let (device, relinearize) = (self.device, Operation::Relinearize);
        let q = device.basis(a).clone();
        let (good, _) = self.draw(basis, Evaluation, 0)?;
        let (coefficients, _) = self.draw(basis, Coefficient, 0)?;
        let (short, _) = self.draw(&basis.slice(basis.len() - 1..basis.len())?, Evaluation, 0)?;
        let call = |sums, addends: &[Pair<&D::Poly>]| {
            let tensor = Tensor {
                sums,
                multiplier: 1,
                third: a,
            };
            device.relinearize(&tensor, addends, digits, key, &q, Coefficient)
        };
        let pair = || vec![(&good, &good)];
        let none = DeviceError::NoOperands;
        self.fails(
            relinearize,
            "a part without products",
            &none,
            call([pair(), vec![]], &[]),
        )?;
        let sums = [pair(), vec![(&good, &coefficients)]];
        self.fails(
            relinearize,
            "a factor in coefficient domain",
            &NEEDS_VALUES,
            call(sums, &[]),
        )?;
        let (left, right) = (q.len(), basis.len());
        let mismatch = DeviceError::BasisMismatch { left, right };
        if left != right {
            let result = call([pair(), pair()], &[(a, &coefficients)]);
            self.fails(relinearize, "an addend over another basis", &mismatch, result)?;
        }
        if basis.len() > 1 {
            let result = call([vec![(&short, &good)], vec![(&short, &good)]], &[]);
            let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(_));
            let case = relinearize.case("products that lack primes of the digits");
            self.refused(&case, result, "MissingLimb", missing)?;
        }
        Ok(())
    }

    /// Sees that neither key switching nor relinearization nor rotation takes a key.
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
        let extended = Operation::Relinearize
            .case("basis")
            .done(digits.extended(device.basis(a)))?;
        let (factor, _) = self.draw(&extended, Evaluation, 0)?;
        let tensor = Tensor {
            sums: [vec![(&factor, &factor)], vec![(&factor, &factor)]],
            multiplier: 1,
            third: a,
        };
        let result = device.relinearize(&tensor, &[], digits, key, device.basis(a), Coefficient);
        self.refused(&Operation::Relinearize.case(name), result, name, &fits)?;
        let parts = self.parts(device.basis(a), digits)?;
        let result = device.rotate(a, &parts, digits, key, 1);
        self.refused(&Operation::Rotate.case(name), result, name, &fits)?;
        let result = rotated(device, a, &parts, digits, key, term(Some(0), None));
        self.refused(&Operation::RotatedSums.case(name), result, name, fits)
    }

    /// Sums of automorphisms of nothing, of ciphertexts and keys that are not there, and with factors that do not fit.
    fn bad_rotated_sums(
        &mut self,
        a: &D::Poly,
        digits: &Digits,
        key: &[Pair<D::Poly>],
        basis: &Basis,
    ) -> Result<(), Failure> {
        let (device, sums, none) = (self.device, Operation::RotatedSums, DeviceError::NoOperands);
        let parts = self.parts(device.basis(a), digits)?;
        let nothing: [Rotatable<'_, D::Poly>; 0] = [];
        self.fails(
            sums,
            "no ciphertexts",
            &none,
            device.rotated_sums(&nothing, digits, &[], &[]),
        )?;
        let operands = [Rotatable {
            first: a,
            second: a,
            parts: &parts,
        }];
        let empty = device.rotated_sums(&operands, digits, &[(1, key)], &[vec![]]);
        self.fails(sums, "a sum without terms", &none, empty)?;
        let absent = RotatedTerm {
            operand: 1,
            ..term(None, None)
        };
        let cases = [
            ("a ciphertext that is not there", absent),
            ("a key that is not there", term(Some(1), None)),
        ];
        for (name, term) in cases {
            self.fails(sums, name, &none, rotated(device, a, &parts, digits, key, term))?;
        }
        let result = rotated(device, a, &[], digits, key, term(Some(0), None));
        let case = sums.case("a ciphertext without digits");
        self.refused(&case, result, "WrongDigits", |e| {
            matches!(e, DeviceError::WrongDigits { .. })
        })?;
        let (coefficients, _) = self.draw(basis, Coefficient, 0)?;
        let result = rotated(device, a, &parts, digits, key, term(None, Some(&coefficients)));
        self.fails(sums, "a factor in coefficient domain", &NEEDS_VALUES, result)?;
        if basis.len() > 1 {
            let (short, _) = self.draw(&basis.slice(1..basis.len())?, Evaluation, 0)?;
            let result = rotated(device, a, &parts, digits, key, term(None, Some(&short)));
            let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(_));
            self.refused(
                &sums.case("a factor that lacks a prime"),
                result,
                "MissingLimb",
                missing,
            )?;
        }
        let (other, _) = self.draw(basis, Coefficient, 0)?;
        if basis != device.basis(a) {
            let operands = [
                Rotatable {
                    first: a,
                    second: a,
                    parts: &parts,
                },
                Rotatable {
                    first: a,
                    second: &other,
                    parts: &parts,
                },
            ];
            let result = device.rotated_sums(&operands, digits, &[(1, key)], &[vec![term(None, None)]]);
            let (left, right) = (device.basis(a).len(), basis.len());
            self.fails(
                sums,
                "a ciphertext over two bases",
                &DeviceError::BasisMismatch { left, right },
                result,
            )?;
        }
        Ok(())
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

/// A term of the first ciphertext.
fn term<P>(key: Option<usize>, factor: Option<&P>) -> RotatedTerm<'_, P> {
    RotatedTerm {
        operand: 0,
        key,
        factor,
    }
}

/// A sum of one term, of one ciphertext with one key.
fn rotated<D: Device>(
    device: &D,
    a: &D::Poly,
    parts: &[D::Poly],
    digits: &Digits,
    key: &[Pair<D::Poly>],
    term: RotatedTerm<'_, D::Poly>,
) -> Result<Vec<Pair<D::Poly>>, DeviceError> {
    let operands = [Rotatable {
        first: a,
        second: a,
        parts,
    }];
    device.rotated_sums(&operands, digits, &[(1, key)], &[vec![term]])
}
