use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::digits::groups;
use super::suite::{Case, Suite};
use super::{Effort, Failure, Layout, Operation};
use ringmill_device::{Device, Digits, Pair, Rotatable, RotatedTerm, Tensor};

/// Both domains.
const DOMAINS: [Domain; 2] = [Domain::Coefficient, Domain::Evaluation];

/// The digits of a polynomial over a basis, and what key switching needs beside it.
struct Setting<'a, P> {
    name: &'a str,
    q: &'a Basis,
    digits: &'a Digits,
    key: &'a [Pair<P>],
}

/// Addends in words: the first and the second of each pair, with their domains.
type Addends<P> = Vec<Pair<P>>;

impl<D: Device> Suite<'_, D> {
    /// Key switching, relinearization and rotation with digits of limbs, compared with what the other operations give.
    pub(super) fn limb_switching(&mut self, layout: &Layout) -> Result<(), Failure> {
        let all = layout.all()?;
        // The last prime is never in a sum: it is there to be taken on.
        let special = layout.extra.prefix((layout.extra.len() - 1).max(1))?;
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            let some = match self.effort {
                Effort::All => 3,
                Effort::Few => 1,
            };
            for (shape, groups) in groups(&layout.main, level, self.effort)?.into_iter().take(some) {
                let special = special.clone();
                let name = format!("{name}, {shape}");
                self.with_digits(&name, &q, &all, &Digits::Limbs { groups, special })?;
            }
        }
        Ok(())
    }

    /// The same with digits in base 2^bits, at limbs at which there are few of them.
    pub(super) fn word_switching(&mut self, layout: &Layout) -> Result<(), Failure> {
        let all = layout.all()?;
        let most = match self.effort {
            Effort::All => 3,
            Effort::Few => 1,
        };
        for level in layout.levels().into_iter().filter(|&level| level <= most) {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs, digits of 47 bits", layout.name);
            self.with_digits(&name, &q, &all, &Digits::BaseTwo { bits: 47 })?;
        }
        Ok(())
    }

    /// With a random key over all primes: one key serves all levels.
    fn with_digits(&mut self, name: &str, q: &Basis, all: &Basis, digits: &Digits) -> Result<(), Failure> {
        let mut key = Vec::new();
        // One element more than is needed.
        for _ in 0..=digits.elements(q).last().map_or(0, |last| last + 1) {
            let (b, _) = self.draw(all, Domain::Evaluation, 1)?;
            key.push((b, self.draw(all, Domain::Evaluation, 2)?.0));
        }
        let (key, digits) = (key.as_slice(), digits);
        let setting = Setting { name, q, digits, key };
        for (i, to) in targets(q, all, digits)?.iter().enumerate() {
            // All numbers of addends in all domains, not with each target.
            let mut cases = vec![(DOMAINS[0], i % 3), (DOMAINS[1], (i + 1) % 3)];
            if self.effort == Effort::Few {
                cases.remove(i % 2);
            }
            for (domain, addends) in cases {
                self.key_switch(&setting, DOMAINS[i / 2 % 2], addends, to, domain)?;
            }
        }
        let targets = [q.clone(), all.slice(all.len() / 2..all.len())?];
        let mut wides = wides(q, all, digits)?;
        if self.effort == Effort::Few {
            wides.truncate(1);
        }
        for (i, wide) in wides.iter().enumerate() {
            for (to, domain) in targets.iter().zip([DOMAINS[i % 2], DOMAINS[1 - i % 2]]) {
                self.relinearize(&setting, wide, i, to, domain)?;
            }
        }
        self.rotations(&setting)?;
        self.rotated_sums(&setting, all)
    }

    fn key_switch(
        &mut self,
        setting: &Setting<'_, D::Poly>,
        from: Domain,
        addends: usize,
        to: &Basis,
        domain: Domain,
    ) -> Result<(), Failure> {
        let &Setting { name, q, digits, key } = setting;
        let case = Operation::KeySwitch.case(format!(
            "{name}, {from:?} to {domain:?} of {} limbs, {addends} addends",
            to.len()
        ));
        let (a, own) = self.draw(q, from, 0)?;
        let mut terms: Addends<D::Poly> = Vec::new();
        for i in 0..addends {
            // The halves of the first pair are in two domains, the second is all in one.
            let (x, _) = self.draw(q, DOMAINS[0], 1)?;
            terms.push((x, self.draw(q, DOMAINS[1 - i], 2)?.0));
        }
        let (b, c) = self.key_sums(&case, setting, &a, &terms)?;
        let mut expected = Vec::new();
        for sum in [b, c] {
            let result = case.done(self.device.rescale(&sum, to, domain))?;
            expected.push(self.words(&case, &result, to, domain)?);
        }
        let terms: Vec<Pair<&D::Poly>> = terms.iter().map(|(x, y)| (x, y)).collect();
        let (b, c) = case.done(self.device.key_switch(&a, &terms, digits, key, to, domain))?;
        self.compare(&case, &b, to, domain, &expected[0])?;
        self.compare(&case, &c, to, domain, &expected[1])?;
        self.compare(&Operation::KeySwitch.case("operand"), &a, q, from, &own)
    }

    /// A sum of two tensor products over the basis `wide`.
    fn relinearize(
        &mut self,
        setting: &Setting<'_, D::Poly>,
        wide: &Basis,
        addends: usize,
        to: &Basis,
        domain: Domain,
    ) -> Result<(), Failure> {
        let (device, multiplier) = (self.device, 3);
        let &Setting { name, q, digits, key } = setting;
        let case = Operation::Relinearize.case(format!(
            "{name}, over {} limbs, to {domain:?} of {}, {addends} addends",
            wide.len(),
            to.len()
        ));
        let (third, own) = self.draw(q, DOMAINS[addends % 2], 0)?;
        let mut factors = Vec::new();
        for i in 0..4 {
            factors.push(self.draw(wide, Domain::Evaluation, i % 3)?.0);
        }
        let [w, x, y, z] = [&factors[0], &factors[1], &factors[2], &factors[3]];
        let sums = [vec![(w, x), (y, z)], vec![(w, z), (x, y), (x, x)]];
        let mut terms: Addends<D::Poly> = Vec::new();
        for i in 0..addends {
            let (x, _) = self.draw(q, DOMAINS[i % 2], 1)?;
            terms.push((x, self.draw(q, DOMAINS[0], 2)?.0));
        }
        let (b, c) = self.key_sums(&case, setting, &third, &[])?;
        let products = case.done(device.inner_products(&sums, multiplier, Domain::Evaluation))?;
        let mut expected = Vec::new();
        for (side, (sum, product)) in [b, c].into_iter().zip(products).enumerate() {
            let raised = case.done(device.rescale(&sum, wide, Domain::Evaluation))?;
            let mut whole = case.done(device.sum(&[&raised, &product]))?;
            for addend in terms.iter().map(|pair| [&pair.0, &pair.1][side]) {
                let raised = case.done(device.rescale(addend, wide, Domain::Evaluation))?;
                whole = case.done(device.sum(&[&whole, &raised]))?;
            }
            let result = case.done(device.rescale(&whole, to, domain))?;
            expected.push(self.words(&case, &result, to, domain)?);
        }
        let terms: Vec<Pair<&D::Poly>> = terms.iter().map(|(x, y)| (x, y)).collect();
        let tensor = Tensor {
            sums,
            multiplier,
            third: &third,
        };
        let (b, c) = case.done(device.relinearize(&tensor, &terms, digits, key, to, domain))?;
        self.compare(&case, &b, to, domain, &expected[0])?;
        self.compare(&case, &c, to, domain, &expected[1])?;
        let case = Operation::Relinearize.case("operand");
        self.compare(&case, &third, q, DOMAINS[addends % 2], &own)
    }

    /// The sums of digits times key elements and of P times the addends, in evaluation domain.
    fn key_sums(
        &mut self,
        case: &Case,
        setting: &Setting<'_, D::Poly>,
        a: &D::Poly,
        addends: &[Pair<D::Poly>],
    ) -> Result<Pair<D::Poly>, Failure> {
        let (device, digits) = (self.device, setting.digits);
        let parts = case.done(device.decompose(a, digits))?;
        let elements = digits.elements(setting.q);
        let sum = |side: fn(&Pair<D::Poly>) -> &D::Poly| {
            let key = elements.iter().map(|&i| side(&setting.key[i]));
            let pairs: Vec<_> = parts.iter().zip(key).collect();
            let mut terms = vec![case.done(device.inner_product(&pairs, Domain::Evaluation))?];
            for addend in addends.iter().map(side) {
                let extended = case.done(device.extend_by_p(addend, digits))?;
                terms.push(case.done(device.transform(extended, Domain::Evaluation))?);
            }
            case.done(device.sum(&terms.iter().collect::<Vec<_>>()))
        };
        Ok((sum(|pair| &pair.0)?, sum(|pair| &pair.1)?))
    }

    fn rotations(&mut self, setting: &Setting<'_, D::Poly>) -> Result<(), Failure> {
        let (device, n) = (self.device, self.n() as u64);
        let &Setting { name, q, digits, key } = setting;
        let basis = Operation::Rotate.case("basis").done(digits.extended(q))?;
        let random = device.ring().value_exponent(self.random.below(n) as usize);
        let (a, _) = self.draw(q, Domain::Coefficient, 0)?;
        for (exponent, domain) in [(1, DOMAINS[0]), (random, DOMAINS[1])] {
            let case = Operation::Rotate.case(format!("{name}, exponent {exponent}, first in {domain:?}"));
            let (first, own) = self.draw(q, domain, 1)?;
            let (zero, _) = (self.upload(q, domain, &vec![0; own.len()])?, ());
            let addends = [(case.done(device.copy(&first))?, zero)];
            let (b, c) = self.key_sums(&case, setting, &a, &addends)?;
            let parts = case.done(device.decompose(&a, digits))?;
            let (x, y) = case.done(device.rotate(&first, &parts, digits, key, exponent))?;
            for (sum, result) in [(b, x), (c, y)] {
                let expected = case.done(device.automorphism(&sum, exponent))?;
                let expected = self.words(&case, &expected, &basis, Domain::Evaluation)?;
                self.compare(&case, &result, &basis, Domain::Evaluation, &expected)?;
            }
            self.compare(&Operation::Rotate.case("operand"), &first, q, domain, &own)?;
        }
        Ok(())
    }
}

