//! SIGINT and SIGTERM: the first one stops a job between steps, so that finished batches are kept; a second one, and any
//! where there is nothing to keep, ends the program at once. Nothing half-written is left either way.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use ringmill::files::remove_temporaries;

/// The exit code of a program that a signal stopped.
pub const STOPPED: u8 = 8;

/// Whether a job is to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether the stage in progress asks.
static STOPPABLE: AtomicBool = AtomicBool::new(false);

/// Whether a job is to stop.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Says whether the stage that begins asks [`stopped`] often enough.
pub fn stoppable(stoppable: bool) {
    STOPPABLE.store(stoppable, Ordering::Relaxed);
}

/// Begins to listen, in a thread of its own.
#[cfg(unix)]
pub fn listen() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // A file that grows beyond a limit is an error of writing, as on a full disk, and no reason to end at once.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGXFSZ])?;
    std::thread::spawn(move || {
        for _ in signals.forever().filter(|signal| *signal != SIGXFSZ) {
            if STOPPABLE.load(Ordering::Relaxed) && !STOP.swap(true, Ordering::Relaxed) {
                eprintln!("stopping after the steps in progress; a second signal ends the program at once");
            } else {
                remove_temporaries();
                std::process::exit(i32::from(STOPPED));
            }
        }
    });
    Ok(())
}

/// Other systems end the program as they do.
#[cfg(not(unix))]
pub fn listen() -> io::Result<()> {
    let _ = (remove_temporaries, STOPPED);
    Ok(())
}
