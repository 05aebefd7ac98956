//! The work of the owner of the keys before and after an execution.

use ringmill_arith::sampling::Seed;
use ringmill_circuit::PortValues;

use crate::execute::executor::require_scheme;
use crate::execute::inputs::{check_values, wire_value};
use crate::execute::workers::for_each;
use crate::{ClearValue, Encoding, EncryptedInputs, EngineError, InputValues, OutputValue, Schedule};

/// Encrypts the private inputs of one batch at the levels that the schedule asks for.
///
/// `values` are the records by port name; missing records count as zeros. `encrypt` encrypts
/// a plaintext at a level with a seed, for FV under the public or the secret key:
/// `|plaintext, level, seed| context.encrypt(&key, plaintext, level, seed)`. It gets a different seed
/// for each wire, derived from `seed`, which must be secret and fresh.
///
/// # Errors
/// [`EngineError::OtherParameters`], [`EngineError::MissingInput`], [`EngineError::UnknownInput`],
/// [`EngineError::WrongWidth`], [`EngineError::WrongKind`], [`EngineError::TooManyRecords`];
/// [`EngineError::Scheme`] if encoding or `encrypt` fails.
pub fn encrypt_inputs<E: Encoding, C: Send>(
    schedule: &Schedule,
    encoding: &E,
    values: &InputValues,
    seed: &Seed,
    encrypt: impl Fn(&E::Plaintext, usize, &Seed) -> Result<C, E::Error> + Sync,
) -> Result<EncryptedInputs<C>, EngineError> {
    encrypt_ports(schedule, encoding, |_| true, values, seed, encrypt)
}

/// As [`encrypt_inputs`], but only the private ports whose names are `wanted`: others come from somebody else. `values`
/// has these ports only.
///
/// # Errors
/// As [`encrypt_inputs`].
pub fn encrypt_ports<E: Encoding, C: Send>(
    schedule: &Schedule,
    encoding: &E,
    wanted: impl Fn(&str) -> bool,
    values: &InputValues,
    seed: &Seed,
    encrypt: impl Fn(&E::Plaintext, usize, &Seed) -> Result<C, E::Error> + Sync,
) -> Result<EncryptedInputs<C>, EngineError> {
    require_scheme(schedule, encoding)?;
    let known = |name: &String| {
        let mut ports = schedule.private_inputs();
        wanted(name) && ports.any(|port| port.name == *name)
    };
    if let Some(port) = values.keys().find(|name| !known(name)) {
        return Err(EngineError::UnknownInput {
            kind: "encrypted",
            port: port.clone(),
        });
    }
    let mut inputs = EncryptedInputs::new();
    let ports = schedule.private_inputs().enumerate();
    for (index, port) in ports.filter(|(_, port)| wanted(&port.name)) {
        let values = values.get(&port.name).ok_or_else(|| EngineError::MissingInput {
            kind: "encrypted",
            port: port.name.clone(),
        })?;
        check_values(schedule, port, values)?;
        let seed = seed.derive("input port", index as u64);
        let wires = for_each(port.width, |wire| {
            let mut value = wire_value(values, wire);
            let plaintext = encoding.encode(&value);
            value.wipe();
            let plaintext = plaintext?;
            let level = port.levels()[wire];
            encrypt(&plaintext, level, &seed.derive("input bit", wire as u64))
        });
        inputs.insert(&port.name, wires.map_err(EngineError::of_scheme)?);
    }
    Ok(inputs)
}

/// Decrypts the outputs of an execution, port by port, for all records of a batch. `decrypt` decrypts one
/// ciphertext: `|ciphertext| context.decrypt(&key, ciphertext)`.
///
/// # Errors
/// [`EngineError::OtherParameters`]; [`EngineError::WrongWidth`] if these are not the schedule's outputs;
/// [`EngineError::Scheme`] if `decrypt` or decoding fails.
pub fn decrypt_outputs<E: Encoding, C: Sync>(
    schedule: &Schedule,
    encoding: &E,
    outputs: &[Vec<OutputValue<C>>],
    decrypt: impl Fn(&C) -> Result<E::Plaintext, E::Error> + Sync,
) -> Result<Vec<PortValues>, EngineError> {
    require_scheme(schedule, encoding)?;
    let ports = schedule.outputs().iter().enumerate().map(|(index, port)| {
        let values = outputs.get(index).map_or(&[][..], Vec::as_slice);
        if values.len() != port.sources.len() {
            return Err(EngineError::WrongWidth {
                port: port.name.clone(),
                expected: port.sources.len(),
                got: values.len(),
            });
        }
        let wires = for_each(values.len(), |wire| match &values[wire] {
            OutputValue::Encrypted(ciphertext) => encoding.decode(port.kind, &decrypt(ciphertext)?),
            OutputValue::Clear(value) => Ok(value.clone()),
        });
        let wires = wires.map_err(EngineError::of_scheme)?;
        Ok(if port.kind.is_bit() {
            PortValues::Bits(wires.into_iter().map(lanes).collect())
        } else {
            PortValues::Rows(wires.into_iter().map(bytes).collect())
        })
    });
    ports.collect()
}

fn lanes(value: ClearValue) -> Vec<u64> {
    match value {
        ClearValue::Bits(lanes) => lanes,
        ClearValue::Rows(_) => Vec::new(),
    }
}

fn bytes(value: ClearValue) -> Vec<u8> {
    match value {
        ClearValue::Rows(bytes) => bytes,
        ClearValue::Bits(_) => Vec::new(),
    }
}