impl<D: Device> Suite<'_, D> {
    /// Sums of images of three ciphertexts under two keys, with and without factors, compared with the sum of what
    /// `rotate` and `extend_by_p` give, word by word.
    fn rotated_sums(&mut self, setting: &Setting<'_, D::Poly>, all: &Basis) -> Result<(), Failure> {
        let (device, n) = (self.device, self.n() as u64);
        let &Setting { name, q, digits, key } = setting;
        let case = Operation::RotatedSums.case(name.to_owned());
        let basis = case.done(digits.extended(q))?;
        let mut second_key = Vec::new();
        for _ in key {
            let (b, _) = self.draw(all, Domain::Evaluation, 3)?;
            second_key.push((b, self.draw(all, Domain::Evaluation, 4)?.0));
        }
        let exponents = [0, 1].map(|_| device.ring().value_exponent(self.random.below(n) as usize));
        let keys = [(exponents[0], key), (exponents[1], second_key.as_slice())];
        let mut ciphertexts = Vec::new();
        for domains in [DOMAINS, [DOMAINS[1], DOMAINS[0]], DOMAINS] {
            let (first, _) = self.draw(q, domains[0], 1)?;
            ciphertexts.push((first, self.draw(q, domains[1], 2)?.0));
        }
        // The last one is not moved, so that it has no digits.
        let mut parts = Vec::new();
        for (_, second) in &ciphertexts[..2] {
            parts.push(case.done(device.decompose(second, digits))?);
        }
        parts.push(Vec::new());
        let factors = [
            self.draw(all, Domain::Evaluation, 5)?,
            self.draw(&basis, Domain::Evaluation, 6)?,
        ];
        let [f, g] = [0, 1].map(|i| Some(&factors[i].0));
        let term = |operand, key, factor| RotatedTerm { operand, key, factor };
        let mut sums = vec![
            vec![term(0, Some(0), None), term(1, Some(1), f), term(2, None, g)],
            vec![term(1, None, None), term(0, Some(0), g)],
        ];
        if self.effort == Effort::All {
            sums.push(vec![
                term(0, None, f),
                term(1, Some(0), None),
                term(0, Some(1), None),
            ]);
            sums.push(vec![term(2, None, None)]);
        }
        let operands = ciphertexts
            .iter()
            .zip(&parts)
            .map(|((first, second), parts)| Rotatable { first, second, parts });
        let operands: Vec<_> = operands.collect();
        let results = case.done(device.rotated_sums(&operands, digits, &keys, &sums))?;
        case.count(sums.len(), results.len())?;
        for (sum, (b, a)) in sums.iter().zip(&results) {
            let mut expected = [
                vec![0; basis.len() * n as usize],
                vec![0; basis.len() * n as usize],
            ];
            for term in sum {
                let operand = &operands[term.operand];
                let (x, y) = match term.key.map(|key| keys[key]) {
                    Some((exponent, key)) => {
                        case.done(device.rotate(operand.first, operand.parts, digits, key, exponent))?
                    }
                    None => {
                        let extended = |part| -> Result<_, Failure> {
                            let extended = case.done(device.extend_by_p(part, digits))?;
                            case.done(device.transform(extended, Domain::Evaluation))
                        };
                        (extended(operand.first)?, extended(operand.second)?)
                    }
                };
                let factor = term
                    .factor
                    .map(|factor| case.done(device.restrict(factor, &basis)));
                let factor = match factor.transpose()? {
                    Some(factor) => Some(self.words(&case, &factor, &basis, Domain::Evaluation)?),
                    None => None,
                };
                for (sum, image) in expected.iter_mut().zip([x, y]) {
                    let image = self.words(&case, &image, &basis, Domain::Evaluation)?;
                    for (i, (sum, image)) in sum.iter_mut().zip(image).enumerate() {
                        let modulus = &basis.moduli()[i / n as usize];
                        let image = factor
                            .as_ref()
                            .map_or(image, |factor| modulus.mul(image, factor[i]));
                        *sum = modulus.add(*sum, image);
                    }
                }
            }
            for (half, expected) in [b, a].into_iter().zip(&expected) {
                self.compare(&case, half, &basis, Domain::Evaluation, expected)?;
            }
        }
        Ok(())
    }
}

