use std::fmt;

use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::chacha::{self, KeyStream};
use crate::{ArithError, Kernel};

/// What [`Seed::derive`] hashes first, so that its hashes are those of no other use.
const DERIVE_TAG: &[u8] = b"ringmill seed";

/// The 32 bytes from which a [`Stream`] is expanded, wiped when dropped.
///
/// Seeds are both public (they stand for uniform polynomials in files) and secret (keys and noise).
/// The comparison is not constant time: compare public ones only. Nothing of a seed is shown by
/// `Debug`.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed from the operating system's random source.
    ///
    /// # Errors
    /// [`ArithError::NoEntropy`] if that source fails.
    pub fn random() -> Result<Self, ArithError> {
        let mut seed = Self([0; 32]);
        getrandom::fill(&mut seed.0).map_err(|e| ArithError::NoEntropy(e.to_string()))?;
        Ok(seed)
    }

    /// The seed of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the seed.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The seed for one purpose (`label`) and one object of it (`index`), independent of all others
    /// derived from the same seed and no help in finding it.
    ///
    /// # Specification
    /// SHA-256 of the concatenation of the 13 ASCII bytes `ringmill seed`, the length of the label in
    /// bytes as a 64-bit little-endian word, the label in UTF-8, the index as a 64-bit little-endian
    /// word, and the 32 bytes of this seed. Different label or index, different message.
    #[must_use]
    pub fn derive(&self, label: &str, index: u64) -> Self {
        // sha2 0.10 does not wipe its state: a block that holds the seed stays on the stack until
        // something overwrites it.
        let hash = Sha256::new()
            .chain_update(DERIVE_TAG)
            .chain_update((label.len() as u64).to_le_bytes())
            .chain_update(label)
            .chain_update(index.to_le_bytes())
            .chain_update(self.0);
        let mut derived = Self([0; 32]);
        hash.finalize_into((&mut derived.0).into());
        derived
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// The key stream of ChaCha20 under a seed, word by word.
///
/// The variant is Bernstein's original with a 64-bit block counter and a 64-bit nonce, both from
/// zero: <https://cr.yp.to/chacha/chacha-20080128.pdf>. It does not end before 2^70 bytes.
///
/// The key and what was computed ahead are wiped when the stream is dropped. Not wiped: the key where a
/// move of the stream leaves it behind, and what the cipher leaves in registers and on the stack.
pub struct Stream {
    key: [u32; 8],
    /// Number of the first block that was not computed yet.
    counter: u64,
    /// The last batch of which only a part was wanted, whole; empty if there was none.
    ahead: Zeroizing<Vec<u32>>,
    /// How many half words of that, its last ones, are still to be given out.
    left: usize,
    kernel: Kernel,
}

/// Half words of a batch of blocks.
const BATCH: usize = chacha::BLOCK * chacha::BATCH;

impl Stream {
    /// The stream of a seed, from its first word.
    ///
    /// It is computed by the kernel of the environment (by the portable one where that cannot run).
    #[must_use]
    pub fn new(seed: &Seed) -> Self {
        Self::with_kernel(seed, Kernel::from_environment().unwrap_or(Kernel::Portable))
    }

    /// As [`Stream::new`], with the given kernel. All give the same bits.
    #[must_use]
    pub fn with_kernel(seed: &Seed, kernel: Kernel) -> Self {
        let mut key = [0; 8];
        for (half, bytes) in key.iter_mut().zip(seed.as_bytes().as_chunks::<4>().0) {
            *half = u32::from_le_bytes(*bytes);
        }
        Self {
            key,
            counter: 0,
            ahead: Zeroizing::default(),
            left: 0,
            kernel,
        }
    }

    /// The next words of the stream: the next eight bytes of key stream each, little-endian.
    ///
    /// About 3 GB/s on one core with AVX2.
    pub fn fill_words(&mut self, words: &mut [u64]) {
        // SAFETY: the half words are those of `words`, borrowed exclusively for as long; u64 has no
        // padding, any two u32 are a u64, and u32 needs less alignment.
        let halves =
            unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u32>(), 2 * words.len()) };
        self.fill_halves(halves);
        if cfg!(target_endian = "big") {
            for word in words {
                *word = word.rotate_left(32);
            }
        }
    }

    /// The next half words of the stream: the lower half of a word is before the upper one.
    pub(super) fn fill_halves(&mut self, halves: &mut [u32]) {
        let (head, rest) = halves.split_at_mut(self.left.min(halves.len()));
        self.give(head);
        let (batches, tail) = rest.as_chunks_mut();
        self.compute(batches);
        if !tail.is_empty() {
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.resize(BATCH, 0);
            self.compute(ahead.as_chunks_mut().0);
            (self.ahead, self.left) = (ahead, BATCH);
            self.give(tail);
        }
    }

    /// Gives out some of what is left of the batch computed ahead.
    fn give(&mut self, halves: &mut [u32]) {
        let start = self.ahead.len() - self.left;
        halves.copy_from_slice(&self.ahead[start..start + halves.len()]);
        self.left -= halves.len();
    }

    /// Computes the next batches.
    fn compute(&mut self, batches: &mut [[u32; BATCH]]) {
        let counter = self.counter;
        self.counter += (batches.len() * chacha::BATCH) as u64;
        self.kernel.run(KeyStream {
            key: &self.key,
            counter,
            out: batches,
        });
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl ZeroizeOnDrop for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha20Legacy;
    use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

    fn words(bytes: &[u8]) -> Vec<u64> {
        let (words, rest) = bytes.as_chunks::<8>();
        assert!(rest.is_empty());
        words.iter().copied().map(u64::from_le_bytes).collect()
    }

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).unwrap() as u8).collect();
        digits.chunks(2).map(|d| d[0] * 16 + d[1]).collect()
    }

    /// The first vector of RFC 8439, appendix A.1 (key, nonce and counter zero, where its variant and
    /// the original are the same).
    #[test]
    fn is_chacha20() {
        let expected = hex(concat!(
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7",
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        ));
        let mut got = [0; 8];
        Stream::new(&Seed::from_bytes([0; 32])).fill_words(&mut got);
        assert_eq!(words(&expected), got);
    }

    /// Against another implementation, from the start and where the lower half of the block number wraps.
    #[test]
    fn kernels_agree_with_the_crate_chacha20() {
        let seed = Seed::from_bytes([9; 32]);
        let mut theirs = ChaCha20Legacy::new(seed.as_bytes().into(), &[0; 8].into());
        for start in [0, (1 << 32) - 24] {
            let mut expected = vec![0; 3 * 1024];
            theirs.seek(64 * start);
            theirs.apply_keystream(&mut expected);
            for kernel in Kernel::available() {
                let mut stream = Stream::with_kernel(&seed, kernel);
                stream.counter = start;
                let mut got = vec![0; expected.len() / 8];
                stream.fill_words(&mut got);
                assert_eq!(got, words(&expected), "{kernel:?} {start}");
            }
        }
    }

    #[test]
    fn pieces_join() {
        let seed = Seed::from_bytes([5; 32]);
        let mut whole = [0; 1000];
        Stream::new(&seed).fill_words(&mut whole);
        let (mut stream, mut pieces, mut rest) = (Stream::new(&seed), [0; 1000], 1);
        let mut left = &mut pieces[..];
        while !left.is_empty() {
            let (piece, after) = left.split_at_mut(rest.min(left.len()));
            stream.fill_words(piece);
            (left, rest) = (after, rest * 7 % 61);
        }
        assert_eq!(pieces, whole);
    }

    /// Expected values from Python's hashlib.
    #[test]
    fn derivation_is_the_specified_hash() {
        let seed = Seed::from_bytes(std::array::from_fn(|i| i as u8));
        for (label, index, digest) in [
            (
                "",
                0,
                "72577375fd3cb32e72a77988f8b64e988dfc5b7d104c036b65b09b1925c314f7",
            ),
            (
                "a",
                1,
                "d8ad6c197298f72c7bc638635adb332d707af3602830f919f7aa747f29c0157a",
            ),
            (
                "secret key",
                1 << 40,
                "3c0b9e4dc7d2570a7aebc0d1d76b13c347be2a9354264206d09bac8144cca823",
            ),
        ] {
            assert_eq!(seed.derive(label, index).as_bytes()[..], hex(digest));
        }
    }

    #[test]
    fn random_seeds_differ_and_stay_silent() {
        let (a, b) = (Seed::random().unwrap(), Seed::random().unwrap());
        assert_ne!(a, b);
        assert_ne!(a, Seed::from_bytes([0; 32]));
        assert_eq!(format!("{a:?} {:?}", Stream::new(&b)), "Seed(..) Stream(..)");
    }

    #[test]
    fn wiping_is_compiled_in() {
        const fn wipes<T: ZeroizeOnDrop>() {}
        wipes::<Seed>();
        wipes::<Stream>();
    }
}
