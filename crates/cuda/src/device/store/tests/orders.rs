//! Streams wait for each other where they must, and no more often.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::watched::Watched;
use super::{LEN, content, small_card};
use crate::device::store::{Store, Task, Words};

/// Stands for several threads: tasks on either computing stream.
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

/// What uses words must not come before what writes them, whichever streams they are on.
fn reads_after_writes(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    work.copy(1, &a, &b);
    vec![work.download(1, &b)]
}

/// What writes words must not come before what reads them.
fn writes_after_reads(work: &Work) -> Vec<Vec<u64>> {
    let (a, b) = (work.new_words(), work.new_words());
    work.upload(0, 1, &a);
    let before = work.download(0, &a);
    work.copy(0, &a, &b);
    work.upload(1, 2, &a);
    vec![before, work.download(1, &a), work.download(0, &b)]
}

/// What writes words must not come before what wrote them.
fn writes_after_writes(work: &Work) -> Vec<Vec<u64>> {
    let a = work.new_words();
    work.on(0).clear(&a).unwrap();
    work.upload(1, 1, &a);
    let first = work.download(1, &a);
    work.store.finish().unwrap();
    vec![first, work.download(1, &a)]
}

/// Memory that was freed is not written before its last readers are done.
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

/// Words leave the card after they are written, and come back after they left.
fn spill(work: &Work) -> Vec<Vec<u64>> {
    let words: Vec<Words> = (0..3).map(|_| work.new_words()).collect();
    for (words, which) in words.iter().zip(1..) {
        work.upload(0, which, words);
    }
    let mut found: Vec<_> = words.iter().map(|words| work.download(0, words)).collect();
    work.store.finish().unwrap();
    found.extend(words.iter().map(|words| work.download(0, words)));
    found
}

type Scenario = fn(&Work) -> Vec<Vec<u64>>;

/// Every scenario with what it gives, on a card with memory for so many words.
const SCENARIOS: [(Scenario, usize, &[u64]); 5] = [
    (reads_after_writes, 2, &[1]),
    (writes_after_reads, 2, &[1, 2, 1]),
    (writes_after_writes, 1, &[1, 1]),
    (reuse, 2, &[1, 2, 1]),
    (spill, 2, &[1, 2, 3, 1, 2, 3]),
];

fn run(scenario: Scenario, machine: &Arc<Watched>) -> Vec<Vec<u64>> {
    let store = Store::new(machine.clone());
    scenario(&Work { store })
}

#[test]
fn every_order_is_needed() {
    for (index, (scenario, rooms, expected)) in SCENARIOS.into_iter().enumerate() {
        let expected: Vec<_> = expected.iter().map(|&which| content(which)).collect();
        let machine = Arc::new(Watched::new(small_card(rooms)));
        assert!(run(scenario, &machine) == expected, "scenario {index}");
        let orders = machine.orders.load(Ordering::Relaxed);
        assert!(orders > 0, "scenario {index}");
        for forgotten in 0..orders {
            let machine = Arc::new(Watched::forgetting(small_card(rooms), forgotten));
            let found = run(scenario, &machine);
            assert!(found != expected, "scenario {index} without order {forgotten}");
        }
    }
}

#[test]
fn a_stream_waits_once() {
    let machine = Arc::new(Watched::new(small_card(8)));
    let store = Store::new(machine.clone());
    let work = Work { store };
    let words: Vec<Words> = (0..3).map(|_| work.new_words()).collect();
    for (words, which) in words.iter().zip(1..) {
        work.upload(0, which, words);
    }
    let orders = || machine.orders.load(Ordering::Relaxed);
    assert_eq!(orders(), 0);
    // One wait is for all that was asked of the other stream.
    for (words, which) in words.iter().zip(1..) {
        assert!(work.download(1, words) == content(which));
    }
    assert_eq!(orders(), 1);
    // A task that has not ended may ask for more: who uses its words waits again.
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
