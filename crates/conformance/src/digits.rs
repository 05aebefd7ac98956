use num_bigint::{BigInt, BigUint};
use num_traits::One;
use ringmill_arith::{Basis, Modulus};
use ringmill_ring::Domain;

use super::columns::{centred, integers, signed_digits, words};
use super::suite::{Case, Suite};
use super::{Effort, Failure, Layout, Operation};
use ringmill_device::{Device, Digits};

/// Bits of word digits, and the most limbs at which they are tried: there are as many transforms as
/// digits and limbs.
const WIDTHS: [(u32, usize); 10] = [
    (2, 1),
    (7, 2),
    (16, 3),
    (31, 5),
    (59, 3),
    (60, 11),
    (64, 2),
    (100, 3),
    (205, 11),
    (1024, 2),
];

/// The same at large dimensions.
const FEW_WIDTHS: [(u32, usize); 4] = [(16, 1), (31, 3), (60, 2), (205, 11)];

/// The index of a digit's key element, and the digit.
type Digit = (usize, Vec<BigInt>);

impl<D: Device> Suite<'_, D> {
    /// Decomposition into digits of limbs.
    pub(super) fn limb_digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            for (shape, groups) in groups(&layout.main, level, self.effort)? {
                let name = format!("{name}, {shape}");
                self.limbs(&name, &q, &groups, &layout.extra)?;
            }
        }
        Ok(())
    }

    /// Decomposition in base 2^bits.
    pub(super) fn word_digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        let widths = match self.effort {
            Effort::All => &WIDTHS[..],
            Effort::Few => &FEW_WIDTHS,
        };
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            for &(bits, _) in widths.iter().filter(|w| level <= w.1) {
                let name = format!("{}, {level} limbs, digits of {bits} bits", layout.name);
                self.in_base(&name, &q, bits)?;
            }
        }
        Ok(())
    }

    fn limbs(&mut self, name: &str, q: &Basis, groups: &[Basis], special: &Basis) -> Result<(), Failure> {
        let case = Operation::Decompose.case(name);
        let values = integers(&mut self.random, q, &[]);
        let mut expected = Vec::new();
        for (element, group) in groups.iter().enumerate() {
            let own = group.moduli().iter().filter(|p| q.position(p).is_some());
            let product: BigUint = own.clone().map(Modulus::value).product();
            if own.count() > 0 {
                expected.push((element, values.iter().map(|x| centred(x, &product)).collect()));
            }
        }
        let digits = Digits::Limbs {
            groups: groups.to_vec(),
            special: special.clone(),
        };
        self.decomposition(&case, q, &values, &digits, &q.concat(special)?, &expected)
    }

    fn in_base(&mut self, name: &str, q: &Basis, bits: u32) -> Result<(), Failure> {
        let case = Operation::Decompose.case(name);
        // As many as have room for the last with no carry.
        let (base, mut count) = (BigInt::one() << bits, 1);
        let mut power = &base / 2;
        while power < BigInt::from(q.product()) {
            power *= &base;
            count += 1;
        }
        // All words half, half + 1, half - 1 and full: no carry, and carries all the way.
        let full = &base - 1;
        let half = &base / 2;
        let mut edges = Vec::new();
        for word in [&half, &(&half + 1), &(&half - 1), &full] {
            let all = (0..count - 1).fold(BigInt::ZERO, |x, _| (x << bits) + word);
            edges.extend([&all + 1, &all - 1, all]);
        }
        let values = integers(&mut self.random, q, &edges);
        let rows: Vec<Vec<BigInt>> = values.iter().map(|x| signed_digits(x, bits, count)).collect();
        let column = |k: usize| rows.iter().map(|row| row[k].clone()).collect();
        let expected: Vec<Digit> = (0..count).map(|k| (k, column(k))).collect();
        self.decomposition(&case, q, &values, &Digits::BaseTwo { bits }, q, &expected)
    }

    /// Compares a device's digits, over `basis`, with the expected ones, from either domain.
    fn decomposition(
        &mut self,
        case: &Case,
        q: &Basis,
        values: &[BigInt],
        digits: &Digits,
        basis: &Basis,
        expected: &[Digit],
    ) -> Result<(), Failure> {
        let n = self.n();
        let elements: Vec<usize> = expected.iter().map(|digit| digit.0).collect();
        case.elements(&elements, &digits.elements(q))?;
        let own = words(values, q, n);
        let a = self.upload(q, Domain::Coefficient, &own)?;
        let parts = case.done(self.device.decompose(&a, digits))?;
        case.count(expected.len(), parts.len())?;
        let evaluated = case.done(
            self.device
                .transform(case.done(self.device.copy(&a))?, Domain::Evaluation),
        )?;
        let again = case.done(self.device.decompose(&evaluated, digits))?;
        case.count(expected.len(), again.len())?;
        for ((part, again), (_, expected)) in parts.into_iter().zip(again).zip(expected) {
            let values = self.words(case, &part, basis, Domain::Evaluation)?;
            self.compare(case, &again, basis, Domain::Evaluation, &values)?;
            let part = case.done(self.device.transform(part, Domain::Coefficient))?;
            let expected = words(expected, basis, n);
            self.compare(case, &part, basis, Domain::Coefficient, &expected)?;
        }
        let case = Operation::Decompose.case("operand");
        self.compare(&case, &a, q, Domain::Coefficient, &own)
    }
}

/// Ways to put the primes of `main` into groups, where polynomials have the first `level` of them.
pub(super) fn groups(
    main: &Basis,
    level: usize,
    effort: Effort,
) -> Result<Vec<(&'static str, Vec<Basis>)>, Failure> {
    let chunks =
        |moduli: &[Modulus], size| moduli.chunks(size).map(Basis::new).collect::<Result<Vec<_>, _>>();
    // From the last prime: the first groups have no limbs, one has some.
    let reversed: Vec<Modulus> = main.moduli().iter().rev().copied().collect();
    let mut groupings = vec![
        ("digits of 2 limbs", chunks(main.moduli(), 2)?),
        ("digits of 2 limbs from the last", chunks(&reversed, 2)?),
    ];
    if effort == Effort::All {
        let alternate = |first: usize| main.moduli().iter().skip(first).step_by(2).copied().collect();
        let (odd, even): (Vec<Modulus>, Vec<Modulus>) = (alternate(1), alternate(0));
        let alternate = [odd, even].into_iter().filter(|group| !group.is_empty());
        let alternate = alternate
            .map(|group| Basis::new(&group))
            .collect::<Result<_, _>>()?;
        groupings.extend([
            ("digits of every other limb", alternate),
            ("digits of 1 limb", chunks(main.moduli(), 1)?),
            (
                "digits of as many limbs as there are",
                chunks(main.moduli(), level)?,
            ),
            ("one digit", chunks(main.moduli(), main.len())?),
        ]);
    }
    Ok(groupings)
}
