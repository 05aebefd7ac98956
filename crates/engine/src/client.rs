//! What the owner of the keys does before and after an execution.

use ringmill_arith::sampling::Seed;
use ringmill_circuit::{PortValues, Visibility};
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, FvError, Plaintext, SecretKey};

use crate::encoding::{decode, encode};
use crate::inputs::{check_values, wire_value};
use crate::workers::for_each;
use crate::{ClearValue, EncryptedInputs, EngineError, OutputValue, Plan, PublicInputs};

/// Encrypts the private inputs of one batch at the levels that the plan asks for.
///
/// `values` are the records by port name; missing records count as zeros. `encrypt` encrypts
/// a plaintext at a level with a seed, under the public or the secret key:
/// `|plaintext, level, seed| context.encrypt(&key, plaintext, level, seed)`. It gets a different seed
/// for each wire, derived from `seed`, which must be secret and fresh.
///
/// # Errors
/// [`EngineError::MissingInput`], [`EngineError::UnknownInput`], [`EngineError::WrongWidth`],
/// [`EngineError::WrongKind`], [`EngineError::TooManyRecords`]; what `encrypt` returns.
pub fn encrypt_inputs<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    values: &PublicInputs,
    seed: &Seed,
    encrypt: impl Fn(&Plaintext, usize, &Seed) -> Result<Ciphertext<D>, FvError> + Sync,
) -> Result<EncryptedInputs<D>, EngineError> {
    let private = || {
        plan.inputs()
            .iter()
            .filter(|port| port.visibility == Visibility::Private)
    };
    if let Some(port) = values
        .keys()
        .find(|name| private().all(|port| port.name != **name))
    {
        return Err(EngineError::UnknownInput {
            kind: "encrypted",
            port: port.clone(),
        });
    }
    let mut inputs = EncryptedInputs::new();
    for (index, port) in private().enumerate() {
        let values = values.get(&port.name).ok_or_else(|| EngineError::MissingInput {
            kind: "encrypted",
            port: port.name.clone(),
        })?;
        check_values(plan, port, values)?;
        let seed = seed.derive("input port", index as u64);
        let wires = for_each(port.width, |wire| {
            let plaintext = encode(plan, context, &wire_value(values, wire))?;
            encrypt(
                &plaintext,
                port.levels()[wire],
                &seed.derive("input bit", wire as u64),
            )
        })?;
        inputs.insert(&port.name, wires);
    }
    Ok(inputs)
}

/// Decrypts the outputs of an execution, port by port, for all records of a batch.
///
/// # Errors
/// What [`Context::decrypt`] returns; [`EngineError::WrongWidth`] if these are not the plan's outputs.
pub fn decrypt_outputs<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    key: &SecretKey<D>,
    outputs: &[Vec<OutputValue<D>>],
) -> Result<Vec<PortValues>, EngineError> {
    let ports = plan.outputs().iter().enumerate().map(|(index, port)| {
        let values = outputs.get(index).map_or(&[][..], Vec::as_slice);
        if values.len() != port.sources.len() {
            return Err(EngineError::WrongWidth {
                port: port.name.clone(),
                expected: port.sources.len(),
                got: values.len(),
            });
        }
        let wires = for_each(values.len(), |wire| match &values[wire] {
            OutputValue::Encrypted(ciphertext) => {
                decode(plan, context, port.kind, &context.decrypt(key, ciphertext)?)
            }
            OutputValue::Clear(value) => Ok::<_, FvError>(value.clone()),
        })?;
        Ok(match port.kind.is_bit() {
            true => PortValues::Bits(wires.into_iter().map(lanes).collect()),
            false => PortValues::Rows(wires.into_iter().map(bytes).collect()),
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
