use std::fmt;

use chacha20::ChaCha20Legacy;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::ArithError;

/// What [`Seed::derive`] hashes first, so that its hashes are those of no other use.
const DERIVE_TAG: &[u8] = b"ringmill seed";

/// The 32 bytes from which a [`Stream`] is expanded, wiped when dropped.
///
/// Some seeds are public (they stand for uniform polynomials in files), others are secret (keys and noise). Compare
/// public seeds only: the comparison does not take constant time. `Debug` shows nothing of a seed.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Seed([u8; 32]);

impl Seed {
    /// Takes a seed from the operating system's random source.
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

    /// The seed for one purpose (`label`) and one object of it (`index`). It is independent of all others that are
    /// derived from the same seed, and does not help to find that seed.
    ///
    /// # Specification
    /// SHA-256 of the concatenation of the 13 ASCII bytes `ringmill seed`, the length of the label in
    /// bytes as a 64-bit little-endian word, the label in UTF-8, the index as a 64-bit little-endian
    /// word, and the 32 bytes of this seed. Different label or index, different message.
    #[must_use]
    pub fn derive(&self, label: &str, index: u64) -> Self {
        // With its feature `zeroize` on, `sha2` wipes its state, but not what the compression leaves on
        // the stack.
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
/// Dropping the stream wipes the cipher's state and its buffered block. It does not wipe what a move of the stream
/// leaves behind, or what the cipher leaves in registers and on the stack.
pub struct Stream {
    // With its feature `zeroize` on, `chacha20` wipes the state, and `cipher` (a dependency of this
    // crate for that feature's sake) the block buffer.
    cipher: ChaCha20Legacy,
}

impl Stream {
    /// The stream of a seed, from its first word.
    #[must_use]
    pub fn new(seed: &Seed) -> Self {
        Self {
            cipher: ChaCha20Legacy::new(seed.as_bytes().into(), &[0; 8].into()),
        }
    }

    /// The stream of a seed from the word of this index on; the index is below 2^61.
    #[must_use]
    pub fn at(seed: &Seed, word: u64) -> Self {
        let mut stream = Self::new(seed);
        // Fails beyond 2^70 bytes only, which a byte position in 64 bits does not reach.
        let _ = stream.cipher.try_seek(word.wrapping_mul(8));
        stream
    }

    /// Fills `words` with the next words of the stream: each is the next eight bytes of the key stream, little-endian.
    ///
    /// About 2 GB/s on one core with AVX2.
    pub fn fill_words(&mut self, words: &mut [u64]) {
        let len = size_of_val(words);
        // SAFETY: the bytes are those of `words`, borrowed exclusively for as long; u64 has no padding,
        // every byte string is a u64, and u8 needs no alignment.
        self.fill(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), len) });
        for word in words {
            *word = u64::from_le(*word);
        }
    }

    /// The next half words of the stream: the lower half of a word is before the upper one.
    pub(super) fn fill_halves(&mut self, halves: &mut [u32]) {
        let len = size_of_val(halves);
        // SAFETY: as in `fill_words`.
        self.fill(unsafe { std::slice::from_raw_parts_mut(halves.as_mut_ptr().cast::<u8>(), len) });
        for half in halves {
            *half = u32::from_le(*half);
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        // "Unchecked" means that the block counter may wrap, which is not in reach.
        self.cipher.unchecked_write_keystream(bytes);
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn starts_anywhere() {
        let seed = Seed::from_bytes([8; 32]);
        let mut whole = [0; 600];
        Stream::new(&seed).fill_words(&mut whole);
        for start in [0, 1, 7, 8, 9, 255, 256, 511] {
            let mut rest = vec![0; 600 - start];
            Stream::at(&seed, start as u64).fill_words(&mut rest);
            assert_eq!(rest, whole[start..], "from word {start}");
        }
        // Beyond a 32-bit block counter: 2^38 bytes.
        let (mut ahead, mut there) = ([0; 16], [0; 8]);
        Stream::at(&seed, (1 << 35) - 8).fill_words(&mut ahead);
        Stream::at(&seed, 1 << 35).fill_words(&mut there);
        assert_eq!(ahead[8..], there);
        assert_ne!(there, whole[..8]);
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
        wipes::<ChaCha20Legacy>();
    }
}
