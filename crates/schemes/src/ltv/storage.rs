//! Evaluation keys and ciphertexts to and from files.

use std::io::{Read, Write};
use std::sync::Arc;

use ringmill_device::Device;
use ringmill_fv::format::Kind;
use ringmill_ring::Domain;

use super::{Ciphertext, Context, EvaluationKey};
use crate::ntru::{Leveled, NtruError};

impl<D: Device> Context<D> {
    /// Writes an evaluation key: its elements over the pool in evaluation domain.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_evaluation_key(&self, out: impl Write, key: &EvaluationKey<D>) -> Result<(), NtruError> {
        let elements = (0..self.words()).map(|k| self.joined(key, k));
        let elements = elements.collect::<Result<Vec<_>, _>>()?;
        let elements: Vec<&D::Poly> = elements.iter().collect();
        self.base.write_polys(out, Kind::NtruEvaluationKey, &elements)
    }

    /// Reads an evaluation key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`].
    pub fn read_evaluation_key(&self, input: impl Read) -> Result<EvaluationKey<D>, NtruError> {
        let what = (Kind::NtruEvaluationKey, "the evaluation key");
        let pool = self.base.parameters().pool();
        let elements = self.base.read_polys(input, what, self.words(), pool)?;
        let mut key = self.empty_key();
        elements
            .iter()
            .try_for_each(|element| self.push(&mut key, element))?;
        Ok(key)
    }

    /// Writes ciphertexts of any levels, as coefficients.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[&Ciphertext<D>],
    ) -> Result<(), NtruError> {
        let polys: Vec<&Leveled<D>> = ciphertexts.iter().map(|a| &*a.0).collect();
        self.base.write_leveled(out, &polys)
    }

    /// Reads ciphertexts of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`], [`NtruError::BadLevel`].
    pub fn read_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext<D>>, NtruError> {
        let polys = self.base.read_leveled(input, Domain::Evaluation)?;
        let ciphertexts = polys.into_iter().map(|poly| Ciphertext(Arc::new(poly)));
        Ok(ciphertexts.collect())
    }
}
