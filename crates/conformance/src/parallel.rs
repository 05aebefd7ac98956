use rayon::prelude::*;
use ringmill_ring::Domain;

use super::suite::Suite;
use super::{Failure, Layout, Operation};
use ringmill_device::{Device, Digits};

/// Calls at a time.
const CALLS: u32 = 6;

impl<D: Device> Suite<'_, D> {
    /// Calls at one time do not disturb each other: each gives what it gives alone.
    pub(super) fn parallel(&mut self, layout: &Layout) -> Result<(), Failure> {
        let (device, q) = (self.device, &layout.main);
        let digits = Digits::Limbs {
            groups: vec![q.clone()],
            special: layout.extra.clone(),
        };
        let chain = layout.all()?;
        let mut operands = Vec::new();
        for rank in 0..CALLS {
            operands.push(self.draw(q, Domain::Coefficient, rank)?.0);
        }
        let mut key = Vec::new();
        let (b, _) = self.draw(&chain, Domain::Evaluation, 1)?;
        key.push((b, self.draw(&chain, Domain::Evaluation, 2)?.0));
        let case = Operation::KeySwitch.case(format!("{}, {CALLS} calls at a time", layout.name));
        let call = |a: &D::Poly| {
            let lifted = device.lift(a, &layout.extra, Domain::Evaluation)?;
            let square = device.inner_product(&[(&lifted, &lifted)], Domain::Coefficient)?;
            let scaled = device.scale(&square, 2, q.len())?;
            device.key_switch(&scaled, &[], &digits, &key, q, Domain::Coefficient)
        };
        let together: Vec<_> = operands.par_iter().map(call).collect();
        for (a, results) in operands.iter().zip(together) {
            let (b, c) = case.done(results)?;
            let (x, y) = case.done(call(a))?;
            for (alone, together) in [(x, b), (y, c)] {
                let expected = self.words(&case, &alone, q, Domain::Coefficient)?;
                self.compare(&case, &together, q, Domain::Coefficient, &expected)?;
            }
        }
        Ok(())
    }
}
