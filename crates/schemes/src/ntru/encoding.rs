use ringmill_arith::secret::Secret;
use ringmill_circuit::WireType;
use ringmill_device::Device;
use ringmill_engine::{ClearValue, Encoding};
use ringmill_rlwe::Plaintext;

use super::{Context, NtruError, NtruScheme};

/// Bits only: one in each slot.
impl<S: NtruScheme, D: Device> Encoding for Context<S, D> {
    type Plaintext = Plaintext;
    type Error = NtruError;

    fn name(&self) -> &str {
        self.parameters().name()
    }

    fn records(&self) -> usize {
        self.slots().len()
    }

    fn encode(&self, value: &ClearValue) -> Result<Plaintext, NtruError> {
        let bits = value.bits(self.slots().len()).ok_or(NtruError::NotBits)?;
        Context::encode(self, &Secret::new(bits))
    }

    fn decode(&self, kind: WireType, plaintext: &Plaintext) -> Result<ClearValue, NtruError> {
        match kind {
            WireType::Bit => {
                let bits = Secret::new(Context::decode(self, plaintext)?);
                Ok(ClearValue::from_bits(&bits))
            }
            WireType::Row(_) => Err(NtruError::NotBits),
        }
    }
}