/// Bases of tensor products: that of the digits with further primes behind it, the same in another order, and that of the
/// digits alone.
fn wides(q: &Basis, all: &Basis, digits: &Digits) -> Result<Vec<Basis>, Failure> {
    let extended = Operation::Relinearize.case("basis").done(digits.extended(q))?;
    let mut moduli = extended.moduli().to_vec();
    moduli.extend(all.moduli().iter().filter(|p| extended.position(p).is_none()));
    let longer = Basis::new(&moduli)?;
    moduli.reverse();
    Ok(vec![longer, Basis::new(&moduli)?, extended])
}

/// Bases to switch to: the polynomial's own, its limbs and the special primes, some of both in another
/// order, some limbs less and one more.
fn targets(q: &Basis, all: &Basis, digits: &Digits) -> Result<Vec<Basis>, Failure> {
    let extended = Operation::KeySwitch.case("basis").done(digits.extended(q))?;
    let mut mixed: Vec<Modulus> = extended.moduli().iter().rev().step_by(2).copied().collect();
    mixed.extend(all.moduli().iter().find(|p| extended.position(p).is_none()));
    let mut fewer = q.moduli()[q.len() / 2..].to_vec();
    fewer.extend(all.moduli().last().filter(|p| extended.position(p).is_none()));
    let one = q.slice(q.len() - 1..q.len())?;
    Ok(vec![
        q.clone(),
        Basis::new(&fewer)?,
        Basis::new(&mixed)?,
        one,
        extended,
    ])
}
