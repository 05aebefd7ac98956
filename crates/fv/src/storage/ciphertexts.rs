//! Ciphertexts in files.

use std::borrow::Borrow;
use std::io::{Read, Write};

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_ring::Domain;

use super::SEED_BYTES;
use crate::{Ciphertext, Context, FvError, Parameters};
use ringmill_format::pack::{limbs_bytes, read_limbs};
use ringmill_format::{FormatError, FrameKind, FrameReader, Put, Take, expect_end};

/// Level, number of parts, seed flag.
const CIPHERTEXT_HEAD: u64 = 4;
/// Ciphertexts that one file may declare.
const MOST_CIPHERTEXTS: usize = 1 << 20;

/// The part of a ciphertext in a file that precedes its polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CiphertextHead {
    /// Its level.
    pub level: usize,
    /// Its parts: 2 or 3.
    pub parts: usize,
    /// Whether the second part is expanded from a seed.
    pub seeded: bool,
}

impl CiphertextHead {
    fn of<D: Device>(ciphertext: &Ciphertext<D>) -> Self {
        Self {
            level: ciphertext.level,
            parts: ciphertext.parts.len(),
            seeded: ciphertext.seed.is_some(),
        }
    }

    /// Parts that are in the file.
    fn stored(&self) -> usize {
        if self.seeded { 1 } else { self.parts }
    }

    /// Bytes after the head.
    fn content_bytes(&self, parameters: &Parameters) -> Result<u64, FvError> {
        let part = limbs_bytes(&parameters.q_at(self.level)?, parameters.n());
        let seed = if self.seeded { SEED_BYTES } else { 0 };
        Ok(part * self.stored() as u64 + seed)
    }

    fn put(&self, out: &mut impl Write) -> Result<(), FormatError> {
        out.put_u16(self.level as u16)?;
        out.put_u8(self.parts as u8)?;
        out.put_u8(u8::from(self.seeded))
    }

    fn take(input: &mut impl Read) -> Result<Self, FvError> {
        let level = usize::from(input.take_u16()?);
        let parts = usize::from(input.take_u8()?);
        let seeded = input.take_flag("seeded")?;
        if !(2..=3).contains(&parts) || (seeded && parts != 2) {
            return Err(FvError::WrongParts(parts));
        }
        Ok(Self { level, parts, seeded })
    }
}

impl Parameters {
    /// Bytes that a ciphertext of two parts of a level takes in a file; the second part may be a seed.
    ///
    /// # Errors
    /// [`FvError::BadLevel`].
    pub fn ciphertext_bytes(&self, level: usize, seeded: bool) -> Result<u64, FvError> {
        let head = CiphertextHead {
            level,
            parts: 2,
            seeded,
        };
        Ok(CIPHERTEXT_HEAD + head.content_bytes(self)?)
    }

    /// Bytes of a key that switches keys, in a file: that of relinearization, or that of an automorphism.
    ///
    /// # Errors
    /// None for parameters with key switching.
    pub fn switching_key_bytes(&self) -> Result<u64, FvError> {
        let basis = self.key_basis()?;
        let digits = self.digits_log2(self.levels()).len() as u64;
        Ok(SEED_BYTES + digits * limbs_bytes(&basis, self.n()))
    }
}

impl<D: Device> Context<D> {
    /// Bytes that a ciphertext takes in a file of ciphertexts.
    ///
    /// # Errors
    /// None for a ciphertext of these parameters.
    pub fn ciphertext_bytes(&self, ciphertext: &Ciphertext<D>) -> Result<u64, FvError> {
        let head = CiphertextHead::of(ciphertext);
        Ok(CIPHERTEXT_HEAD + head.content_bytes(&self.parameters)?)
    }

