use std::sync::Arc;

use ringmill_arith::Kernel;
use ringmill_arith::sampling::Gaussian;
use ringmill_device::Device;
use ringmill_fv::noise::Bins;
use ringmill_fv::{Plaintext, Sampler};
use ringmill_ring::Slots;

use super::spec::T;
use super::{NtruError, Parameters, Scheme};

/// Parameters of a scheme over an NTRU ring on a device: what its operations need.
pub struct Base<D: Device> {
    parameters: Parameters,
    device: Arc<D>,
    slots: Slots,
    gaussian: Gaussian,
    kernel: Kernel,
    bins: Bins,
}

impl<D: Device> Base<D> {
    /// Makes the tables of slot encoding and of error sampling.
    ///
    /// # Errors
    /// [`NtruError::WrongScheme`] for parameters of another scheme; [`NtruError::WrongRing`] if the device is
    /// for another ring.
    pub fn new(parameters: Parameters, scheme: Scheme, device: Arc<D>) -> Result<Self, NtruError> {
        if parameters.scheme() != scheme {
            return Err(NtruError::WrongScheme {
                name: parameters.name().to_owned(),
                expected: scheme,
                got: parameters.scheme(),
            });
        }
        let wrong = NtruError::WrongRing {
            expected: parameters.n(),
            got: device.ring().n(),
        };
        let ring = match parameters.ring().as_fermat() {
            Some(ring) if device.ring() == parameters.ring() => ring,
            _ => return Err(wrong),
        };
        let kernel = Kernel::from_environment()?;
        Ok(Self {
            slots: Slots::new(ring, kernel)?,
            gaussian: Gaussian::new(parameters.sigma())?,
            bins: Bins::new(parameters.ring(), parameters.secret_bound()),
            kernel,
            parameters,
            device,
        })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.device
    }

    pub(super) fn shared_device(&self) -> &Arc<D> {
        &self.device
    }

    /// The slot encoder.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// A plaintext with these bits in its first slots and 0 in the others.
    ///
    /// # Errors
    /// More bits than slots.
    pub fn encode(&self, bits: &[bool]) -> Result<Plaintext, NtruError> {
        Ok(Plaintext::new(self.slots.encode(bits)?, T)?)
    }

    /// The bits in all slots of a plaintext.
    ///
    /// # Errors
    /// A plaintext of another ring.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<bool>, NtruError> {
        Ok(self.slots.decode(plaintext.coefficients())?)
    }

    /// The roots sorted by the size of the secret there, which predictions of noise go by.
    #[must_use]
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    pub(crate) fn n(&self) -> usize {
        self.parameters.n()
    }

    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The mean of |f(zeta)|^2: of 2 f' it is 4 n 2/3, and 1 of 1.
    pub(crate) fn secret_power(&self) -> f64 {
        (T * T) as f64 * self.n() as f64 * 2.0 / 3.0 + 1.0
    }

    /// Draws small polynomials on the device.
    pub(crate) fn sampler(&self) -> Sampler<'_, D> {
        Sampler::new(&self.device, &self.gaussian, self.kernel)
    }

    pub(crate) fn require_plaintext(&self, plaintext: &Plaintext) -> Result<(), NtruError> {
        let (expected, got) = (self.n(), plaintext.coefficients().len());
        match expected == got {
            true => Ok(()),
            false => Err(ringmill_fv::FvError::WrongPlaintext { expected, got }.into()),
        }
    }
}
