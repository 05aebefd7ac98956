use num_bigint::BigInt;
use num_traits::One;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::columns::{integers, signed_digits, words};
use super::suite::Suite;
use super::{Effort, Failure, Layout, Operation};
use ringmill_device::{Device, DeviceError, Digits, GroupedKey, KeyGroup, provided};

/// Bits of words, and the most limbs at which they are tried.
const WIDTHS: [(u32, usize); 5] = [(2, 1), (16, 3), (31, 5), (49, 3), (100, 3)];

/// The same at large dimensions.
const FEW_WIDTHS: [(u32, usize); 2] = [(16, 1), (205, 11)];

/// Polynomials in a batch.
const BATCH: u32 = 3;

impl<D: Device> Suite<'_, D> {
    /// Words over other bases, and their products with keys cut into groups.
    pub(super) fn words_of(&mut self, layout: &Layout) -> Result<(), Failure> {
        let widths = match self.effort {
            Effort::All => &WIDTHS[..],
            Effort::Few => &FEW_WIDTHS,
        };
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            for &(bits, _) in widths.iter().filter(|w| level <= w.1) {
                let name = format!("{name}, words of {bits} bits");
                self.small_words(&name, &q, bits, &layout.extra)?;
            }
            if level <= 5 {
                self.grouped_switches(&name, layout, &q)?;
            }
        }
        self.bad_grouped_switches(layout)
    }

    /// Compares words with their definition, over primes that the polynomial does not have and over its own,
    /// from either domain.
    fn small_words(&mut self, name: &str, q: &Basis, bits: u32, other: &Basis) -> Result<(), Failure> {
        let (device, n) = (self.device, self.n());
        let case = Operation::DecomposeBaseTwo.case(name);
        let count = (Digits::BaseTwo { bits }).elements(q).len();
        let base = BigInt::one() << bits;
        let half: BigInt = &base / 2;
        let edges = [&half, &(&half + 1), &(&half - 1), &(&base - 1)].map(|word| {
            let words = 0..count - 1;
            words.fold(BigInt::ZERO, |x, _| (x << bits) + word)
        });
        let values = integers(&mut self.random, q, &edges);
        let rows: Vec<Vec<BigInt>> = values.iter().map(|x| signed_digits(x, bits, count)).collect();
        let own = words(&values, q, n);
        let a = self.upload(q, Domain::Coefficient, &own)?;
        let copy = case.done(device.copy(&a))?;
        let evaluated = case.done(device.transform(copy, Domain::Evaluation))?;
        for (a, over) in [(&a, other), (&evaluated, other), (&a, q)] {
            let parts = case.done(device.decompose_base_two(a, bits, over))?;
            case.count(count, parts.len())?;
            for (k, part) in parts.into_iter().enumerate() {
                self.words(&case, &part, over, Domain::Evaluation)?;
                let part = case.done(device.transform(part, Domain::Coefficient))?;
                let digits: Vec<BigInt> = rows.iter().map(|row| row[k].clone()).collect();
                self.compare(&case, &part, over, Domain::Coefficient, &words(&digits, over, n))?;
            }
        }
        self.compare(&case, &a, q, Domain::Coefficient, &own)
    }

    /// A key with random elements for groups of up to two limbs of `main`, the last groups first.
    fn word_key(&mut self, layout: &Layout, bits: u32) -> Result<GroupedKey<D::Poly>, Failure> {
        let count = (Digits::BaseTwo { bits }).elements(&layout.main).len();
        let reversed: Vec<Modulus> = layout.main.moduli().iter().rev().copied().collect();
        let mut groups = Vec::new();
        for limbs in reversed.chunks(2) {
            let mut elements = Vec::new();
            for rank in 0..count {
                elements.push(self.draw(&layout.extra, Domain::Evaluation, rank as u32)?.0);
            }
            let limbs = Basis::new(limbs)?;
            groups.push(KeyGroup { limbs, elements });
        }
        Ok(GroupedKey {
            bits,
            auxiliary: layout.extra.clone(),
            groups,
        })
    }

    /// Compares batches with what the other operations give for each polynomial.
    fn grouped_switches(&mut self, name: &str, layout: &Layout, q: &Basis) -> Result<(), Failure> {
        let key = self.word_key(layout, 31)?;
        for (from, to) in [
            (Domain::Coefficient, Domain::Evaluation),
            (Domain::Evaluation, Domain::Coefficient),
        ] {
            let case = Operation::KeySwitchGrouped.case(format!("{name}, {from:?} to {to:?}"));
            let mut batch = Vec::new();
            for rank in 0..BATCH {
                batch.push(self.draw(q, from, rank)?.0);
            }
            let batch: Vec<&D::Poly> = batch.iter().collect();
            let results = case.done(self.device.key_switch_grouped(&batch, &key, to))?;
            case.count(batch.len(), results.len())?;
            let expected = case.done(provided::key_switch_grouped(self.device, &batch, &key, to))?;
            for (expected, result) in expected.iter().zip(&results) {
                let expected = self.words(&case, expected, q, to)?;
                self.compare(&case, result, q, to, &expected)?;
            }
            let none = case.done(self.device.key_switch_grouped(&[], &key, to))?;
            case.count(0, none.len())?;
        }
        Ok(())
    }

    fn bad_grouped_switches(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let (a, _) = self.draw(q, Domain::Coefficient, 0)?;
        let case = Operation::DecomposeBaseTwo.case("bad widths");
        for bits in [0, 1, 1025, u32::MAX] {
            let expected = DeviceError::BadDigits(bits as usize);
            let result = device.decompose_base_two(&a, bits, &layout.extra);
            self.refused(&case, result, "BadDigits", |e| *e == expected)?;
        }
        let (v, _) = self.draw(&layout.extra, Domain::Evaluation, 0)?;
        let case = Operation::ConcatLimbs.case("bad operands");
        self.refused(&case, device.concat_limbs(&[]), "NoOperands", |e| {
            *e == DeviceError::NoOperands
        })?;
        let domain = |e: &DeviceError| matches!(e, DeviceError::WrongDomain(_));
        self.refused(&case, device.concat_limbs(&[&a, &v]), "WrongDomain", domain)?;
        self.refused(&case, device.concat_limbs(&[&a, &a]), "a shared prime", |_| true)?;

        let mut key = self.word_key(layout, 40)?;
        let switch = |batch: &[&D::Poly], key: &GroupedKey<D::Poly>| {
            device.key_switch_grouped(batch, key, Domain::Coefficient)
        };
        let case = Operation::KeySwitchGrouped.case("bad operands");
        let (other, _) = self.draw(&layout.extra, Domain::Coefficient, 0)?;
        let mismatch = |e: &DeviceError| matches!(e, DeviceError::BasisMismatch { .. });
        self.refused(&case, switch(&[&a, &other], &key), "BasisMismatch", mismatch)?;
        let missing = |e: &DeviceError| matches!(e, DeviceError::MissingLimb(_));
        self.refused(&case, switch(&[&other], &key), "MissingLimb", missing)?;
        key.bits = 1025;
        let width = |e: &DeviceError| *e == DeviceError::BadDigits(1025);
        self.refused(&case, switch(&[&a], &key), "BadDigits", width)?;
        key.bits = 40;
        let needed = key.words(q);
        if let Some(last) = key.groups.last_mut() {
            last.elements.pop();
            let (coefficients, _) = self.draw(&layout.extra, Domain::Coefficient, 0)?;
            let short = DeviceError::ShortKey {
                needed,
                got: needed - 1,
            };
            self.refused(&case, switch(&[&a], &key), "ShortKey", |e| *e == short)?;
            if let Some(last) = key.groups.last_mut() {
                last.elements.push(coefficients);
            }
            self.refused(&case, switch(&[&a], &key), "WrongDomain", domain)?;
            let (alien, _) = self.draw(q, Domain::Evaluation, 0)?;
            if let Some(element) = key.groups.last_mut().and_then(|group| group.elements.last_mut()) {
                *element = alien;
            }
            self.refused(&case, switch(&[&a], &key), "MissingLimb", missing)?;
        }
        Ok(())
    }
}