    /// Writes ciphertexts, in either domain; in files they are coefficients.
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[impl Borrow<Ciphertext<D>>],
    ) -> Result<(), FvError> {
        let mut payload = 4;
        for ciphertext in ciphertexts {
            payload += self.ciphertext_bytes(ciphertext.borrow())?;
        }
        let mut frame = self.frame(out, FrameKind::CIPHERTEXTS, payload)?;
        frame.put_u32(ciphertexts.len() as u32)?;
        for ciphertext in ciphertexts {
            self.put_ciphertext(&mut frame, ciphertext.borrow())?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Writes one ciphertext as it is in a frame of ciphertexts, but without a frame: nothing is checked when such
    /// bytes are read but that they can be a ciphertext of these parameters.
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn put_ciphertext(&self, out: &mut impl Write, ciphertext: &Ciphertext<D>) -> Result<(), FvError> {
        let head = CiphertextHead::of(ciphertext);
        head.put(out)?;
        for part in ciphertext.parts.iter().take(head.stored()) {
            match self.device.domain(part) {
                Domain::Coefficient => self.put_poly(out, part)?,
                Domain::Evaluation => {
                    let part = self
                        .device
                        .transform(self.device.copy(part)?, Domain::Coefficient)?;
                    self.put_poly(out, &part)?;
                }
            }
        }
        if let Some(seed) = &ciphertext.seed {
            out.put_bytes(seed.as_bytes())?;
        }
        Ok(())
    }

    /// Reads ciphertexts of these parameters, into coefficient domain.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::ParameterMismatch`].
    pub fn read_ciphertexts(&self, mut input: impl Read) -> Result<Vec<Ciphertext<D>>, FvError> {
        let ciphertexts = self.take_ciphertexts(&mut input)?;
        expect_end(&mut input, "the frame")?;
        Ok(ciphertexts)
    }

    /// As [`Context::read_ciphertexts`], up to the end of the frame: others may follow.
    ///
    /// # Errors
    /// As [`Context::read_ciphertexts`].
    pub fn take_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext<D>>, FvError> {
        let (mut frame, count) = self.expect_ciphertexts(input)?;
        let mut ciphertexts = Vec::new();
        for _ in 0..count {
            ciphertexts.push(self.take_ciphertext(&mut frame)?);
        }
        frame.finish()?;
        Ok(ciphertexts)
    }

    /// Reads a frame of ciphertexts as [`Context::take_ciphertexts`] does, but keeps none of them: `visit` is told,
    /// one ciphertext after the other, the bytes that [`Context::take_ciphertext`] makes a ciphertext of. Nothing of
    /// it may be used before this has returned: the checksum comes last.
    ///
    /// # Errors
    /// As [`Context::read_ciphertexts`]; those of `visit`.
    pub fn scan_ciphertexts(
        &self,
        input: impl Read,
        mut visit: impl FnMut(CiphertextHead, Vec<u8>) -> Result<(), FvError>,
    ) -> Result<(), FvError> {
        let (mut frame, count) = self.expect_ciphertexts(input)?;
        for _ in 0..count {
            let head = CiphertextHead::take(&mut frame)?;
            let mut bytes = Vec::new();
            head.put(&mut bytes)?;
            let length = head.content_bytes(&self.parameters)?;
            bytes.append(&mut frame.take_bytes(length as usize)?);
            let mut content = &bytes[CIPHERTEXT_HEAD as usize..];
            let basis = self.basis(head.level)?;
            for _ in 0..head.stored() {
                read_limbs(&mut content, &basis, self.n())?;
            }
            visit(head, bytes)?;
        }
        frame.finish()?;
        Ok(())
    }

    fn expect_ciphertexts<R: Read>(&self, input: R) -> Result<(FrameReader<R>, usize), FvError> {
        let largest = CIPHERTEXT_HEAD + 3 * limbs_bytes(self.parameters.q(), self.n());
        let most = 4 + MOST_CIPHERTEXTS as u64 * largest;
        let mut frame = self.expect_frame(input, FrameKind::CIPHERTEXTS, "the ciphertexts", most)?;
        let count = frame.take_count("ciphertexts", MOST_CIPHERTEXTS)?;
        Ok((frame, count))
    }

    /// Reads one ciphertext, as [`Context::put_ciphertext`] writes it.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::WrongParts`], [`FvError::BadLevel`].
    pub fn take_ciphertext(&self, input: &mut impl Read) -> Result<Ciphertext<D>, FvError> {
        let head = CiphertextHead::take(input)?;
        let basis = self.basis(head.level)?;
        let polys = (0..head.stored()).map(|_| self.take_poly(input, &basis, Domain::Coefficient));
        let mut polys = polys.collect::<Result<Vec<_>, _>>()?;
        let mut seed = None;
        if head.seeded {
            let public = Seed::from_bytes(input.take_array()?);
            let a = self.expand(&public, &basis)?;
            polys.push(self.device.transform(a, Domain::Coefficient)?);
            seed = Some(public);
        }
        Ok(Ciphertext {
            parts: polys,
            level: head.level,
            seed,
        })
    }
}
