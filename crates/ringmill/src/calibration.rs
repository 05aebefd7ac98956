//! How fast devices are: measured once and kept.

use std::fs;
use std::path::{Path, PathBuf};

use ringmill_arith::Simd;
use ringmill_engine::{Calibration, Rates};
use ringmill_format::{Access, Existing, FormatError, write_atomically};
use ringmill_fv::FvError;
use serde::{Deserialize, Serialize};

use crate::observer::Running;
use crate::platform::Platform;
use crate::{Error, Observer, Stage};

/// Raised when the meaning of a measurement or the speed of kernels changes, so that old ones are not used.
const VERSION: u32 = 7;

/// The content of a file of the cache.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The hardware that was measured: files move with home directories, and GPUs from slot to slot.
    hardware: String,
    calibration: Calibration,
}

/// The calibration of a device as each of the current pool's threads sees it, from the user's cache or measured and
/// put there. Without a place to keep it, it is measured every time; and again where it was measured while other
/// programs used the machine, as a short measurement shows as soon as they are gone.
///
/// # Errors
/// If the device cannot be used, or fails.
pub fn calibration(
    platform: &impl Platform,
    again: bool,
    observer: &dyn Observer,
) -> Result<Calibration, Error> {
    let (device, kernel) = (platform.name(), Simd::from_environment()?.name());
    let (threads, device_name) = (rayon::current_num_threads(), device.replace(':', "-"));
    let name = format!("calibration-{device_name}-{kernel}-{threads}.json");
    let path = directory().map(|directory| directory.join(name));
    let hardware = platform.hardware();
    if let (Some(path), false) = (&path, again)
        && let Ok(text) = fs::read(path)
        && let Some(calibration) = kept(&text, &hardware)
        && !calibration.was_disturbed(|parameters| platform.context(parameters))?
    {
        return Ok(calibration);
    }
    let calibration = {
        let _running = Running::begin(observer, Stage::Calibrating(device));
        Calibration::measure(|parameters| platform.context(parameters))?
    };
    let kept = Kept {
        version: VERSION,
        hardware,
        calibration,
    };
    if let (Some(path), Ok(text)) = (path, serde_json::to_vec_pretty(&kept)) {
        // That it cannot be kept harms nobody.
        let _ = keep(&path, &text);
    }
    Ok(calibration)
}

/// The calibration of this hardware in the text of a file, if it was measured by this version and can be used.
pub(crate) fn kept(text: &[u8], hardware: &str) -> Option<Calibration> {
    let kept: Kept = serde_json::from_slice(text).ok()?;
    let fits = (kept.version, &*kept.hardware) == (VERSION, hardware) && plausible(&kept.calibration);
    fits.then_some(kept.calibration)
}

fn keep(path: &Path, text: &[u8]) -> Result<(), FvError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(FormatError::Io)?;
    }
    write_atomically(path, Access::Public, Existing::Replace, |out| {
        out.write_all(text)
            .map_err(|error| FvError::Format(FormatError::Io(error)))
    })
}

fn plausible(calibration: &Calibration) -> bool {
    let mut nanoseconds = calibration.rates.iter().flat_map(Rates::all);
    nanoseconds.all(|nanoseconds| (1e-9..1e4).contains(&nanoseconds))
        && (0.1..=1.0).contains(&calibration.narrow)
}

/// Where programs keep what they can make again.
fn directory() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    // The specification has relative paths ignored.
    cache.is_absolute().then(|| cache.join("ringmill"))
}
