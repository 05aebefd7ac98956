use ringmill_arith::secret::Secret;
use ringmill_circuit::WireType;
use ringmill_device::Device;
use ringmill_fv::{Context, FvError, Plaintext};
use ringmill_ring::Packing;

use crate::{ClearValue, Encoding, Layout};

/// Records in the slots of FV plaintexts, as a layout says.
pub struct FvEncoding<'a, D: Device> {
    context: &'a Context<D>,
    layout: &'a Layout,
}

impl<'a, D: Device> FvEncoding<'a, D> {
    /// Encodes as records lie in the slots of the context's ring.
    #[must_use]
    pub fn new(context: &'a Context<D>, layout: &'a Layout) -> Self {
        Self { context, layout }
    }

    /// A plaintext of several elements.
    pub(crate) fn pack(
        &self,
        packing: &Packing,
        elements: &[Secret<Vec<u64>>],
    ) -> Result<Plaintext, FvError> {
        let packed = packing.pack(elements)?;
        Ok(Plaintext::new(packed.to_vec(), self.context.parameters().t())?)
    }
}

impl<D: Device> Encoding for FvEncoding<'_, D> {
    type Plaintext = Plaintext;
    type Error = FvError;

    fn name(&self) -> &str {
        self.context.parameters().name()
    }

    fn records(&self) -> usize {
        self.layout.records()
    }

    fn encode(&self, value: &ClearValue) -> Result<Plaintext, FvError> {
        if let Some(bytes) = self.layout.held_bits(value) {
            return self.context.encode_bytes(&bytes);
        }
        match value {
            ClearValue::Bits(_) => {
                let bits = Secret::new(value.bits(self.records()).unwrap_or_default());
                self.context.encode(&bits)
            }
            ClearValue::Rows(bytes) => self.context.encode_bytes(&self.layout.held_rows(bytes)),
        }
    }

    fn decode(&self, kind: WireType, plaintext: &Plaintext) -> Result<ClearValue, FvError> {
        if kind.is_bit() && !self.layout.is_shared() {
            let bits = Secret::new(self.context.decode(plaintext)?);
            return Ok(ClearValue::from_bits(&bits));
        }
        let mut bytes = Secret::new(self.context.decode_bytes(plaintext)?);
        let bits = if kind.is_bit() {
            self.layout.read_bits(&mut bytes)
        } else {
            None
        };
        Ok(bits.unwrap_or_else(|| self.layout.read_rows(&mut bytes)))
    }
}
