//! The end of a process by a signal, in a process of its own: the list of temporary files stays locked.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use ringmill_format::{Access, Existing, FormatError, prepare, remove_temporaries, write_atomically};

/// Files that each thread wrote before the end.
const WRITTEN: u32 = 100;

/// Threads that write, drop and place files without pause leave no temporary one, whenever the end comes, and no part
/// of a file.
#[test]
fn no_temporary_is_left_or_made() {
    static DONE: AtomicU32 = AtomicU32::new(0);
    let directory = tempfile::tempdir().unwrap();
    for thread in 0..4 {
        let path = directory.path().join(format!("out-{thread}"));
        thread::spawn(move || {
            loop {
                let dropped = prepare(&path, Access::Private, |out| {
                    Ok::<_, FormatError>(out.write_all(b"dropped"))
                });
                drop(dropped.unwrap());
                let write = |out: &mut dyn std::io::Write| Ok::<_, FormatError>(out.write_all(b"whole"));
                write_atomically(&path, Access::Private, Existing::Replace, write)
                    .unwrap()
                    .unwrap();
                DONE.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while DONE.load(Ordering::Relaxed) < 4 * WRITTEN {
        thread::sleep(Duration::from_millis(1));
    }
    remove_temporaries();
    // Time for what should not happen.
    thread::sleep(Duration::from_millis(100));
    let done = DONE.load(Ordering::Relaxed);
    for entry in fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("out-"), "{name}");
        assert_eq!(fs::read(&path).unwrap(), b"whole", "{name}");
    }
    thread::sleep(Duration::from_millis(100));
    assert_eq!(DONE.load(Ordering::Relaxed), done, "a thread went on");
}
