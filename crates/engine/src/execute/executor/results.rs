use std::collections::HashMap;
use std::sync::Arc;

use super::{Executor, OutputValue, missing};
use crate::execute::codec::Codec;
use crate::execute::linear_maps::LinearMaps;
use crate::ir::program::encrypted;
use crate::{EngineError, OutputSource, Scheme, ValueId};

impl<S: Scheme, M: LinearMaps<S>, K: Codec<S::Ciphertext>> Executor<'_, S, M, K> {
    /// The results; values that are several outputs are copied.
    pub(super) fn outputs(&mut self) -> Result<Vec<Vec<OutputValue<S::Ciphertext>>>, EngineError> {
        let mut uses: HashMap<ValueId, usize> = HashMap::new();
        let schedule = self.schedule;
        let sources = || schedule.outputs.iter().map(|port| &port.sources);
        for value in sources().flat_map(|sources| encrypted(std::slice::from_ref(sources))) {
            *uses.entry(value).or_default() += 1;
        }
        let absent = uses.keys().filter(|value| self.values.get(**value).is_none());
        let absent: Vec<ValueId> = absent.copied().collect();
        self.bring(&absent)?;
        let mut ports = Vec::new();
        for sources in sources() {
            let mut bits = Vec::with_capacity(sources.len());
            for source in sources {
                bits.push(match source {
                    OutputSource::Clear(clear) => OutputValue::Clear(self.clear.get(*clear).clone()),
                    OutputSource::Encrypted(value) => {
                        let left = uses.entry(*value).or_default();
                        *left = left.saturating_sub(1);
                        let last = *left == 0;
                        OutputValue::Encrypted(self.output(*value, last)?)
                    }
                });
            }
            ports.push(bits);
        }
        Ok(ports)
    }

    fn output(&mut self, value: ValueId, last: bool) -> Result<S::Ciphertext, EngineError> {
        let shared = if last {
            self.values.take(value)
        } else {
            self.values.share(value)
        };
        let shared = shared.ok_or_else(|| missing(value))?;
        match Arc::try_unwrap(shared) {
            Ok(own) => Ok(own),
            Err(shared) => self.scheme.sum(&[&shared], false).map_err(EngineError::of_scheme),
        }
    }
}
