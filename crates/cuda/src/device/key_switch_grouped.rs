//! Key switching with base-two digits and a key in groups of limbs.

use num_bigint::BigUint;
use ringmill_arith::Basis;
use ringmill_device::{DeviceError, GroupedKey, UsedGroup};
use ringmill_ring::Domain;

use super::conversion::{ConversionJob, ConversionKind};
use super::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Does [`ringmill_device::Device::key_switch_grouped`] with these groups of the key. The sums of all
    /// groups of all polynomials are made and transformed together, and one launch lifts them to the limbs
    /// of the results.
    pub(super) fn words_switched(
        &self,
        batch: &[&CudaPoly],
        key: &GroupedKey<CudaPoly>,
        groups: &[UsedGroup<'_, CudaPoly>],
        domain: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        let Some(first) = batch.first() else {
            return Ok(Vec::new());
        };
        let (basis, auxiliary) = (first.basis(), &key.auxiliary);
        let words = batch.iter().map(|a| self.base_two_digits(a, key.bits, auxiliary));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let pairs = |words| {
            groups
                .iter()
                .map(move |(group, _)| std::iter::zip(words, &group.elements).collect())
        };
        let sums: Vec<Vec<_>> = words.iter().flat_map(pairs).collect();
        let sums = self.dots_of(auxiliary, &sums, 1, Domain::Coefficient)?;
        drop(words);
        let lift = |own: &Basis| self.conversion(ConversionKind::Lift, &BigUint::from(1u32), auxiliary, own);
        let lifts = groups.iter().map(|(_, own)| lift(own));
        let lifts = lifts.collect::<Result<Vec<_>, _>>()?;
        let results = batch.iter().map(|_| self.allocate(basis, domain));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let mut task = self.store.task();
        let (mut jobs, mut addresses) = (Vec::with_capacity(sums.len()), Vec::with_capacity(batch.len()));
        for (result, sums) in results.iter().zip(sums.chunks_exact(groups.len())) {
            let address = task.write(result.words())?;
            for (sum, conversion) in sums.iter().zip(&lifts) {
                jobs.push(ConversionJob {
                    conversion,
                    from: (task.read(sum.words())?, auxiliary),
                    to: (address, basis),
                    own: None,
                });
            }
            addresses.push(address);
        }
        self.convert(&mut task, &jobs)?;
        if domain == Domain::Evaluation {
            self.transform_batch(&mut task, basis, &addresses, domain)?;
        }
        Ok(results)
    }
}
