//! Secrets are overwritten before their memory is freed: in every scheme, when keys are made, written and read, when
//! records are encrypted and decrypted, and whichever operation of the device fails on the way.
//!
//! A program of its own, for it has an allocator of its own.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod facade;
mod failing;
mod freed;
mod fv;
mod ntru;
mod others;
mod patterns;
mod report;
mod stack;

#[global_allocator]
static ALLOCATOR: freed::Recording = freed::Recording;

/// The guard against a test that finds nothing because it looks for nothing.
#[test]
fn an_unwiped_secret_is_found() {
    let mut alone = freed::alone();
    let secret: Vec<u64> = (1..100_u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let mut patterns = patterns::Patterns::default();
    patterns.add("the secret", 64.0, &secret);
    let (kept, memory) = alone.freed(|| secret.clone());
    assert!(patterns.found(memory).is_empty());
    let ((), memory) = alone.freed(|| drop(kept));
    assert_eq!(patterns.found(memory), ["the secret"]);
    let ((), memory) = alone.freed(|| {
        let mut wiped = secret.clone();
        wiped.fill(0);
        drop(std::hint::black_box(wiped));
    });
    assert!(patterns.found(memory).is_empty());
    // A block that grows leaves a copy behind.
    let mut grows = secret.clone();
    let ((), memory) = alone.freed(|| grows.extend_from_within(..));
    assert_eq!(patterns.found(memory), ["the secret"]);
}
