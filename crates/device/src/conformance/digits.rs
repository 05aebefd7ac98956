use num_bigint::BigInt;
use num_traits::One;
use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::columns::{centred, integers, signed_digits, words};
use super::suite::{Case, Suite};
use super::{Failure, LONG_DIMENSION, Layout, Operation};
use crate::{Device, Digits};

/// Bits of word digits, and the most limbs at which they are tried: there are as many transforms as
/// digits and limbs.
const WIDTHS: [(u32, usize); 6] = [(2, 1), (7, 2), (16, 3), (31, 5), (59, 3), (60, 11)];

/// The same at large dimensions.
const FEW_WIDTHS: [(u32, usize); 3] = [(16, 1), (31, 3), (60, 2)];

/// One half of a key's elements.
type Side<P> = fn(&(P, P)) -> &P;

impl<D: Device> Suite<'_, D> {
    /// Decomposition and key switching.
    pub(super) fn digits(&mut self, layout: &Layout) -> Result<(), Failure> {
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            let long = self.n() <= LONG_DIMENSION;
            let mut sizes = if long {
                vec![1, 2, level, level + 2]
            } else {
                vec![2]
            };
            sizes.sort_unstable();
            sizes.dedup();
            let widths = if long { &WIDTHS[..] } else { &FEW_WIDTHS };
            for size in sizes {
                let name = format!("{name}, digits of {size} limbs");
                let special = layout.extra.clone();
                self.limbs(&name, &q, size, &special)?;
                if size == 2 || size == level {
                    self.key_switching(&name, &q, &layout.all()?, &Digits::Limbs { size, special })?;
                }
            }
            for &(bits, _) in widths.iter().filter(|w| level <= w.1) {
                let name = format!("{name}, digits of {bits} bits");
                self.word_digits(&name, &q, bits)?;
                if bits >= 31 {
                    self.key_switching(&name, &q, &layout.main, &Digits::Words { bits })?;
                }
            }
        }
        Ok(())
    }

    fn limbs(&mut self, name: &str, q: &Basis, size: usize, special: &Basis) -> Result<(), Failure> {
        let case = Operation::Decompose.case(name);
        let values = integers(&mut self.random, q, &[]);
        let starts = (0..q.len()).step_by(size);
        let products = starts.map(|start| q.slice(start..(start + size).min(q.len())));
        let mut expected = Vec::new();
        for digit in products {
            let product = digit?.product();
            expected.push(values.iter().map(|x| centred(x, &product)).collect());
        }
        let digits = Digits::Limbs {
            size,
            special: special.clone(),
        };
        self.decomposition(&case, q, &values, &digits, &q.concat(special)?, &expected)
    }

    fn word_digits(&mut self, name: &str, q: &Basis, bits: u32) -> Result<(), Failure> {
        let case = Operation::Decompose.case(name);
        // ceil(log2(q) / bits), and one for a carry.
        let (base, mut count) = (BigInt::one() << bits, 1);
        let mut power = base.clone();
        while power < BigInt::from(q.product()) {
            power *= &base;
            count += 1;
        }
        count += 1;
        // All words half, half + 1, half - 1 and full: no carry, and carries all the way.
        let full = &base - 1;
        let half = &base / 2;
        let mut edges = Vec::new();
        for word in [&half, &(&half + 1), &(&half - 1), &full] {
            let all = (0..count - 2).fold(BigInt::ZERO, |x, _| (x << bits) + word);
            edges.extend([&all + 1, &all - 1, all]);
        }
        let values = integers(&mut self.random, q, &edges);
        let rows: Vec<Vec<BigInt>> = values.iter().map(|x| signed_digits(x, bits, count)).collect();
        let column = |k: usize| rows.iter().map(|row| row[k].clone()).collect();
        let expected: Vec<Vec<BigInt>> = (0..count).map(column).collect();
        self.decomposition(&case, q, &values, &Digits::Words { bits }, q, &expected)
    }

    /// Compares a device's digits, over `basis`, with the expected ones.
    fn decomposition(
        &mut self,
        case: &Case,
        q: &Basis,
        values: &[BigInt],
        digits: &Digits,
        basis: &Basis,
        expected: &[Vec<BigInt>],
    ) -> Result<(), Failure> {
        let n = self.n();
        case.count(expected.len(), digits.count(q))?;
        let own = words(values, q, n);
        let a = self.upload(q, Domain::Coefficient, &own)?;
        let parts = case.done(self.device.decompose(&a, digits))?;
        case.count(expected.len(), parts.len())?;
        for (part, expected) in parts.into_iter().zip(expected) {
            self.words(case, &part, basis, Domain::Evaluation)?;
            let part = case.done(self.device.transform(part, Domain::Coefficient))?;
            self.compare(
                case,
                &part,
                basis,
                Domain::Coefficient,
                &words(expected, basis, n),
            )?;
        }
        self.compare(
            &Operation::Decompose.case("operand"),
            &a,
            q,
            Domain::Coefficient,
            &own,
        )
    }

    /// Compares key switching with what the other operations give, with a random key over `chain`:
    /// one key serves all levels.
    fn key_switching(
        &mut self,
        name: &str,
        q: &Basis,
        chain: &Basis,
        digits: &Digits,
    ) -> Result<(), Failure> {
        let device = self.device;
        let case = Operation::KeySwitch.case(name);
        let (a, own) = self.draw(q, Domain::Coefficient, 0)?;
        let parts = case.done(device.decompose(&a, digits))?;
        let mut key = Vec::new();
        // One element more than is needed.
        for _ in 0..=parts.len() {
            let (b, _) = self.draw(chain, Domain::Evaluation, 1)?;
            key.push((b, self.draw(chain, Domain::Evaluation, 2)?.0));
        }
        let sides: [Side<D::Poly>; 2] = [|pair| &pair.0, |pair| &pair.1];
        let mut expected = Vec::new();
        for side in sides {
            let pairs: Vec<_> = parts.iter().zip(key.iter().map(side)).collect();
            let sum = case.done(device.dot(&pairs, Domain::Coefficient))?;
            let sum = match digits {
                Digits::Limbs { .. } => case.done(device.drop_limbs(&sum, q.len()))?,
                Digits::Words { .. } => sum,
            };
            expected.push(self.words(&case, &sum, q, Domain::Coefficient)?);
        }
        let (b, c) = case.done(device.key_switch(&a, digits, &key))?;
        self.compare(&case, &b, q, Domain::Coefficient, &expected[0])?;
        self.compare(&case, &c, q, Domain::Coefficient, &expected[1])?;
        self.compare(
            &Operation::KeySwitch.case("operand"),
            &a,
            q,
            Domain::Coefficient,
            &own,
        )
    }
}
