//! Keys and ciphertexts to and from the frames of [`ringmill_format`].

use std::borrow::Borrow;
use std::io::{Read, Write};
use std::marker::PhantomData;

use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_format::pack::{limbs_bytes, read_limbs, read_trits, trits_bytes, write_limbs, write_trits};
use ringmill_format::{FrameKind, FrameReader, FrameWriter, Put, Take};
use ringmill_ring::Domain;

use super::{Ciphertext, Context, EvaluationKey, NtruError, NtruScheme, PublicKey, SecretKey};

/// Ciphertexts that one file may declare.
const MOST_CIPHERTEXTS: usize = 1 << 20;

/// Bytes of a level.
const LEVEL_BYTES: u64 = 2;

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// Writes a secret key: the coefficients of f'. The file should be readable by its owner only
    /// ([`ringmill_format::Access::Private`]).
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_secret_key(&self, out: impl Write, key: &SecretKey<S, D>) -> Result<(), NtruError> {
        let mut frame = self.frame(out, FrameKind::NTRU_SECRET_KEY, trits_bytes(self.n()))?;
        write_trits(&mut frame, &key.coefficients)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a secret key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`], [`NtruError::BadSecret`].
    pub fn read_secret_key(&self, input: impl Read) -> Result<SecretKey<S, D>, NtruError> {
        let payload = trits_bytes(self.n());
        let mut frame = self.expect(input, FrameKind::NTRU_SECRET_KEY, "the secret key", payload)?;
        let coefficients = read_trits(&mut frame, self.n())?;
        frame.finish_file()?;
        self.secret_key(coefficients)?.ok_or(NtruError::BadSecret)
    }

    /// Writes a public key: h in evaluation domain.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_public_key(&self, out: impl Write, key: &PublicKey<S, D>) -> Result<(), NtruError> {
        let mut frame = self.frame(out, FrameKind::NTRU_PUBLIC_KEY, self.pool_bytes())?;
        self.put_poly(&mut frame, &key.h)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a public key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`].
    pub fn read_public_key(&self, input: impl Read) -> Result<PublicKey<S, D>, NtruError> {
        let mut frame = self.expect(
            input,
            FrameKind::NTRU_PUBLIC_KEY,
            "the public key",
            self.pool_bytes(),
        )?;
        let h = self.take_poly(&mut frame, self.parameters().pool(), Domain::Evaluation)?;
        frame.finish_file()?;
        Ok(PublicKey {
            h,
            scheme: PhantomData,
        })
    }

    /// Writes an evaluation key: its elements over the pool in evaluation domain.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_evaluation_key(&self, out: impl Write, key: &EvaluationKey<S, D>) -> Result<(), NtruError> {
        let payload = self.key_elements() as u64 * self.pool_bytes();
        let mut frame = self.frame(out, FrameKind::NTRU_EVALUATION_KEY, payload)?;
        for k in 0..self.key_elements() {
            self.put_poly(&mut frame, &S::element(self, &key.elements, k)?)?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads an evaluation key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`].
    pub fn read_evaluation_key(&self, input: impl Read) -> Result<EvaluationKey<S, D>, NtruError> {
        let payload = self.key_elements() as u64 * self.pool_bytes();
        let mut frame = self.expect(
            input,
            FrameKind::NTRU_EVALUATION_KEY,
            "the evaluation key",
            payload,
        )?;
        let mut elements = S::no_elements(self);
        for _ in 0..self.key_elements() {
            let element = self.take_poly(&mut frame, self.parameters().pool(), Domain::Evaluation)?;
            S::push_element(self, &mut elements, element)?;
        }
        frame.finish_file()?;
        Ok(EvaluationKey { elements })
    }

    /// Writes ciphertexts of any levels, as coefficients.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[impl Borrow<Ciphertext<S, D>>],
    ) -> Result<(), NtruError> {
        let ciphertexts = ciphertexts.iter().map(|a| &*a.borrow().0);
        let bytes = |poly| LEVEL_BYTES + limbs_bytes(self.device().basis(poly), self.n());
        let payload = 4 + ciphertexts.clone().map(|a| bytes(&a.poly)).sum::<u64>();
        let mut frame = self.frame(out, FrameKind::NTRU_CIPHERTEXTS, payload)?;
        frame.put_u32(ciphertexts.len() as u32)?;
        for a in ciphertexts {
            frame.put_u16(a.level as u16)?;
            self.put_poly(&mut frame, &self.in_domain(&a.poly, Domain::Coefficient)?)?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads ciphertexts of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`], [`NtruError::BadLevel`].
    pub fn read_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext<S, D>>, NtruError> {
        let most = 4 + MOST_CIPHERTEXTS as u64 * (LEVEL_BYTES + self.pool_bytes());
        let mut frame = self.expect(input, FrameKind::NTRU_CIPHERTEXTS, "the ciphertexts", most)?;
        let count = frame.take_count("ciphertexts", MOST_CIPHERTEXTS)?;
        let mut ciphertexts = Vec::new();
        for _ in 0..count {
            let level = usize::from(frame.take_u16()?);
            let basis = self.parameters().q_at(level)?;
            let poly = self.take_poly(&mut frame, basis, Domain::Coefficient)?;
            let poly = self.device().transform(poly, S::DOMAIN)?;
            ciphertexts.push(Ciphertext::new(poly, level));
        }
        frame.finish_file()?;
        Ok(ciphertexts)
    }

    /// Bytes of a polynomial over the pool.
    fn pool_bytes(&self) -> u64 {
        limbs_bytes(self.parameters().pool(), self.n())
    }

    fn put_poly(&self, out: &mut impl Write, poly: &D::Poly) -> Result<(), NtruError> {
        let words = self.device().download(poly)?;
        Ok(write_limbs(out, self.device().basis(poly), &words)?)
    }

    fn take_poly(&self, input: &mut impl Read, basis: &Basis, domain: Domain) -> Result<D::Poly, NtruError> {
        let words = read_limbs(input, basis, self.n())?;
        Ok(self.device().upload(basis, domain, &words)?)
    }

    fn frame<W: Write>(&self, out: W, kind: FrameKind, payload: u64) -> Result<FrameWriter<W>, NtruError> {
        Ok(FrameWriter::new(out, kind, self.parameters().hash(), payload)?)
    }

    fn expect<R: Read>(
        &self,
        input: R,
        kind: FrameKind,
        what: &'static str,
        most: u64,
    ) -> Result<FrameReader<R>, NtruError> {
        // The parameters first: of other ones the length would be wrong too.
        let frame = FrameReader::expect(input, kind, u64::MAX)?;
        self.parameters().check_hash(what, &frame.header().parameters)?;
        frame.check_length(most)?;
        Ok(frame)
    }
}
