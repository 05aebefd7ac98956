//! Modes of operation: NIST SP 800-38A.

use super::{Aes, AesError, BLOCK_BYTES, Block};

impl Aes {
    /// Encrypts whole blocks independently of each other (section 6.1).
    ///
    /// # Errors
    /// [`AesError::PartialBlock`] if the last block is not full.
    pub fn encrypt_ecb(&self, data: &[u8]) -> Result<Vec<u8>, AesError> {
        map_blocks(data, |block| self.encrypt_block(block))
    }

    /// Decrypts whole blocks independently of each other (section 6.1).
    ///
    /// # Errors
    /// [`AesError::PartialBlock`] if the last block is not full.
    pub fn decrypt_ecb(&self, data: &[u8]) -> Result<Vec<u8>, AesError> {
        map_blocks(data, |block| self.decrypt_block(block))
    }

    /// Encrypts or decrypts bytes by adding the encryptions of successive counters (section 6.5). The last
    /// block may be partial. [`counters`] defines the counters after the first one. No two messages under
    /// one key may have a counter in common.
    #[must_use]
    pub fn apply_ctr(&self, first_counter: Block, data: &[u8]) -> Vec<u8> {
        let mut result = data.to_vec();
        let masks = counters(first_counter).map(|counter| self.encrypt_block(counter));
        for (chunk, mask) in result.chunks_mut(BLOCK_BYTES).zip(masks) {
            chunk.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        }
        result
    }
}

/// The counter blocks of CTR mode from `first` on. As numbers with the most significant byte first, each is
/// one more than the one before, modulo 2^128 (appendix B.1).
pub fn counters(first: Block) -> impl Iterator<Item = Block> {
    let first = u128::from_be_bytes(first);
    (0..).map(move |index| first.wrapping_add(index).to_be_bytes())
}

fn map_blocks(data: &[u8], function: impl Fn(Block) -> Block) -> Result<Vec<u8>, AesError> {
    let (blocks, []) = data.as_chunks() else {
        return Err(AesError::PartialBlock { bytes: data.len() });
    };
    Ok(blocks.iter().flat_map(|block| function(*block)).collect())
}
