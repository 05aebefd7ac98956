//! How fast this machine is: measured once and kept.

use std::fs;
use std::path::{Path, PathBuf};

use ringmill_arith::Kernel;
use ringmill_engine::Calibration;
use ringmill_fv::FvError;
use ringmill_fv::format::{Access, FormatError, write_atomically};
use serde::{Deserialize, Serialize};

use crate::error::CliError;
use crate::machine::cpu;
use crate::progress::timed;

/// Raised when the meaning of a measurement changes, so that old ones are not used.
const VERSION: u32 = 1;

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The processor that was measured: files move with home directories.
    cpu: String,
    calibration: Calibration,
}

/// The calibration of this machine, from the user's cache or measured and put there. Without a place to
/// keep it, it is measured every time.
pub fn calibration(again: bool) -> Result<Calibration, CliError> {
    let kernel = Kernel::from_environment()?.name();
    let path = directory().map(|directory| directory.join(format!("calibration-{kernel}.json")));
    let cpu = cpu().unwrap_or_default();
    if let (Some(path), false) = (&path, again)
        && let Some(kept) = fs::read(path)
            .ok()
            .and_then(|text| serde_json::from_slice::<Kept>(&text).ok())
        && (kept.version, &kept.cpu) == (VERSION, &cpu)
        && plausible(&kept.calibration)
    {
        return Ok(kept.calibration);
    }
    let (calibration, _) = timed("measuring this machine", Calibration::measure)?;
    let kept = Kept {
        version: VERSION,
        cpu,
        calibration,
    };
    if let (Some(path), Ok(text)) = (path, serde_json::to_vec_pretty(&kept)) {
        // That it cannot be kept harms nobody.
        let _ = keep(&path, &text);
    }
    Ok(calibration)
}

fn keep(path: &Path, text: &[u8]) -> Result<(), FvError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(FormatError::Io)?;
    }
    write_atomically(path, Access::Public, |out| {
        out.write_all(text)
            .map_err(|error| FvError::Format(FormatError::Io(error)))
    })
}

fn plausible(calibration: &Calibration) -> bool {
    [calibration.transform, calibration.pass, calibration.conversion]
        .iter()
        .all(|nanoseconds| (1e-4..1e4).contains(nanoseconds))
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
