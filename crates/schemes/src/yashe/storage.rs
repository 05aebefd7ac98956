//! Evaluation keys and ciphertexts to and from files.

use std::borrow::Borrow;
use std::io::{Read, Write};

use ringmill_device::Device;
use ringmill_fv::format::Kind;
use ringmill_ring::Domain;

use super::{Ciphertext, Context, EvaluationKey};
use crate::ntru::NtruError;

impl<D: Device> Context<D> {
    /// Writes an evaluation key: its elements in evaluation domain.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_evaluation_key(&self, out: impl Write, key: &EvaluationKey<D>) -> Result<(), NtruError> {
        let elements: Vec<&D::Poly> = key.elements.iter().collect();
        self.base().write_polys(out, Kind::NtruEvaluationKey, &elements)
    }

    /// Reads an evaluation key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`].
    pub fn read_evaluation_key(&self, input: impl Read) -> Result<EvaluationKey<D>, NtruError> {
        let (kind, pool) = (
            (Kind::NtruEvaluationKey, "the evaluation key"),
            self.parameters().pool(),
        );
        let elements = self.base().read_polys(input, kind, self.key_elements(), pool)?;
        Ok(EvaluationKey { elements })
    }

    /// Writes ciphertexts.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[impl Borrow<Ciphertext<D>>],
    ) -> Result<(), NtruError> {
        let polys: Vec<_> = ciphertexts
            .iter()
            .map(|ciphertext| &ciphertext.borrow().0)
            .collect();
        self.base().write_leveled(out, &polys)
    }

    /// Reads ciphertexts of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`], [`NtruError::BadLevel`].
    pub fn read_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext<D>>, NtruError> {
        let polys = self.base().read_leveled(input, Domain::Coefficient)?;
        Ok(polys.into_iter().map(Ciphertext).collect())
    }
}
