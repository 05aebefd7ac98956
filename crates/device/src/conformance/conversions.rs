use num_bigint::BigInt;
use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::columns::{boundaries, centred, integers, nearest, words};
use super::suite::Suite;
use super::{Failure, Layout, Operation};
use crate::Device;

impl<D: Device> Suite<'_, D> {
    /// Lift, scale and modulus drop.
    pub(super) fn conversions(&mut self, layout: &Layout) -> Result<(), Failure> {
        for level in layout.levels() {
            let q = layout.main.prefix(level)?;
            let name = format!("{}, {level} limbs", layout.name);
            self.lifts(&name, &q, &layout.extra)?;
            self.scales(&name, &q, &layout.extra)?;
            self.drops(&name, &q, &layout.extra)?;
        }
        // The other way, for long tails and short ones.
        self.lifts(layout.name, &layout.extra, &layout.main)?;
        self.scales(layout.name, &layout.extra, &layout.main)?;
        self.drops(layout.name, &layout.extra, &layout.main)
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
        self.compare(&Operation::Lift.case("operand"), &a, q, Domain::Coefficient, &own)
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

    fn drops(&mut self, name: &str, kept: &Basis, dropped: &Basis) -> Result<(), Failure> {
        let (device, n) = (self.device, self.n());
        let all = kept.concat(dropped)?;
        let (whole, divisor) = (all.product(), dropped.product());
        let edges = boundaries(&mut self.random, &whole, &divisor);
        let values = integers(&mut self.random, &all, &edges);
        let own = words(&values, &all, n);
        let a = self.upload(&all, Domain::Coefficient, &own)?;
        let case = Operation::DropLimbs.case(format!("{name}, {} dropped", dropped.len()));
        let result = case.done(device.drop_limbs(&a, kept.len()))?;
        let quotients = values.iter().map(|x| nearest(&centred(x, &whole), &divisor));
        let expected = words(&quotients.collect::<Vec<_>>(), kept, n);
        self.compare(&case, &result, kept, Domain::Coefficient, &expected)?;
        self.compare(
            &Operation::DropLimbs.case("operand"),
            &a,
            &all,
            Domain::Coefficient,
            &own,
        )
    }
}
