use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use ringmill_circuit::{PortValues, Visibility};

use crate::ir::clear::ClearInput;
use crate::{ClearValue, EngineError, InputPlan, Schedule, ValueId};

/// Inputs of one batch in the clear, by port name. Missing records count as zeros.
pub type InputValues = BTreeMap<String, PortValues>;

/// Encrypted inputs by value.
pub(crate) type Assigned<C> = Vec<(ValueId, EncryptedWire<C>)>;

/// A ciphertext in a file: read when it is first used, and again when it was dropped in between.
pub trait StoredWire: Send + Sync {
    /// Its level.
    fn level(&self) -> usize;

    /// Its bytes, as the scheme writes a ciphertext.
    ///
    /// # Errors
    /// Those of reading.
    fn read(&self) -> io::Result<Vec<u8>>;
}

/// One wire of an encrypted input for all records of a batch.
pub enum EncryptedWire<C> {
    /// In memory.
    Here(Arc<C>),
    /// In a file.
    Stored(Arc<dyn StoredWire>),
}

impl<C> EncryptedWire<C> {
    /// The ciphertext, if it is in memory.
    #[must_use]
    pub fn here(&self) -> Option<&Arc<C>> {
        match self {
            Self::Here(ciphertext) => Some(ciphertext),
            Self::Stored(_) => None,
        }
    }
}

impl<C> Clone for EncryptedWire<C> {
    fn clone(&self) -> Self {
        match self {
            Self::Here(ciphertext) => Self::Here(Arc::clone(ciphertext)),
            Self::Stored(stored) => Self::Stored(Arc::clone(stored)),
        }
    }
}

/// Encrypted inputs of one batch: for each private port a ciphertext for each wire, in memory or in a file.
///
/// Clones share the ciphertexts. An execution frees each after its last use, if nothing else shares it.
pub struct EncryptedInputs<C>(BTreeMap<String, Vec<EncryptedWire<C>>>);

impl<C> Default for EncryptedInputs<C> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<C> Clone for EncryptedInputs<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C> EncryptedInputs<C> {
    /// No inputs yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Supplies a port, wire 0 first, instead of what it had before.
    pub fn insert(&mut self, port: impl Into<String>, wires: impl IntoIterator<Item = C>) {
        let wires = wires.into_iter().map(|wire| EncryptedWire::Here(Arc::new(wire)));
        self.insert_wires(port, wires);
    }

    /// The same with wires in memory or in a file.
    pub fn insert_wires(
        &mut self,
        port: impl Into<String>,
        wires: impl IntoIterator<Item = EncryptedWire<C>>,
    ) {
        self.0.insert(port.into(), wires.into_iter().collect());
    }

    /// Adds the ports of others, each instead of what it had before.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The wires of a port.
    #[must_use]
    pub fn port(&self, name: &str) -> Option<&[EncryptedWire<C>]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// The ports.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[EncryptedWire<C>])> {
        self.0.iter().map(|(name, bits)| (name.as_str(), bits.as_slice()))
    }

    /// Checks the inputs against a schedule, by their levels, and hands them out by value.
    pub(crate) fn assign(
        mut self,
        schedule: &Schedule,
        level: impl Fn(&C) -> usize,
    ) -> Result<Assigned<C>, EngineError> {
        let mut assigned = Vec::new();
        for port in schedule.private_inputs() {
            let bits = self
                .0
                .remove(&port.name)
                .ok_or_else(|| EngineError::MissingInput {
                    kind: "encrypted",
                    port: port.name.clone(),
                })?;
            check_width(&port.name, port.width, bits.len())?;
            let wanted = port.values.iter().zip(&port.levels);
            for (bit, (wire, (value, needed))) in bits.into_iter().zip(wanted).enumerate() {
                let Some(value) = value else { continue };
                let got = match &wire {
                    EncryptedWire::Here(ciphertext) => level(ciphertext),
                    EncryptedWire::Stored(stored) => stored.level(),
                };
                let needed = *needed;
                if got < needed {
                    let port = port.name.clone();
                    return Err(EngineError::LowLevel {
                        port,
                        bit,
                        needed,
                        got,
                    });
                }
                assigned.push((*value, wire));
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

/// Checks inputs in the clear of one visibility against a schedule; the values by port, `None` for other ports.
pub(crate) fn check_side<'a>(
    schedule: &Schedule,
    side: Visibility,
    given: &'a InputValues,
) -> Result<Vec<Option<&'a PortValues>>, EngineError> {
    let kind = match side {
        Visibility::Private => "encrypted",
        Visibility::Public => "public",
    };
    let known = |name: &String| {
        let mut ports = schedule.inputs.iter();
        ports.any(|port| port.name == *name && port.visibility == side)
    };
    if let Some(port) = given.keys().find(|name| !known(name)) {
        let port = port.clone();
        return Err(EngineError::UnknownInput { kind, port });
    }
    let values = schedule.inputs.iter().map(|port| {
        if port.visibility != side {
            return Ok(None);
        }
        let values = given.get(&port.name).ok_or_else(|| EngineError::MissingInput {
            kind,
            port: port.name.clone(),
        })?;
        check_values(schedule, port, values)?;
        Ok(Some(values))
    });
    values.collect()
}

/// Checks the values given for a port: their kind, their number, and that they fit one batch.
pub(crate) fn check_values(
    schedule: &Schedule,
    port: &InputPlan,
    values: &PortValues,
) -> Result<(), EngineError> {
    let (slots, bytes) = (schedule.records, port.kind.slots());
    let records = match values {
        PortValues::Bits(wires) if port.kind.is_bit() => {
            check_width(&port.name, port.width, wires.len())?;
            wires.iter().map(|lane| lane.len() * 64).max()
        }
        PortValues::Rows(wires) if !port.kind.is_bit() => {
            check_width(&port.name, port.width, wires.len())?;
            wires.iter().map(|row| row.len().div_ceil(bytes)).max()
        }
        _ => {
            return Err(EngineError::WrongKind {
                port: port.name.clone(),
                kind: port.kind,
            });
        }
    };
    match records {
        // Bits come in words of 64, the last of which may have room to spare.
        Some(got) if got > slots.next_multiple_of(64) => Err(EngineError::TooManyRecords { got, slots }),
        _ => Ok(()),
    }
}

/// The value of one wire of a port, which was checked.
pub(crate) fn wire_value(values: &PortValues, wire: usize) -> ClearValue {
    match values {
        PortValues::Bits(wires) => ClearValue::Bits(wires.get(wire).cloned().unwrap_or_default()),
        PortValues::Rows(wires) => ClearValue::Rows(wires.get(wire).cloned().unwrap_or_default()),
    }
}

/// The same, not copied; nothing for a port that is not public.
pub(crate) fn clear_input<'a>(public: &[Option<&'a PortValues>], port: usize, wire: usize) -> ClearInput<'a> {
    match public.get(port) {
        Some(Some(PortValues::Bits(wires))) => ClearInput::Bits(wires.get(wire).map_or(&[], Vec::as_slice)),
        Some(Some(PortValues::Rows(wires))) => ClearInput::Rows(wires.get(wire).map_or(&[], Vec::as_slice)),
        _ => ClearInput::Bits(&[]),
    }
}

/// Checks the number of wires given for a port.
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
