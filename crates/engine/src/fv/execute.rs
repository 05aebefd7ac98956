use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context};

use super::maps::FvMaps;
use super::{EvaluationKeys, FvEncoding, FvScheme};
use crate::executor::run;
use crate::{EncryptedInputs, EngineError, Execution, Observer, Plan, PublicInputs};

impl Plan {
    /// How its records become FV plaintexts: what [`encrypt_inputs`](crate::encrypt_inputs) and
    /// [`decrypt_outputs`](crate::decrypt_outputs) take.
    #[must_use]
    pub fn encoding<'a, D: Device>(&'a self, context: &'a Context<D>) -> FvEncoding<'a, D> {
        FvEncoding::new(context, &self.rows)
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
        public: &PublicInputs,
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
        let maps = FvMaps::new(context, keys, &self.maps).map_err(EngineError::of_scheme)?;
        let scheme = FvScheme::new(context, &self.rows, self.form(), keys.relinearization());
        run(&self.schedule, (&scheme, &maps), inputs, public, observer)
    }
}

/// Refuses products that were not relinearized.
fn require_two_parts<D: Device>(inputs: &EncryptedInputs<Ciphertext<D>>) -> Result<(), EngineError> {
    for (port, wires) in inputs.iter() {
        let parts = wires.iter().map(|wire| wire.parts());
        if let Some((bit, got)) = parts.enumerate().find(|(_, parts)| *parts != 2) {
            let port = port.to_string();
            return Err(EngineError::WrongParts { port, bit, got });
        }
    }
    Ok(())
}
