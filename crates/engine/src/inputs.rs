use std::collections::BTreeMap;
use std::sync::Arc;

use ringmill_circuit::{PortLanes, Visibility};
use ringmill_device::Device;
use ringmill_fv::Ciphertext;

use crate::{EngineError, Plan, ValueId};

/// Public inputs of one batch by port name, bit-sliced. Missing records count as zeros.
pub type PublicInputs = BTreeMap<String, PortLanes>;

/// Encrypted inputs by value.
pub(crate) type Assigned<D> = Vec<(ValueId, Arc<Ciphertext<D>>)>;

/// Encrypted inputs of one batch: for each private port a ciphertext for each bit.
///
/// Clones share the ciphertexts. An execution frees each after its last use, if nothing else shares it.
pub struct EncryptedInputs<D: Device>(BTreeMap<String, Vec<Arc<Ciphertext<D>>>>);

impl<D: Device> Default for EncryptedInputs<D> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<D: Device> Clone for EncryptedInputs<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<D: Device> EncryptedInputs<D> {
    /// No inputs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Supplies a port, bit 0 first, instead of what it had before.
    pub fn insert(&mut self, port: impl Into<String>, bits: impl IntoIterator<Item = Ciphertext<D>>) {
        self.0
            .insert(port.into(), bits.into_iter().map(Arc::new).collect());
    }

    /// The ciphertexts of a port.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<&[Arc<Ciphertext<D>>]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// The ports.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Arc<Ciphertext<D>>])> {
        self.0.iter().map(|(name, bits)| (name.as_str(), bits.as_slice()))
    }

    /// Checks the inputs against a plan and hands them out by value.
    pub(crate) fn assign(mut self, plan: &Plan) -> Result<Assigned<D>, EngineError> {
        let mut assigned = Vec::new();
        for port in plan
            .inputs
            .iter()
            .filter(|port| port.visibility == Visibility::Private)
        {
            let bits = self
                .0
                .remove(&port.name)
                .ok_or_else(|| EngineError::MissingInput {
                    kind: "encrypted",
                    port: port.name.clone(),
                })?;
            check_width(&port.name, port.width, bits.len())?;
            for (bit, (ciphertext, (value, needed))) in bits
                .into_iter()
                .zip(port.values.iter().zip(&port.levels))
                .enumerate()
            {
                let Some(value) = value else { continue };
                let port = || port.name.clone();
                if ciphertext.parts() != 2 {
                    let got = ciphertext.parts();
                    return Err(EngineError::WrongParts {
                        port: port(),
                        bit,
                        got,
                    });
                }
                if ciphertext.level() < *needed {
                    let (needed, got) = (*needed, ciphertext.level());
                    return Err(EngineError::LowLevel {
                        port: port(),
                        bit,
                        needed,
                        got,
                    });
                }
                assigned.push((*value, ciphertext));
            }
        }
        match self.0.into_keys().next() {
            Some(port) => Err(EngineError::UnknownInput {
                kind: "encrypted",
                port,
            }),
            None => Ok(assigned),
        }
    }
}

/// Checks public inputs against a plan; the lanes by port, empty for private ports.
pub(crate) fn check_public<'a>(
    plan: &Plan,
    public: &'a PublicInputs,
) -> Result<Vec<&'a [Vec<u64>]>, EngineError> {
    let known = |name: &String| {
        plan.inputs
            .iter()
            .any(|port| port.name == *name && port.visibility == Visibility::Public)
    };
    if let Some(port) = public.keys().find(|name| !known(name)) {
        return Err(EngineError::UnknownInput {
            kind: "public",
            port: port.clone(),
        });
    }
    let lanes = plan.inputs.iter().map(|port| {
        if port.visibility == Visibility::Private {
            return Ok::<&[Vec<u64>], EngineError>(&[]);
        }
        let lanes = public.get(&port.name).ok_or_else(|| EngineError::MissingInput {
            kind: "public",
            port: port.name.clone(),
        })?;
        check_width(&port.name, port.width, lanes.len())?;
        check_records(plan.slots(), lanes)?;
        Ok(lanes)
    });
    lanes.collect()
}

/// Checks that bit-sliced records fit into one batch.
pub(crate) fn check_records(slots: usize, lanes: &[Vec<u64>]) -> Result<(), EngineError> {
    match lanes
        .iter()
        .map(|lane| lane.len() * 64)
        .find(|records| *records > slots)
    {
        Some(got) => Err(EngineError::TooManyRecords { got, slots }),
        None => Ok(()),
    }
}

/// Checks the number of bits given for a port.
pub(crate) fn check_width(port: &str, expected: usize, got: usize) -> Result<(), EngineError> {
    if expected == got {
        return Ok(());
    }
    Err(EngineError::WrongWidth {
        port: port.to_string(),
        expected,
        got,
    })
}
