//! Files of keys for evaluators: the relinearization key, then Galois keys, each a frame.

use std::io::{Read, Write};

use ringmill_device::CpuDevice;
use ringmill_engine::EvaluationKeys;
use ringmill_fv::FvError;

use crate::session::CpuContext;

/// Writes them.
pub fn write(
    mut out: &mut dyn Write,
    context: &CpuContext,
    keys: &EvaluationKeys<CpuDevice>,
) -> Result<(), FvError> {
    context.write_relinearization_key(&mut out, keys.relinearization())?;
    let galois: Vec<_> = keys.galois().collect();
    context.write_galois_keys(out, &galois)
}

/// Reads them.
pub fn read(input: &mut dyn Read, context: &CpuContext) -> Result<EvaluationKeys<CpuDevice>, FvError> {
    let relinearization = context.take_relinearization_key(&mut *input)?;
    Ok(EvaluationKeys::new(
        relinearization,
        context.take_galois_keys(input)?,
    ))
}
