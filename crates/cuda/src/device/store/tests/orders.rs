//! Streams wait for each other where they must, and no more often.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::watched::Watched;
use super::{LEN, content, small_gpu};
use crate::device::store::{Store, Task, Words};

/// Stands for several threads: runs tasks on either computing stream.
struct Work {
    store: Arc<Store>,
}

impl Work {
    fn on(&self, stream: usize) -> Task {
        Task::new(&self.store, stream)
    }

    fn new_words(&self) -> Words {
        self.store.take(LEN).unwrap()
    }

    fn copy(&self, stream: usize, from: &Words, to: &Words) {
        self.on(stream).copy((from, 0), (to, 0), LEN).unwrap();
    }

    fn upload(&self, stream: usize, which: u64, to: &Words) {
        self.on(stream).upload(&content(which), to).unwrap();
    }

    fn download(&self, stream: usize, from: &Words) -> Vec<u64> {
        self.on(stream).download(from).unwrap()
    }
}

/// Uses of words must not come before their writes, whichever streams they are on.
fn reads_after_writes(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    work.copy(1, &a, &b);
    vec![work.download(1, &b)]
}

/// Writes of words must not come before their reads.
fn writes_after_reads(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    let before = work.download(0, &a);
    work.copy(0, &a, &b);
    work.upload(1, 2, &a);
    vec![before, work.download(1, &a), work.download(0, &b)]
}

/// Writes of words must not come before earlier writes of them.
fn writes_after_writes(work: &Work) -> Vec<Vec<u64>> {
    let a = work.new_words();
    work.on(0).clear(&a).unwrap();
    work.upload(1, 1, &a);
    let first = work.download(1, &a);
    work.store.finish().unwrap();
    vec![first, work.download(1, &a)]
}

/// Freed memory is not written before its last readers are done.
fn reuse(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    let before = work.download(0, &a);
    work.copy(0, &a, &b);
    drop(a);
    let c = work.new_words();
    work.upload(1, 2, &c);
    vec![before, work.download(1, &c), work.download(0, &b)]
}

/// Words leave the GPU only after they are written, and their memory is used only after they have left.
fn leave(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    work.upload(1, 2, &b);
    let found = work.download(1, &b);
    work.store.finish().unwrap();
    vec![found, work.download(1, &b)]
}

/// Words come back only after they left, and are used only after they are back.
fn come_back(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    work.upload(1, 2, &b);
    vec![work.download(0, &a), work.download(1, &b), work.download(0, &a)]
}

/// Words that came back leave only after they have arrived, although nothing used them.
fn leave_again(work: &Work) -> Vec<Vec<u64>> {
    let (a, b, c) = (work.new_words(), work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    work.upload(1, 2, &b);
    work.store.prefetch(&a);
    work.upload(1, 3, &c);
    let found = work.download(1, &c);
    work.store.finish().unwrap();
    vec![found, work.download(1, &c)]
}

/// A scenario: its work, on a GPU with memory for `rooms` times [`LEN`] words, the expected results, and the
/// streams that must have waited for others. Stream 2 copies to the host, stream 3 copies back.
struct Scenario {
    run: fn(&Work) -> Vec<Vec<u64>>,
    rooms: usize,
    expected: &'static [u64],
    orders: &'static [(usize, usize)],
}

const SCENARIOS: [Scenario; 7] = [
    Scenario {
        run: reads_after_writes,
        rooms: 2,
        expected: &[1],
        orders: &[(0, 1)],
    },
    Scenario {
        run: writes_after_reads,
        rooms: 2,
        expected: &[1, 2, 1],
        orders: &[(0, 1)],
    },
    Scenario {
        run: writes_after_writes,
        rooms: 1,
        expected: &[1, 1],
        orders: &[(0, 1)],
    },
    Scenario {
        run: reuse,
        rooms: 2,
        expected: &[1, 2, 1],
        orders: &[(0, 1)],
    },
    Scenario {
        run: leave,
        rooms: 1,
        expected: &[2, 2],
        orders: &[(0, 2), (2, 1)],
    },
    Scenario {
        run: come_back,
        rooms: 1,
        expected: &[1, 2, 1],
        orders: &[(1, 2), (2, 3), (3, 0), (3, 1)],
    },
    Scenario {
        run: leave_again,
        rooms: 1,
        expected: &[3, 3],
        orders: &[(3, 2), (2, 1)],
    },
];

impl Scenario {
    /// Whether the results and orders are right on this machine.
    fn succeeds(&self, machine: &Arc<Watched>) -> bool {
        let store = Store::new(machine.clone());
        let expected: Vec<_> = self.expected.iter().map(|&which| content(which)).collect();
        (self.run)(&Work { store }) == expected
    }
}

#[test]
fn every_order_is_needed() {
    for (index, scenario) in SCENARIOS.iter().enumerate() {
        let machine = Arc::new(Watched::new(small_gpu(scenario.rooms)));
        assert!(scenario.succeeds(&machine), "scenario {index}");
        let pairs = machine.pairs.lock().unwrap().clone();
        for order in scenario.orders {
            assert!(pairs.contains(order), "scenario {index}: {order:?}");
        }
        for &order in scenario.orders {
            let machine = Arc::new(Watched::forgetting(small_gpu(scenario.rooms), order));
            assert!(!scenario.succeeds(&machine), "scenario {index} without {order:?}");
        }
    }
}

#[test]
fn a_stream_waits_once() {
    let machine = Arc::new(Watched::new(small_gpu(8)));
    let store = Store::new(machine.clone());
    let work = Work { store };
    let words: Vec<Words> = (0..3).map(|_| work.new_words()).collect();
    for (words, which) in words.iter().zip(1..) {
        work.upload(0, which, words);
    }
    let orders = || machine.orders.load(Ordering::Relaxed);
    assert_eq!(orders(), 0);
    // One wait covers all work requested of the other stream.
    for (words, which) in words.iter().zip(1..) {
        assert!(work.download(1, words) == content(which));
    }
    assert_eq!(orders(), 1);
    // A task that has not ended may request more, so whoever uses its words waits again.
    let mut open = work.on(0);
    open.clear(&words[0]).unwrap();
    assert_eq!(orders(), 2);
    for _ in 0..2 {
        assert!(work.download(1, &words[0]) == vec![0; LEN]);
    }
    assert_eq!(orders(), 4);
    drop(open);
    for _ in 0..2 {
        assert!(work.download(1, &words[0]) == vec![0; LEN]);
    }
    assert_eq!(orders(), 5);
}
