//! Sorting a few words.

use crate::{Builder, CircuitError, Signedness, Wire, Word};

impl Builder {
    /// The words in ascending order.
    ///
    /// Two words are compared and exchanged. More words are ranked: every pair is compared at once, a word's
    /// rank is the number of words that go before it, and each place chooses the word of its rank. The depth
    /// is one comparison plus `log2 n`, about `log2 log2 n` and 1 for `n` words. A sorting network needs a
    /// comparison and 1 for each of its steps, of which there are three even for three words. The cost is
    /// `n (n - 1) / 2` comparisons and `n (n - 1)` ANDs for each bit of a word, so the method suits a few
    /// words.
    ///
    /// # Errors
    ///
    /// [`CircuitError::WidthMismatch`] if the widths differ.
    pub fn sort(&mut self, words: &[Word], signedness: Signedness) -> Result<Vec<Word>, CircuitError> {
        if let [left, right] = words {
            let (least, greatest) = self.min_max(left, right, signedness)?;
            return Ok(vec![least, greatest]);
        }
        let before = self.words_before(words, signedness)?;
        // The ranks by word, then by rank.
        let ranks: Vec<Vec<Wire>> = before
            .into_iter()
            .map(|bits| {
                let rank = self.popcount(&Word::new(bits));
                self.decode(rank.wires())
            })
            .collect();
        let place = |place: usize| -> Vec<Wire> {
            let has_rank = ranks.iter().filter_map(|ranks| ranks.get(place));
            has_rank.copied().collect()
        };
        Ok((0..words.len())
            .map(|index| self.choose(&place(index), words))
            .collect())
    }

    /// For each word: one bit for each other word, which says whether that one goes before it. Among equal
    /// words the earlier goes first.
    fn words_before(
        &mut self,
        words: &[Word],
        signedness: Signedness,
    ) -> Result<Vec<Vec<Wire>>, CircuitError> {
        let mut before = vec![Vec::new(); words.len()];
        for (index, right) in words.iter().enumerate() {
            for (earlier, left) in words.iter().enumerate().take(index) {
                let exchange = self.less(right, left, signedness)?;
                let keep = self.not(exchange);
                for (word, bit) in [(earlier, exchange), (index, keep)] {
                    if let Some(bits) = before.get_mut(word) {
                        bits.push(bit);
                    }
                }
            }
        }
        Ok(before)
    }
}
