//! What the owner of the keys does before and after an execution.

use ringmill_arith::sampling::Seed;
use ringmill_circuit::{PortLanes, Visibility};
use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, FvError, Plaintext, SecretKey};

use crate::inputs::{check_records, check_width};
use crate::workers::for_each;
use crate::{EncryptedInputs, EngineError, OutputBit, Plan, PublicInputs};

/// Encrypts the private inputs of one batch at the levels that the plan asks for.
///
/// `lanes` are the records by port name, bit-sliced; missing records count as zeros. `encrypt` encrypts
/// a plaintext at a level with a seed, under the public or the secret key:
/// `|plaintext, level, seed| context.encrypt(&key, plaintext, level, seed)`. It gets a different seed
/// for each bit, derived from `seed`, which must be secret and fresh.
///
/// # Errors
/// [`EngineError::MissingInput`], [`EngineError::UnknownInput`], [`EngineError::WrongWidth`],
/// [`EngineError::TooManyRecords`]; what `encrypt` returns.
pub fn encrypt_inputs<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    lanes: &PublicInputs,
    seed: &Seed,
    encrypt: impl Fn(&Plaintext, usize, &Seed) -> Result<Ciphertext<D>, FvError> + Sync,
) -> Result<EncryptedInputs<D>, EngineError> {
    let private = || {
        plan.inputs()
            .iter()
            .filter(|port| port.visibility == Visibility::Private)
    };
    if let Some(port) = lanes
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
        let lanes = lanes.get(&port.name).ok_or_else(|| EngineError::MissingInput {
            kind: "encrypted",
            port: port.name.clone(),
        })?;
        check_width(&port.name, port.width, lanes.len())?;
        check_records(plan.slots(), lanes)?;
        let seed = seed.derive("input port", index as u64);
        let bits = for_each(port.width, |bit| {
            let plaintext = context.encode(&unpack(&lanes[bit]))?;
            encrypt(
                &plaintext,
                port.levels()[bit],
                &seed.derive("input bit", bit as u64),
            )
        })?;
        inputs.insert(&port.name, bits);
    }
    Ok(inputs)
}

/// Decrypts the outputs of an execution, port by port, bit-sliced, one bit for each slot.
///
/// # Errors
/// What [`Context::decrypt`] returns.
pub fn decrypt_outputs<D: Device>(
    context: &Context<D>,
    key: &SecretKey<D>,
    outputs: &[Vec<OutputBit<D>>],
) -> Result<Vec<PortLanes>, EngineError> {
    let decrypt = |bit: &OutputBit<D>| match bit {
        OutputBit::Encrypted(ciphertext) => {
            Ok::<_, FvError>(pack(&context.decode(&context.decrypt(key, ciphertext)?)?))
        }
        OutputBit::Clear(bits) => Ok(pack(bits)),
    };
    let ports = outputs
        .iter()
        .map(|port| Ok(for_each(port.len(), |bit| decrypt(&port[bit]))?));
    ports.collect()
}

fn unpack(lane: &[u64]) -> Vec<bool> {
    lane.iter()
        .flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1))
        .collect()
}

fn pack(bits: &[bool]) -> Vec<u64> {
    let word = |bits: &[bool]| {
        bits.iter()
            .enumerate()
            .fold(0, |word, (i, bit)| word | u64::from(*bit) << i)
    };
    bits.chunks(64).map(word).collect()
}
