use crate::device::{CudaDevice, store::Task};
use crate::machine::Address;
use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::Domain;
impl CudaDevice {
    pub(in crate::device) fn transform_batch(
        &self,
        _: &mut Task,
        basis: &Basis,
        polys: &[Address],
        to: Domain,
    ) -> Result<(), DeviceError> {
        // Temporary: emulator only.
        use ringmill_ring::Transform;
        let n = self.n();
        for &poly in polys {
            for (i, q) in basis.moduli().iter().enumerate() {
                let limb = unsafe { std::slice::from_raw_parts_mut((poly as *mut u64).add(i * n), n) };
                let transform = Transform::new(
                    &self.ring,
                    *q,
                    ringmill_arith::Kernel::from_environment().unwrap(),
                )
                .unwrap();
                match to {
                    Domain::Evaluation => transform.evaluate(limb).unwrap(),
                    Domain::Coefficient => transform.interpolate(limb).unwrap(),
                }
            }
        }
        Ok(())
    }
}
