use std::path::Path;

use ringmill_device::Device;

use super::pairs::{Origins, Pairs};
use crate::Error;
use crate::batches::{Batches, Head};
use crate::files::Digest;

/// Results, and what they are compared with.
pub(crate) struct Checks<'a, D: Device> {
    pub path: &'a Path,
    pub results: Batches<'a, D>,
    /// The digests of batches that are signed.
    pub signed: Option<Vec<Digest>>,
    pub inputs: Option<(Pairs<'a, D>, Origins)>,
}

impl<D: Device> Checks<'_, D> {
    /// Checks the batch that was read last.
    pub fn check(&mut self, head: &Head, index: usize) -> Result<(), Error> {
        if let Some(signed) = &self.signed
            && signed.get(index) != Some(&self.results.digest())
        {
            return Err(Error::data(
                self.path,
                "the file was changed while it was being used; leave it alone until the end",
            ));
        }
        let Some((pairs, origins)) = &mut self.inputs else {
            return Ok(());
        };
        let difference = match pairs.next()? {
            None => Some("is of no inputs; the file has more batches than they have".to_owned()),
            Some(pair) => origins.difference(head, &origins.of(&pair), pair.private.records as u64),
        };
        match difference {
            None => Ok(()),
            Some(difference) => Err(Error::data(
                self.path,
                format!(
                    "batch {index} {difference}; give the inputs that it was made of, or have it evaluated again"
                ),
            )),
        }
    }

    /// Sees that all inputs were used.
    pub fn finish(self) -> Result<(), Error> {
        match self
            .inputs
            .map(|(mut pairs, _)| pairs.next())
            .transpose()?
            .flatten()
        {
            None => Ok(()),
            Some(_) => Err(Error::data(
                self.path,
                "fewer batches than the inputs have: it is of other inputs",
            )),
        }
    }
}
