//! Modulus switching: limbs given up, with rounding, and limbs taken on.

use ringmill_arith::Basis;
use ringmill_device::DeviceError;
use ringmill_ring::Domain;

use crate::device::{CudaDevice, CudaPoly};

impl CudaDevice {
    /// Modulus switching of polynomials of one basis and domain, each as [`ringmill_device::Device::rescale`].
    ///
    /// # Errors
    /// [`DeviceError::BasisMismatch`], [`DeviceError::WrongDomain`]; if the card fails.
    pub(in crate::device) fn rescale_all(
        &self,
        polys: &[&CudaPoly],
        to: &Basis,
        domain: Domain,
    ) -> Result<Vec<CudaPoly>, DeviceError> {
        todo!()
    }
}
