//! What the system does with the memory of commands that hold secrets.

/// Keeps what this process holds out of core dumps, out of the reach of other processes of the same user and, where the
/// system lets this user lock as much memory as he likes, out of the swap space. A system that refuses is no reason to
/// refuse a job: `SECURITY.md` promises no more than that this is tried.
#[cfg(target_os = "linux")]
pub fn protect(lock: bool) {
    use rustix::mm::{MlockAllFlags, mlockall};
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    if lock && may_lock() {
        // Pages are locked when they are first used: what is only reserved takes no memory.
        let _ = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT);
    }
}

/// Whether this process may lock any amount of memory. With a limit, all that it allocates beyond that would fail.
#[cfg(target_os = "linux")]
fn may_lock() -> bool {
    use rustix::process::{Resource, getrlimit};
    use rustix::thread::{CapabilitySet, capabilities};

    let free = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
    free || getrlimit(Resource::Memlock).current.is_none()
}

/// Other systems do as they do.
#[cfg(not(target_os = "linux"))]
pub fn protect(_: bool) {}
