//! Files of keys for evaluators: the relinearization key, then Galois keys, each a frame.

use std::io::{Read, Write};

use ringmill_device::Device;
use ringmill_engine::EvaluationKeys;
use ringmill_fv::{Context, FvError};

/// Writes them.
pub fn write<D: Device>(
    mut out: &mut dyn Write,
    context: &Context<D>,
    keys: &EvaluationKeys<D>,
) -> Result<(), FvError> {
    context.write_relinearization_key(&mut out, keys.relinearization())?;
    let galois: Vec<_> = keys.galois().collect();
    context.write_galois_keys(out, &galois)
}

/// Reads them.
pub fn read<D: Device>(input: &mut dyn Read, context: &Context<D>) -> Result<EvaluationKeys<D>, FvError> {
    let relinearization = context.take_relinearization_key(&mut *input)?;
    Ok(EvaluationKeys::new(
        relinearization,
        context.take_galois_keys(input)?,
    ))
}
