//! Records to slots and back.

use ringmill_circuit::Kind;
use ringmill_device::Device;
use ringmill_fv::{Context, FvError, Plaintext};

use crate::{ClearValue, Plan};

/// The plaintext of one wire for all records of a batch; records that are missing count as 0.
pub(crate) fn encode<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    value: &ClearValue,
) -> Result<Plaintext, FvError> {
    match value {
        ClearValue::Bits(lanes) => {
            let bits = (0..plan.records()).map(|record| {
                let word = lanes.get(record / 64).copied().unwrap_or(0);
                word >> (record % 64) & 1 == 1
            });
            context.encode(&bits.collect::<Vec<_>>())
        }
        ClearValue::Rows(bytes) => {
            let mut slots = vec![0; context.slots()?.len()];
            for (byte, slot) in bytes.iter().zip(plan.rows().slots()) {
                slots[*slot as usize] = *byte;
            }
            context.encode_bytes(&slots)
        }
    }
}

/// One wire of all records from a plaintext.
pub(crate) fn decode<D: Device>(
    plan: &Plan,
    context: &Context<D>,
    kind: Kind,
    plaintext: &Plaintext,
) -> Result<ClearValue, FvError> {
    if kind.is_bit() {
        let bits = context.decode(plaintext)?;
        let word = |bits: &[bool]| {
            (0..)
                .zip(bits)
                .fold(0, |word, (i, bit)| word | u64::from(*bit) << i)
        };
        return Ok(ClearValue::Bits(bits.chunks(64).map(word).collect()));
    }
    let slots = context.decode_bytes(plaintext)?;
    let arranged = plan.rows().slots().iter().map(|slot| slots[*slot as usize]);
    Ok(ClearValue::Rows(arranged.collect()))
}
