//! Keys and ciphertexts to and from the frames of [`ringmill_format`].

use std::io::{Read, Write};

use ringmill_arith::sampling::Seed;
use ringmill_format::pack::{limbs_bytes, read_limbs, write_limbs};
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};

use super::{Ciphertext, KaratsubaError, PublicKey, Scheme, SecretKey};
use ringmill_arith::secret::Secret;

const SEED_BYTES: u64 = 32;
/// The number of ciphertexts.
const COUNT_BYTES: u64 = 4;
/// Ciphertexts that one file may declare.
const MOST_CIPHERTEXTS: usize = 1 << 20;

impl Scheme {
    /// Writes a secret key, a bit for each coefficient. The file should be readable by its owner only
    /// ([`ringmill_format::Access::Private`]).
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn write_secret_key(&self, out: impl Write, key: &SecretKey) -> Result<(), KaratsubaError> {
        self.expect("the secret key", &key.parameters)?;
        let bytes = key.coefficients.chunks(8).map(|bits| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |byte, (i, bit)| byte | bit << i)
        });
        let bytes = Secret::collect(bytes);
        let mut frame = self.frame(out, FrameKind::CYCLOTOMIC_SECRET_KEY, bytes.len() as u64)?;
        frame.put_bytes(&bytes)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a secret key of these parameters.
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn read_secret_key(&self, input: impl Read) -> Result<SecretKey, KaratsubaError> {
        let n = self.parameters().n();
        let most = n.div_ceil(8);
        let mut frame = self.frame_of(
            input,
            FrameKind::CYCLOTOMIC_SECRET_KEY,
            "the secret key",
            most as u64,
        )?;
        let mut bytes = Secret::<Vec<u8>>::zeros(most);
        frame.read_exact(&mut bytes).map_err(FormatError::from)?;
        frame.finish_file()?;
        let mut bits = Secret::zeros(8 * most);
        for (bits, byte) in bits.chunks_exact_mut(8).zip(&*bytes) {
            for (i, bit) in bits.iter_mut().enumerate() {
                *bit = byte >> i & 1;
            }
        }
        if bits[n..].iter().any(|&bit| bit != 0) {
            return Err(KaratsubaError::Format(FormatError::BadValue {
                field: "secret key",
                problem: "filling bits that are not 0".to_owned(),
            }));
        }
        bits.resize(n);
        Ok(self.secret_key(bits))
    }

    /// Writes a public key: the seed of a, and b.
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn write_public_key(&self, out: impl Write, key: &PublicKey) -> Result<(), KaratsubaError> {
        self.expect("the public key", &key.parameters)?;
        let mut frame = self.frame(
            out,
            FrameKind::CYCLOTOMIC_PUBLIC_KEY,
            SEED_BYTES + self.polynomial_bytes(),
        )?;
        frame.put_bytes(key.seed.as_bytes())?;
        write_limbs(&mut frame, self.parameters().q(), &key.b)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a public key of these parameters.
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn read_public_key(&self, input: impl Read) -> Result<PublicKey, KaratsubaError> {
        let most = SEED_BYTES + self.polynomial_bytes();
        let mut frame = self.frame_of(input, FrameKind::CYCLOTOMIC_PUBLIC_KEY, "the public key", most)?;
        let seed = Seed::from_bytes(frame.take_array()?);
        let b = read_limbs(&mut frame, self.parameters().q(), self.parameters().n())?;
        frame.finish_file()?;
        Ok(PublicKey {
            parameters: self.parameters().clone(),
            a: self.expand(&seed),
            seed,
            b,
        })
    }

    /// Writes ciphertexts.
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[Ciphertext],
    ) -> Result<(), KaratsubaError> {
        let length = COUNT_BYTES + 2 * ciphertexts.len() as u64 * self.polynomial_bytes();
        let mut frame = self.frame(out, FrameKind::CYCLOTOMIC_CIPHERTEXTS, length)?;
        frame.put_u32(ciphertexts.len() as u32)?;
        for ciphertext in ciphertexts {
            self.expect("the ciphertext", &ciphertext.parameters)?;
            for part in &ciphertext.parts {
                write_limbs(&mut frame, self.parameters().q(), part)?;
            }
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads ciphertexts of these parameters.
    ///
    /// # Errors
    /// [`KaratsubaError::Format`], [`KaratsubaError::ParameterMismatch`].
    pub fn read_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext>, KaratsubaError> {
        let most = COUNT_BYTES + 2 * MOST_CIPHERTEXTS as u64 * self.polynomial_bytes();
        let mut frame = self.frame_of(input, FrameKind::CYCLOTOMIC_CIPHERTEXTS, "the ciphertexts", most)?;
        let count = frame.take_count("ciphertexts", MOST_CIPHERTEXTS)?;
        let mut ciphertexts = Vec::new();
        for _ in 0..count {
            let (q, n) = (self.parameters().q(), self.parameters().n());
            ciphertexts.push(Ciphertext {
                parameters: self.parameters().clone(),
                parts: [read_limbs(&mut frame, q, n)?, read_limbs(&mut frame, q, n)?],
            });
        }
        frame.finish_file()?;
        Ok(ciphertexts)
    }

    fn polynomial_bytes(&self) -> u64 {
        limbs_bytes(self.parameters().q(), self.parameters().n())
    }

    fn frame<W: Write>(
        &self,
        out: W,
        kind: FrameKind,
        payload: u64,
    ) -> Result<FrameWriter<W>, KaratsubaError> {
        Ok(FrameWriter::new(out, kind, self.parameters().hash(), payload)?)
    }

    fn frame_of<R: Read>(
        &self,
        input: R,
        kind: FrameKind,
        what: &'static str,
        most: u64,
    ) -> Result<FrameReader<R>, KaratsubaError> {
        // The parameters first: of other ones the length would be wrong too.
        let frame = FrameReader::expect(input, kind, u64::MAX)?;
        if &frame.header().parameters != self.parameters().hash() {
            return Err(KaratsubaError::ParameterMismatch { what });
        }
        frame.check_length(most)?;
        Ok(frame)
    }
}
