//! The memory that the process can have.

use std::path::Path;

/// The share of what is available that is kept for the rest of the process and of the system: one in so many.
const RESERVE: u64 = 8;

/// Where the hierarchies of control groups are, and the files in each group, of both versions.
const V2: Hierarchy = Hierarchy {
    root: "/sys/fs/cgroup",
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    reclaimable: "inactive_file",
};
const V1: Hierarchy = Hierarchy {
    root: "/sys/fs/cgroup/memory",
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};

struct Hierarchy {
    root: &'static str,
    limits: &'static [&'static str],
    used: &'static str,
    /// The line of `memory.stat` with what is used but can be had back at once.
    reclaimable: &'static str,
}

/// Bytes that this process can use beside what it uses already, a reserve apart: by what the system has, and by
/// the limits of all control groups that the process is in. `None` where the system does not tell (Linux does).
#[must_use]
pub fn available_memory() -> Option<u64> {
    let bytes = available(|path| std::fs::read_to_string(path).ok())?;
    Some(bytes - bytes / RESERVE)
}

/// The least of what the files say, which `read` reads.
fn available(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let system = read(Path::new("/proc/meminfo")).and_then(|text| of_system(&text));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().filter_map(group).flat_map(|(hierarchy, path)| {
        // A limit holds for all groups below it. Where only a part of the hierarchy is to be seen, as in a container,
        // the group's own path may not be there, but the root is.
        let relative = Path::new(path.trim_start_matches('/'));
        let places = relative
            .ancestors()
            .map(|path| Path::new(hierarchy.root).join(path));
        places
            .filter_map(|place| of_group(hierarchy, &place, &read))
            .collect::<Vec<_>>()
    });
    system.into_iter().chain(groups).min()
}

/// The memory that `/proc/meminfo` says is available.
fn of_system(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The hierarchy and the path of a line of `/proc/self/cgroup`, if it is about memory.
fn group(line: &str) -> Option<(&'static Hierarchy, &str)> {
    let mut fields = line.splitn(3, ':');
    let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    match (number, controllers) {
        ("0", "") => Some((&V2, path)),
        _ if controllers.split(',').any(|name| name == "memory") => Some((&V1, path)),
        _ => None,
    }
}

/// The memory that is left to a group.
fn of_group(hierarchy: &Hierarchy, place: &Path, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let number = |file: &&str| read(&place.join(file))?.trim().parse::<u64>().ok();
    // "max" is no number, and no limit.
    let limit = hierarchy.limits.iter().filter_map(number).min()?;
    let used = number(&hierarchy.used).unwrap_or(0);
    let statistics = read(&place.join("memory.stat")).unwrap_or_default();
    let reclaimable = statistics.lines().find_map(|line| {
        let (name, bytes) = line.split_once(' ')?;
        (name == hierarchy.reclaimable).then(|| bytes.trim().parse::<u64>().ok())?
    });
    Some(limit.saturating_sub(used.saturating_sub(reclaimable.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:       24000 kB\nMemFree:  100 kB\nMemAvailable:   20000 kB\n";

    /// The memory that is available where these files are.
    fn with(files: &[(&str, &str)]) -> Option<u64> {
        available(|path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| (*text).to_string())
        })
    }

    #[test]
    fn the_system_tells() {
        assert_eq!(with(&[("/proc/meminfo", MEMINFO)]), Some(20_000 << 10));
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("/proc/meminfo", "MemAvailable: many kB\n")]), None);
        if cfg!(target_os = "linux") {
            assert!(available_memory() > Some(1 << 20));
        }
    }

    #[test]
    fn limits_of_all_groups_above_count() {
        let mut files = vec![
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", "0::/user/job\n"),
            ("/sys/fs/cgroup/user/job/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/job/memory.high", "max\n"),
            ("/sys/fs/cgroup/user/job/memory.current", "4096\n"),
        ];
        assert_eq!(with(&files), Some(20_000 << 10));
        files.extend([
            ("/sys/fs/cgroup/user/memory.max", "10000000\n"),
            ("/sys/fs/cgroup/user/memory.current", "7000000\n"),
        ]);
        assert_eq!(with(&files), Some(3_000_000));
        // Pages of files that were read give way.
        files.push((
            "/sys/fs/cgroup/user/memory.stat",
            "anon 5\ninactive_file 2000000\n",
        ));
        assert_eq!(with(&files), Some(5_000_000));
        files.push(("/sys/fs/cgroup/user/memory.high", "6000000\n"));
        assert_eq!(with(&files), Some(1_000_000));
    }

    #[test]
    fn groups_of_the_first_version_have_limits_too() {
        let files = [
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", "12:pids:/docker/x\n7:cpu,memory:/docker/x\n"),
            // In a container the root of the hierarchy is the container's group.
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "8000000\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9000000\n"),
            (
                "/sys/fs/cgroup/memory/memory.stat",
                "inactive_file 1\ntotal_inactive_file 3000000\n",
            ),
        ];
        assert_eq!(with(&files), Some(2_000_000));
    }
}
