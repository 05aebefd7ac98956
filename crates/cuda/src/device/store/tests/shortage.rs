//! Tasks that compete for memory, and GPUs that fail.

use std::sync::Arc;
use std::thread;

use ringmill_device::DeviceError;

use super::{LEN, content, downloaded, small_store, uploaded};
use crate::device::store::Store;
use crate::gpu::{Emulator, EmulatorOptions, Gpu, GpuError};

#[test]
fn a_task_that_does_not_fit_says_so_and_leaves_all_as_it_was() {
    let (store, machine) = small_store(2);
    let words: Vec<_> = (0..3).map(|which| uploaded(&store, which)).collect();
    let mut task = store.task();
    task.read(&words[0]).unwrap();
    task.read(&words[1]).unwrap();
    let error = task.write(&words[2]).unwrap_err();
    let bytes = (LEN * 8) as u64;
    let problem = GpuError::OutOfMemory {
        wanted: bytes,
        free: 0,
        total: 2 * bytes,
    };
    let device = machine.name();
    let problem = problem.to_string();
    assert_eq!(error, DeviceError::Failed { device, problem });
    assert!(task.download(&words[1]).unwrap() == content(1));
    drop(task);
    for (words, which) in words.iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
}

#[test]
fn who_competes_for_the_last_memory_waits_or_works_on_the_host() {
    let (store, _machine) = small_store(4);
    let words: Vec<_> = (0..6).map(|which| uploaded(&store, which)).collect();
    let [a, b, c, d, e, f] = words.as_slice() else {
        unreachable!()
    };
    let is_crowded = |store: &Arc<Store>| store.lock().turns.is_crowded();
    thread::scope(|scope| {
        let mut first = store.task();
        first.read(a).unwrap();
        first.read(b).unwrap();
        let other = scope.spawn(|| {
            let mut second = store.task();
            second.read(c).unwrap();
            second.read(d).unwrap();
            // There is no memory left, and the other task waits for the end of this one.
            second
                .copy((c, 0), (e, 0), LEN)
                .unwrap_or_else(|_| unreachable!());
            second.download(e).unwrap()
        });
        while !is_crowded(&store) {
            thread::yield_now();
        }
        first.copy((a, 0), (f, 0), LEN).unwrap();
        drop(first);
        assert!(other.join().unwrap() == content(2));
    });
    assert!(!is_crowded(&store));
    for (words, which) in words.iter().zip([0, 1, 2, 3, 2, 0]) {
        assert!(downloaded(&store, words) == content(which));
    }
}

/// A store on an eager or a lazy machine that fails as the options say.
fn failing(options: EmulatorOptions) -> Arc<Store> {
    Store::new(Arc::new(Emulator::new(options)))
}

#[test]
fn an_allocation_that_fails_is_made_up_for_by_what_can_leave() {
    let store = failing(EmulatorOptions {
        failing_allocation: Some(3),
        ..EmulatorOptions::default()
    });
    let words: Vec<_> = (0..4).map(|which| uploaded(&store, which)).collect();
    for (words, which) in words.iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
    let store = failing(EmulatorOptions {
        failing_allocation: Some(1),
        ..EmulatorOptions::default()
    });
    let words = store.take(LEN).unwrap();
    let error = store.task().upload(&content(1), &words).unwrap_err();
    assert!(error.to_string().contains("memory is full"), "{error}");
    store.task().upload(&content(1), &words).unwrap();
    assert!(downloaded(&store, &words) == content(1));
}
