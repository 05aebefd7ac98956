use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::suite::Suite;
use super::{Failure, Layout, Operation};
use ringmill_device::Device;

impl<D: Device> Suite<'_, D> {
    /// Operations that move words and change none.
    pub(super) fn memory(&mut self, layout: &Layout) -> Result<(), Failure> {
        let device = self.device;
        let all = layout.all()?;
        let n = self.n();
        for domain in [Domain::Coefficient, Domain::Evaluation] {
            let name = format!("{}, {domain:?}", layout.name);
            let (a, words) = self.draw(&all, domain, 0)?;
            self.compare(&Operation::Upload.case(&name), &a, &all, domain, &words)?;

            let case = Operation::Copy.case(&name);
            let copy = case.done(device.copy(&a))?;
            self.compare(&case, &copy, &all, domain, &words)?;

            // A wiped polynomial is gone; others, and those that may take its place, are not.
            let case = Operation::Wipe.case(&name);
            device.wipe(copy);
            let (b, others) = self.draw(&all, domain, 1)?;
            self.compare(&case, &a, &all, domain, &words)?;
            self.compare(&case, &b, &all, domain, &others)?;

            let mut reversed = all.moduli().to_vec();
            reversed.reverse();
            let bases = [
                all.prefix(1)?,
                layout.main.clone(),
                layout.extra.clone(),
                all.clone(),
                Basis::new(&reversed)?,
            ];
            for basis in bases {
                let case = Operation::Restrict.case(format!("{name}, to {} limbs", basis.len()));
                let result = case.done(device.restrict(&a, &basis))?;
                let limbs = basis.moduli().iter().filter_map(|q| all.position(q));
                let expected: Vec<u64> = limbs.flat_map(|i| &words[i * n..(i + 1) * n]).copied().collect();
                self.compare(&case, &result, &basis, domain, &expected)?;
            }
            self.compare(&Operation::Restrict.case("operand"), &a, &all, domain, &words)?;

            let case = Operation::ConcatLimbs.case(&name);
            let [main, extra] =
                [&layout.main, &layout.extra].map(|basis| case.done(device.restrict(&a, basis)));
            let (main, extra) = (main?, extra?);
            let joined = case.done(device.concat_limbs(&[&extra, &main]))?;
            let (first, last) = words.split_at(layout.main.len() * n);
            let basis = layout.extra.concat(&layout.main)?;
            self.compare(&case, &joined, &basis, domain, &[last, first].concat())?;
            let alone = case.done(device.concat_limbs(&[&main]))?;
            self.compare(&case, &alone, &layout.main, domain, first)?;
        }
        Ok(())
    }
}
