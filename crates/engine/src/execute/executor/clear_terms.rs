//! Terms in the clear: public values, and constants.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Executor;
use crate::execute::codec::Codec;
use crate::execute::linear_maps::LinearMaps;
use crate::execute::scheme::PlaintextOf;
use crate::execute::workers::for_each;
use crate::{ClearId, Encoding, EngineError, OperationKind, Scheme, Wave};

/// Terms as ciphertexts, by their levels.
pub(super) type ClearTerms<C> = HashMap<(ClearId, usize), Arc<C>>;

impl<S: Scheme, M: LinearMaps<S>, K: Codec<S::Ciphertext>> Executor<'_, S, M, K> {
    /// The terms that more than one step of a wave adds: constants of S-boxes, say. Encoding and scaling one takes as
    /// long as many sums.
    pub(super) fn shared_terms(&self, wave: &Wave) -> Result<ClearTerms<S::Ciphertext>, EngineError> {
        let mut steps = BTreeMap::<_, Vec<_>>::new();
        for value in &wave.steps {
            let step = &self.schedule.steps[value.0];
            if let Some(clear) = step.operation.clear_term()
                && self.schedule.clear.constant(clear).is_none()
            {
                steps.entry((clear, step.level)).or_default().push(*value);
            }
        }
        steps.retain(|_, steps| steps.len() > 1);
        let mut steps: Vec<_> = steps.into_iter().collect();
        // They stay for the wave: no more than threads would make at a time, and those that most steps add.
        steps.sort_by_key(|(_, steps)| Reverse(steps.len()));
        steps.truncate(rayon::current_num_threads());
        let made = for_each(steps.len(), |i| {
            let ((clear, level), values) = &steps[i];
            self.watch.check()?;
            let term = || self.new_term(*clear, *level);
            let made = self.meter.time(OperationKind::Plain, 0, term);
            made.map(Arc::new)
                .map_err(|error| self.failure(values[0], error.into()))
        })?;
        Ok(steps.into_iter().map(|(term, _)| term).zip(made).collect())
    }

    /// A term as a ciphertext of a level.
    pub(super) fn clear_term(&self, clear: ClearId, level: usize) -> Result<Arc<S::Ciphertext>, S::Error> {
        match self.shared_terms.get(&(clear, level)) {
            Some(term) => Ok(Arc::clone(term)),
            None => Ok(Arc::new(self.new_term(clear, level)?)),
        }
    }

    fn new_term(&self, clear: ClearId, level: usize) -> Result<S::Ciphertext, S::Error> {
        self.scheme.trivial(&self.encode(clear)?, level)
    }

    /// The plaintext of a value.
    pub(super) fn encode(&self, clear: ClearId) -> Result<PlaintextOf<S>, S::Error> {
        self.scheme.encoding().encode(self.clear.get(clear))
    }
}
