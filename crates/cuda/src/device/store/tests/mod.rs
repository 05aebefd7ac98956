mod orders;
mod programs;
mod shortage;
mod spills;
mod watched;

use std::sync::Arc;

use super::{Store, Words};
use crate::gpu::{Emulator, EmulatorOptions};
use watched::Watched;

/// The number of words in each range of these tests.
const LEN: usize = 64;

/// An emulated GPU with memory for this many times [`LEN`] words, whose streams put work off as long as they
/// can.
fn small_gpu(rooms: usize) -> Emulator {
    Emulator::new(EmulatorOptions {
        memory: (rooms * LEN * 8) as u64,
        lazy: true,
        ..EmulatorOptions::default()
    })
}

/// A store on such a GPU, and its machine.
fn small_store(rooms: usize) -> (Arc<Store>, Arc<Watched>) {
    let machine = Arc::new(Watched::new(small_gpu(rooms)));
    (Store::new(machine.clone()), machine)
}

/// Words that identify their range.
fn content(which: u64) -> Vec<u64> {
    (0..LEN as u64).map(|i| which << 32 | i).collect()
}

/// Stores new words of this content.
fn uploaded(store: &Arc<Store>, which: u64) -> Words {
    let words = store.take(LEN).unwrap();
    store.task().upload(&content(which), &words).unwrap();
    words
}

/// The content of words.
fn downloaded(store: &Arc<Store>, words: &Words) -> Vec<u64> {
    store.task().download(words).unwrap()
}
