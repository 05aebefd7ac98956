use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ringmill_device::Device;
use ringmill_engine::{EncryptedInputs, EncryptedWire, EngineError, InputPacking, Loading, Observer, Plan};
use ringmill_fv::{Ciphertext, Context, FvError, Parameters};
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::batches::{InputCiphertexts, Inputs, Temporary};
use crate::files::Digest;
use crate::server::Server;

/// Takes inputs apart. A single record that stands for all, such as a cipher's key, is taken apart once for all
/// evaluations of a server: what it gave is kept until another comes, and known by the digest of its ciphertexts.
pub(crate) struct Unpacker<D: Device> {
    last: Mutex<Option<Unpacked<D>>>,
}

/// A record that was taken apart.
struct Unpacked<D: Device> {
    packed: Packed<D>,
    digest: Digest,
    inputs: Inputs<D>,
}

type Packed<D> = Arc<Vec<EncryptedWire<Ciphertext<D>>>>;

impl<D: Device> Unpacker<D> {
    pub const fn new() -> Self {
        Self {
            last: Mutex::new(None),
        }
    }

    /// The inputs of a batch, a ciphertext for each wire, and the time that taking them apart took, of all threads together,
    /// if that was done now.
    pub fn inputs(
        &self,
        server: &Server<D>,
        inputs: InputCiphertexts<D>,
        observer: &dyn Observer,
    ) -> Result<(Inputs<D>, Option<Duration>), Error> {
        let packed = match inputs {
            InputCiphertexts::Separate(inputs) => return Ok((inputs, None)),
            InputCiphertexts::Packed(packed) => packed,
        };
        // The next batch of the same evaluation.
        if let Some(last) = &*self.lock()
            && Arc::ptr_eq(&last.packed, &packed)
        {
            return Ok((last.inputs.clone(), None));
        }
        let (plan, context) = (&server.session.plan, &server.session.context);
        let ciphertexts = opened(context, &packed)?;
        if plan.recipe().packing != InputPacking::Broadcast {
            let (inputs, time) = unpack(server, ciphertexts, observer)?;
            return Ok((inputs, Some(time)));
        }
        let digest = digest(context, &ciphertexts)?;
        // No thread holds the lock while it works: in a pool it could be given another evaluation, which would wait for it.
        match &mut *self.lock() {
            Some(last) if last.digest == digest => {
                last.packed = packed;
                return Ok((last.inputs.clone(), None));
            }
            // What was taken apart before goes first.
            last => *last = None,
        }
        let (inputs, time) = unpack(server, ciphertexts, observer)?;
        *self.lock() = Some(Unpacked {
            packed,
            digest,
            inputs: inputs.clone(),
        });
        Ok((inputs, Some(time)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Unpacked<D>>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The digest of ciphertexts as they are in files.
fn digest<D: Device>(context: &Context<D>, ciphertexts: &[Arc<Ciphertext<D>>]) -> Result<Digest, FvError> {
    let mut hash = Sha256::new();
    for ciphertext in ciphertexts {
        hash.update(written(context, ciphertext)?);
    }
    Ok(hash.finalize().into())
}

/// The part of a device's own memory that wires may take.
const SHARE: u64 = 4;

/// The wires stay in the device's own memory if there is much of it, or in the host's if the plan says so. Otherwise they
/// are kept in a file without a name, where values are put aside or else among the system's temporary files.
fn unpack<D: Device>(
    server: &Server<D>,
    ciphertexts: Vec<Arc<Ciphertext<D>>>,
    observer: &dyn Observer,
) -> Result<(Inputs<D>, Duration), Error> {
    let (plan, context) = (&server.session.plan, &server.session.context);
    let temporary = std::env::temp_dir();
    let directory = plan.directory().unwrap_or(&temporary);
    let failed = |error| Error::io(directory, error);
    let here = match context.device().memory() {
        Some(memory) => unpacked_bytes(plan, context.parameters()) <= memory / SHARE,
        None => plan
            .packed_inputs()
            .is_some_and(|packed| packed.loading() == Loading::AtOnce),
    };
    let file = (!here).then(|| Temporary::new(directory).map_err(failed));
    let file = file.transpose()?;
    let ports = plan.schedule().inputs().iter();
    let wires: Vec<Vec<Option<EncryptedWire<_>>>> = ports.map(|port| vec![None; port.width]).collect();
    let wires = Mutex::new(wires);
    let each = |(port, wire): (usize, usize), ciphertext: Arc<Ciphertext<D>>| {
        let kept = match &file {
            None => EncryptedWire::Here(ciphertext),
            Some(file) => {
                let bytes = written(context, &ciphertext);
                let bytes = bytes.map_err(|error| EngineError::Scheme(Box::new(error)))?;
                let stored = file.put(ciphertext.level(), &bytes);
                EncryptedWire::Stored(stored.map_err(|error| aside(directory, error))?)
            }
        };
        let mut wires = wires.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = wires.get_mut(port).and_then(|port| port.get_mut(wire)) {
            *place = Some(kept);
        }
        Ok(())
    };
    let time = plan.unpack(context, &server.keys.keys, ciphertexts, each, observer)?;
    let mut inputs = EncryptedInputs::new();
    let wires = wires.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (port, wires) in plan.schedule().inputs().iter().zip(wires) {
        let wires: Vec<_> = wires.into_iter().flatten().collect();
        // Public ports have none.
        if !wires.is_empty() {
            inputs.insert_wires(&*port.name, wires);
        }
    }
    Ok((inputs, time))
}

/// Packed inputs, read where they are in a file.
fn opened<D: Device>(
    context: &Context<D>,
    packed: &[EncryptedWire<Ciphertext<D>>],
) -> Result<Vec<Arc<Ciphertext<D>>>, EngineError> {
    let ciphertexts = packed.iter().enumerate().map(|(index, wire)| match wire {
        EncryptedWire::Here(ciphertext) => Ok(Arc::clone(ciphertext)),
        EncryptedWire::Stored(stored) => {
            let failed = |source| EngineError::Step {
                step: index,
                operation: "input",
                level: stored.level(),
                source,
            };
            let bytes = stored.read().map_err(|error| failed(error.into()))?;
            let ciphertext = context.take_ciphertext(&mut &*bytes);
            Ok(Arc::new(ciphertext.map_err(|error| failed(error.into()))?))
        }
    });
    ciphertexts.collect()
}

/// The bytes in memory of all wires that inputs are taken apart into.
fn unpacked_bytes(plan: &Plan, parameters: &Parameters) -> u64 {
    let limb = parameters.n() as u64 * 8;
    let ports = plan.schedule().inputs().iter();
    let levels = ports.flat_map(|port| port.levels());
    levels
        .map(|level| 2 * parameters.limbs_at(*level) as u64 * limb)
        .sum()
}

fn written<D: Device>(context: &Context<D>, ciphertext: &Ciphertext<D>) -> Result<Vec<u8>, FvError> {
    let mut bytes = Vec::with_capacity(context.ciphertext_bytes(ciphertext)? as usize);
    context.put_ciphertext(&mut bytes, ciphertext)?;
    Ok(bytes)
}

fn aside(directory: &Path, error: std::io::Error) -> EngineError {
    EngineError::Aside {
        directory: directory.to_path_buf(),
        source: error,
    }
}
