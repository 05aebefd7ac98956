//! Words that leave the GPU and come back.

use super::{LEN, content, downloaded, small_store, uploaded};
use crate::gpu::Gpu;

#[test]
fn words_that_rest_leave_first_then_those_used_longest_ago() {
    let (store, machine) = small_store(3);
    let words: Vec<_> = (0..3).map(|which| uploaded(&store, which)).collect();
    store.hint_idle(&words[2]);
    let before = machine.copies();
    let more = uploaded(&store, 3);
    // One range left, and it is neither of these.
    assert_eq!(machine.copies(), (before.0 + 1, before.1 + 1));
    for (words, which) in words[..2].iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
    assert_eq!(machine.copies(), (before.0 + 1, before.1 + 3));
    // The words that rested come back; `more` was used longest ago.
    assert!(downloaded(&store, &words[2]) == content(2));
    assert_eq!(machine.copies(), (before.0 + 2, before.1 + 5));
    for (words, which) in words[..2].iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
    assert_eq!(machine.copies(), (before.0 + 2, before.1 + 7));
    assert!(downloaded(&store, &more) == content(3));
}

#[test]
fn expected_words_come_back_ahead_of_time() {
    let (store, machine) = small_store(2);
    let words: Vec<_> = (0..3).map(|which| uploaded(&store, which)).collect();
    let (uploads, downloads) = machine.copies();
    store.prefetch(&words[0]);
    assert_eq!(machine.copies(), (uploads + 1, downloads + 1));
    assert!(downloaded(&store, &words[0]) == content(0));
    assert_eq!(machine.copies(), (uploads + 1, downloads + 2));
    // Words that are already on the GPU, or that hold nothing, need no copy.
    store.prefetch(&words[0]);
    store.prefetch(&store.take(LEN).unwrap());
    assert_eq!(machine.copies(), (uploads + 1, downloads + 2));
}

#[test]
fn words_that_were_not_written_since_they_came_back_leave_without_a_copy() {
    let (store, machine) = small_store(1);
    let (a, b) = (uploaded(&store, 1), uploaded(&store, 2));
    for _ in 0..3 {
        assert!(downloaded(&store, &a) == content(1));
        assert!(downloaded(&store, &b) == content(2));
    }
    // Uploads: two by the test, and six that bring words back. Downloads: six by the test, and one for each
    // of both ranges.
    assert_eq!(machine.copies(), (2 + 6, 6 + 2));
    store.task().clear(&a).unwrap();
    assert!(downloaded(&store, &b) == content(2));
    assert!(downloaded(&store, &a) == vec![0; LEN]);
}

#[test]
fn nothing_is_left_of_secrets() {
    let secret = content(7)[LEN - 1];
    for (back, wiped) in [(false, true), (true, true), (false, false)] {
        let (store, machine) = small_store(1);
        let words = uploaded(&store, 7);
        // The words leave the GPU and may come back.
        let other = uploaded(&store, 1);
        if back {
            assert!(downloaded(&store, &words) == content(7));
        }
        if wiped {
            store.wipe(&words).unwrap();
        }
        drop(words);
        assert_eq!(machine.holds(secret), !wiped, "back: {back}");
        assert!(downloaded(&store, &other) == content(1));
    }
}

#[test]
fn memory_is_kept_and_given_back_with_the_store() {
    let (store, machine) = small_store(4);
    let total = machine.memory().unwrap().total;
    for which in 0..9 {
        let words: Vec<_> = (0..3).map(|k| uploaded(&store, which + k)).collect();
        drop(words);
        assert_eq!(machine.memory().unwrap().free, total / 4);
    }
    // For other lengths the store gives back the memory that it keeps.
    let long = store.take(4 * LEN).unwrap();
    store.task().clear(&long).unwrap();
    let words: Vec<_> = (0..5).map(|which| uploaded(&store, which)).collect();
    assert!(machine.inner.host_bytes() > 0);
    assert!(store.task().download(&long).unwrap() == vec![0; 4 * LEN]);
    for (words, which) in words.iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
    drop((long, words, store));
    assert_eq!(machine.memory().unwrap().free, total);
    assert_eq!(machine.inner.host_bytes(), 0);
}

#[test]
fn constants_stay_where_they_are() {
    let (store, machine) = small_store(2);
    let constant = store.constant(&content(9)).unwrap();
    let words: Vec<_> = (0..4).map(|which| uploaded(&store, which)).collect();
    for (words, which) in words.iter().zip(0..) {
        assert!(downloaded(&store, words) == content(which));
    }
    assert!(machine.holds(content(9)[LEN - 1]));
    // SAFETY: the emulated GPU's memory is the host's, and the constant has this many words.
    let found = unsafe { std::slice::from_raw_parts(constant.address() as *const u64, LEN) };
    assert!(found == content(9));
}
