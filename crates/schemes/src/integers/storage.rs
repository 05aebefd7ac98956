//! Keys and ciphertexts to and from frames; `docs/integers.md` specifies the payloads.

use std::io::{Read, Write};

use num_bigint::BigUint;
use ringmill_arith::sampling::Seed;
use ringmill_arith::secret::Secret;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};

use super::accumulation::Elements;
use super::words::{number, words};
use super::{Ciphertext, IntegersError, Parameters, PublicKey, SecretKey};

/// Ciphertexts that one file may declare.
const MOST_CIPHERTEXTS: usize = 1 << 20;

impl SecretKey {
    /// Writes the key. The file should be readable by its owner only
    /// ([`ringmill_format::Access::Private`]).
    ///
    /// # Errors
    /// [`IntegersError::Format`].
    pub fn write(&self, out: impl Write) -> Result<(), IntegersError> {
        let length = secret_bytes(&self.parameters);
        let mut frame = FrameWriter::new(out, FrameKind::SECRET_KEY, &self.parameters.hash(), length)?;
        frame.put_bytes(&self.key)?;
        put_words(&mut frame, self.words())?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a key of these parameters.
    ///
    /// # Errors
    /// [`IntegersError::Format`], [`IntegersError::Mismatch`].
    pub fn read(parameters: &Parameters, input: impl Read) -> Result<Self, IntegersError> {
        let most = secret_bytes(parameters);
        let mut frame = open(parameters, input, FrameKind::SECRET_KEY, "the secret key", most)?;
        let key = frame.take_array()?;
        let mut words = Secret::<Vec<u64>>::zeros(parameters.eta().div_ceil(64) as usize);
        for word in words.iter_mut() {
            *word = frame.take_u64()?;
        }
        frame.finish_file()?;
        let p = number(&words);
        check_odd("secret key", &p, parameters.eta())?;
        Ok(Self::new(*parameters, &p, key))
    }
}

impl PublicKey {
    /// Writes the key: the seed, x_0 and the corrections.
    ///
    /// # Errors
    /// [`IntegersError::Format`].
    pub fn write(&self, out: impl Write) -> Result<(), IntegersError> {
        let mut frame = FrameWriter::new(out, FrameKind::PUBLIC_KEY, &self.parameters.hash(), self.bytes())?;
        frame.put_bytes(self.elements.seed().as_bytes())?;
        put_words(
            &mut frame,
            &words(self.barrett.modulus(), self.parameters.words()),
        )?;
        put_words(&mut frame, &self.corrections)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a key of these parameters.
    ///
    /// # Errors
    /// [`IntegersError::Format`], [`IntegersError::Mismatch`].
    pub fn read(parameters: &Parameters, input: impl Read) -> Result<Self, IntegersError> {
        let corrections = parameters.tau() * parameters.correction_words();
        let most = 32 + 8 * (parameters.words() + corrections) as u64;
        let mut frame = open(parameters, input, FrameKind::PUBLIC_KEY, "the public key", most)?;
        let seed = Seed::from_bytes(frame.take_array()?);
        let modulus = number(&take_words(&mut frame, parameters.words())?);
        let corrections = take_words(&mut frame, corrections)?;
        frame.finish_file()?;
        check_odd("x_0", &modulus, parameters.gamma())?;
        let elements = Elements::new(parameters, seed);
        Ok(Self::new(*parameters, elements, corrections, &modulus))
    }

    /// Writes ciphertexts of this key.
    ///
    /// # Errors
    /// [`IntegersError::Format`]; [`IntegersError::Mismatch`] if one is another key's.
    pub fn write_ciphertexts(
        &self,
        out: impl Write,
        ciphertexts: &[Ciphertext],
    ) -> Result<(), IntegersError> {
        for ciphertext in ciphertexts {
            IntegersError::compare("a ciphertext", "another key", &ciphertext.key, self.fingerprint())?;
        }
        let count = u32::try_from(ciphertexts.len()).unwrap_or(u32::MAX);
        let length = ciphertexts_bytes(&self.parameters, count.into());
        let mut frame = FrameWriter::new(out, FrameKind::CIPHERTEXTS, &self.parameters.hash(), length)?;
        frame.put_bytes(self.fingerprint())?;
        frame.put_u32(count)?;
        for ciphertext in ciphertexts {
            frame.put_f64(ciphertext.noise)?;
            put_words(&mut frame, &words(&ciphertext.value, self.parameters.words()))?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads ciphertexts of this key.
    ///
    /// # Errors
    /// [`IntegersError::Format`]; [`IntegersError::Mismatch`] if they are another key's.
    pub fn read_ciphertexts(&self, input: impl Read) -> Result<Vec<Ciphertext>, IntegersError> {
        let most = ciphertexts_bytes(&self.parameters, MOST_CIPHERTEXTS as u64);
        let mut frame = open(
            &self.parameters,
            input,
            FrameKind::CIPHERTEXTS,
            "the ciphertexts",
            most,
        )?;
        let key: [u8; 32] = frame.take_array()?;
        let count = frame.take_count("the ciphertexts", MOST_CIPHERTEXTS)?;
        let mut ciphertexts = Vec::new();
        for _ in 0..count {
            let noise = frame.take_f64("noise")?;
            let value = number(&take_words(&mut frame, self.parameters.words())?);
            if value >= *self.barrett.modulus() && key == *self.fingerprint() {
                return Err(bad("ciphertext", "not below x_0"));
            }
            if !(0.0..=f64::from(self.parameters.noise_limit())).contains(&noise) {
                return Err(bad("noise", "not between 0 and the limit"));
            }
            ciphertexts.push(Ciphertext { value, noise, key });
        }
        frame.finish_file()?;
        IntegersError::compare("the ciphertexts", "another key", &key, self.fingerprint())?;
        Ok(ciphertexts)
    }
}

const fn secret_bytes(parameters: &Parameters) -> u64 {
    32 + 8 * parameters.eta().div_ceil(64) as u64
}

const fn ciphertexts_bytes(parameters: &Parameters, count: u64) -> u64 {
    36 + count * (8 + 8 * parameters.words() as u64)
}

/// The frame of a kind that belongs to these parameters.
fn open<R: Read>(
    parameters: &Parameters,
    input: R,
    kind: FrameKind,
    what: &'static str,
    most: u64,
) -> Result<FrameReader<R>, IntegersError> {
    let frame = FrameReader::expect(input, kind, u64::MAX)?;
    IntegersError::compare(
        what,
        "other parameters",
        &frame.header().parameters,
        &parameters.hash(),
    )?;
    frame.check_length(most)?;
    Ok(frame)
}

fn put_words(frame: &mut impl Write, words: &[u64]) -> Result<(), FormatError> {
    words.iter().try_for_each(|&word| frame.put_u64(word))
}

fn take_words(frame: &mut impl Read, count: usize) -> Result<Vec<u64>, FormatError> {
    // Memory is taken as bytes arrive.
    (0..count).map(|_| frame.take_u64()).collect()
}

/// Checks that a number is odd and has the given number of bits.
fn check_odd(field: &'static str, value: &BigUint, bits: u32) -> Result<(), IntegersError> {
    if value.bit(0) && value.bits() == u64::from(bits) {
        return Ok(());
    }
    Err(bad(field, "not an odd number of the length of these parameters"))
}

fn bad(field: &'static str, problem: &str) -> IntegersError {
    IntegersError::Format(FormatError::BadValue {
        field,
        problem: problem.to_owned(),
    })
}
