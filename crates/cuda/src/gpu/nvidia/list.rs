//! Lists GPUs.

use std::ffi::{CStr, c_char, c_int};

use super::driver::{Driver, code};
use super::library::Code;
use crate::gpu::GpuError;

/// The compute capability that the kernels need: FP64 at full rate and asynchronous copies came with 8.0.
const NEEDED: (u32, u32) = (8, 0);

/// Attributes of `cuDeviceGetAttribute`: both numbers of the compute capability.
const CAPABILITY: [c_int; 2] = [75, 76];

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuInfo {
    /// The maker's name for it.
    pub name: String,
    /// Its memory in bytes.
    pub memory: u64,
    /// Its compute capability.
    pub capability: (u32, u32),
}

/// Lists the GPUs of this machine in the driver's order. The list is empty if there is a driver but no GPU.
///
/// # Errors
/// [`GpuError::NoDriver`] if there is no working driver.
pub fn gpus() -> Result<Vec<GpuInfo>, GpuError> {
    let driver = Driver::get()?;
    (0..count(driver)?)
        .map(|index| info(driver, device(driver, index)?))
        .collect()
}

/// Finds a GPU that can run the kernels.
///
/// # Errors
/// [`GpuError::NoGpu`] if there is no such GPU; [`GpuError::TooOld`] if it cannot run the kernels.
pub(super) fn usable(driver: &Driver, index: usize) -> Result<(c_int, GpuInfo), GpuError> {
    let found = count(driver)?;
    let known = c_int::try_from(index).ok().filter(|index| *index < found);
    let found = usize::try_from(found).unwrap_or_default();
    let device = device(driver, known.ok_or(GpuError::NoGpu { index, found })?)?;
    let info = info(driver, device)?;
    if info.capability < NEEDED {
        return Err(GpuError::TooOld {
            gpu: info.name,
            capability: info.capability,
            needed: NEEDED,
        });
    }
    Ok((device, info))
}

fn count(driver: &Driver) -> Result<c_int, GpuError> {
    let mut count = 0;
    // SAFETY: a place for the number.
    match unsafe { (driver.functions.device_count)(&mut count) } {
        // A driver that was initialized without a GPU returns these codes.
        code::NO_DEVICE | code::NOT_INITIALIZED => Ok(0),
        code => check(driver, code).map(|()| count),
    }
}

fn device(driver: &Driver, index: c_int) -> Result<c_int, GpuError> {
    let mut device = 0;
    // SAFETY: a place for the device.
    check(driver, unsafe { (driver.functions.device)(&mut device, index) })?;
    Ok(device)
}

fn info(driver: &Driver, device: c_int) -> Result<GpuInfo, GpuError> {
    let f = &driver.functions;
    let mut name = [0_u8; 256];
    // SAFETY: there is room for this many characters, one less than the buffer holds, so the last byte stays
    // zero.
    let code = unsafe { (f.device_name)(name.as_mut_ptr().cast::<c_char>(), 255, device) };
    check(driver, code)?;
    let mut memory = 0;
    // SAFETY: a place for the size.
    check(driver, unsafe { (f.device_memory)(&mut memory, device) })?;
    let mut capability = [0; 2];
    for (number, attribute) in capability.iter_mut().zip(CAPABILITY) {
        // SAFETY: a place for the number.
        check(driver, unsafe { (f.device_attribute)(number, attribute, device) })?;
    }
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    let [major, minor] = capability.map(c_int::unsigned_abs);
    Ok(GpuInfo {
        name: name.to_string_lossy().into_owned(),
        memory: memory as u64,
        capability: (major, minor),
    })
}

/// Treats a driver that does not describe its GPUs as one that does not work.
fn check(driver: &Driver, code: Code) -> Result<(), GpuError> {
    match code {
        0 => Ok(()),
        code => Err(GpuError::NoDriver(driver.meaning(code))),
    }
}
