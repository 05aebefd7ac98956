use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use ringmill_arith::secret::Secret;
use ringmill_ring::Domain;

use crate::{Device, DeviceError};

/// The polynomials of the device that a handle leads to.
type Poly<H> = <<H as Deref>::Target as Device>::Poly;

/// A secret polynomial: the device overwrites its memory when it is dropped ([`Device::wipe`]), whichever way leads
/// there: the end of a function, an error, a panic. The handle leads to the device of the polynomial; it is a reference
/// or an [`Arc`](std::sync::Arc).
///
/// Elsewhere it is the polynomial that it holds.
pub struct SecretPoly<H>
where
    H: Deref<Target: Device>,
{
    device: H,
    poly: ManuallyDrop<Poly<H>>,
}

impl<H: Deref<Target: Device>> SecretPoly<H> {
    /// Guards a polynomial of a device.
    pub const fn new(device: H, poly: Poly<H>) -> Self {
        let poly = ManuallyDrop::new(poly);
        Self { device, poly }
    }

    /// The polynomial, which from here on nobody wipes: for an operation that consumes it and overwrites it, and for
    /// results that are public.
    pub fn into_inner(self) -> Poly<H> {
        self.into_parts().1
    }

    /// Brings it to a domain ([`Device::transform`]).
    ///
    /// # Errors
    /// If the device fails; the polynomial is overwritten then.
    pub fn transform(self, to: Domain) -> Result<Self, DeviceError> {
        let (device, poly) = self.into_parts();
        let poly = device.transform(poly, to)?;
        Ok(Self::new(device, poly))
    }

    /// Its words ([`Device::download`]).
    ///
    /// # Errors
    /// If the device fails.
    pub fn download(&self) -> Result<Secret<Vec<u64>>, DeviceError> {
        Ok(Secret::new(self.device.download(&self.poly)?))
    }

    fn into_parts(self) -> (H, Poly<H>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: both fields are read once, out of a value that is neither dropped nor used again; neither is borrowed.
        unsafe {
            (
                std::ptr::read(&raw const this.device),
                ManuallyDrop::into_inner(std::ptr::read(&raw const this.poly)),
            )
        }
    }
}

impl<H: Deref<Target: Device>> Deref for SecretPoly<H> {
    type Target = Poly<H>;

    fn deref(&self) -> &Poly<H> {
        &self.poly
    }
}

impl<H: Deref<Target: Device>> DerefMut for SecretPoly<H> {
    fn deref_mut(&mut self) -> &mut Poly<H> {
        &mut self.poly
    }
}

impl<H: Deref<Target: Device>> Drop for SecretPoly<H> {
    fn drop(&mut self) {
        // SAFETY: taken once: here, and the polynomial is not used again.
        self.device.wipe(unsafe { ManuallyDrop::take(&mut self.poly) });
    }
}

/// Says only that it is one.
impl<H: Deref<Target: Device>> fmt::Debug for SecretPoly<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretPoly(..)")
    }
}
