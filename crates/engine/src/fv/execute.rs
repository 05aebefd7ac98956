use ringmill_arith::memory::return_freed_memory;
use ringmill_device::Device;
use ringmill_format::expect_end;
use ringmill_fv::{Ciphertext, Context, FvError};

use super::maps::FvMaps;
use super::{EvaluationKeys, FvEncoding, FvScheme};
use crate::error::Failure;
use crate::execute::codec::Codec;
use crate::execute::executor::{Parts, run};
use crate::execute::peak::give_large_blocks_back;
use crate::{EncryptedInputs, EncryptedWire, EngineError, Execution, InputValues, Observer, Plan};

impl Plan {
    /// How its records become FV plaintexts: what [`encrypt_inputs`](crate::encrypt_inputs) and
    /// [`decrypt_outputs`](crate::decrypt_outputs) take.
    #[must_use]
    pub fn encoding<'a, D: Device>(&'a self, context: &'a Context<D>) -> FvEncoding<'a, D> {
        FvEncoding::new(context, &self.layout)
    }

    /// Carries out the plan on one batch, in the current rayon pool, on the context's device, without any
    /// secret.
    ///
    /// # Errors
    /// Those of [`execute`](crate::execute()); [`EngineError::WrongParts`];
    /// [`EngineError::MissingGaloisKey`].
    pub fn execute<D: Device>(
        &self,
        context: &Context<D>,
        keys: &EvaluationKeys<D>,
        inputs: EncryptedInputs<Ciphertext<D>>,
        public: &InputValues,
        observer: &dyn Observer,
    ) -> Result<Execution<Ciphertext<D>>, EngineError> {
        if self.parameters != *context.parameters() {
            return Err(EngineError::OtherParameters {
                plan: self.parameters.name().to_string(),
                context: context.parameters().name().to_string(),
            });
        }
        require_two_parts(&inputs)?;
        keys.check(self)?;
        return_freed_memory();
        if self.directory.is_some() {
            give_large_blocks_back();
        }
        let maps = FvMaps::new(context, keys, &self.maps).map_err(EngineError::of_scheme)?;
        let scheme = FvScheme::new(context, &self.layout, self.form(), keys.relinearization());
        let parts = Parts {
            scheme: &scheme,
            maps: &maps,
            codec: context,
            directory: self.directory.as_deref(),
        };
        run(&self.schedule, &parts, inputs, public, observer)
    }
}

/// Refuses products that were not relinearized.
fn require_two_parts<D: Device>(inputs: &EncryptedInputs<Ciphertext<D>>) -> Result<(), EngineError> {
    for (port, wires) in inputs.iter() {
        let parts = wires.iter().map(|wire| match wire {
            EncryptedWire::Here(ciphertext) => ciphertext.parts(),
            // What is in a file is looked at when it is read.
            EncryptedWire::Stored(_) => 2,
        });
        if let Some((bit, got)) = parts.enumerate().find(|(_, parts)| *parts != 2) {
            let port = port.to_string();
            return Err(EngineError::WrongParts { port, bit, got });
        }
    }
    Ok(())
}

impl<D: Device> Codec<Ciphertext<D>> for Context<D> {
    fn write(&self, a: &Ciphertext<D>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity(self.ciphertext_bytes(a)? as usize);
        self.put_ciphertext(&mut bytes, a)?;
        Ok(bytes)
    }

    fn read(&self, mut bytes: &[u8]) -> Result<Ciphertext<D>, Failure> {
        let ciphertext = self.take_ciphertext(&mut bytes)?;
        expect_end(&mut bytes, "a ciphertext")?;
        if ciphertext.parts() == 2 {
            Ok(ciphertext)
        } else {
            Err(FvError::WrongParts(ciphertext.parts()).into())
        }
    }

    fn release(&self) {
        self.device().release();
    }
}
