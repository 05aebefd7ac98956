//! Circuit files: what is read is read again from what is written of it, and computes the same.

use super::circuits::{WORDS, is_kept, read, texts};
use crate::{Reader, Target, Verdict, refused};

pub static TARGET: Target = Target {
    name: "bristol",
    readers: &[Reader {
        name: "text",
        read: text,
        seeds: texts,
    }],
    words: WORDS,
    longest: 4000,
    // Input bits take no space in a text: a million of them are allowed.
    memory: 512 << 20,
};

fn text(text: &[u8]) -> Verdict {
    is_kept(&read(text).map_err(refused)?);
    Ok(())
}
