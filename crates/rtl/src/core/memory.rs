use ringmill_arith::secret::Secret;

use crate::RtlError;

/// The memory around a model of the core, in words of 64 bits.
#[derive(Debug)]
pub(super) struct Memory {
    base: u64,
    words: Secret<Vec<u64>>,
}

impl Memory {
    /// Zeros from an address on, a multiple of 8 bytes.
    pub(super) fn new(base: u64, bytes: u64) -> Self {
        Self {
            base,
            words: Secret::zeros((bytes / 8) as usize),
        }
    }

    pub(super) const fn base(&self) -> u64 {
        self.base
    }

    pub(super) fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// The words from an address on.
    pub(super) fn words(&self, address: u64, count: usize) -> Result<&[u64], RtlError> {
        let first = self.index(address)?;
        let end = first.saturating_add(count);
        self.words.get(first..end).ok_or(RtlError::BadAddress { address })
    }

    /// The same words, to write them.
    pub(super) fn words_mut(&mut self, address: u64, count: usize) -> Result<&mut [u64], RtlError> {
        let first = self.index(address)?;
        let end = first.saturating_add(count);
        self.words
            .get_mut(first..end)
            .ok_or(RtlError::BadAddress { address })
    }

    fn index(&self, address: u64) -> Result<usize, RtlError> {
        match address.checked_sub(self.base) {
            Some(offset) if offset.is_multiple_of(8) => Ok((offset / 8) as usize),
            _ => Err(RtlError::BadAddress { address }),
        }
    }
}
