//! Keys and ciphertexts to and from frames; `docs/formats.md` specifies the payloads.

use std::borrow::Borrow;
use std::io::{Read, Write};

use ringmill_arith::Basis;
use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_ring::Domain;

use crate::keys::SwitchingKey;
use crate::{Context, FvError, GaloisKey, PublicKey, RelinearizationKey, SecretDistribution, SecretKey};
use ringmill_format::pack::{limbs_bytes, read_limbs, read_trits, trits_bytes, write_limbs, write_trits};
use ringmill_format::{
    FormatError, FrameKind, FrameReader, FrameWriter, OVERHEAD_BYTES, Put, Take, expect_end,
};

mod ciphertexts;
mod parameters;

pub use ciphertexts::CiphertextHead;
pub use parameters::MAX_PARAMETERS_BYTES;
pub(crate) use parameters::encode_definition;

const SEED_BYTES: u64 = 32;

impl<D: Device> Context<D> {
    /// Writes a secret key. The file should be readable by its owner only
    /// ([`ringmill_format::Access::Private`]).
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn write_secret_key(&self, out: impl Write, key: &SecretKey<D>) -> Result<(), FvError> {
        let mut frame = self.frame(out, FrameKind::SECRET_KEY, trits_bytes(self.n()))?;
        write_trits(&mut frame, &key.coefficients)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a secret key of these parameters.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::ParameterMismatch`].
    pub fn read_secret_key(&self, mut input: impl Read) -> Result<SecretKey<D>, FvError> {
        let key = self.take_secret_key(&mut input)?;
        expect_end(&mut input, "the frame")?;
        Ok(key)
    }

    /// As [`Context::read_secret_key`], up to the end of the frame: others may follow.
    ///
    /// # Errors
    /// As [`Context::read_secret_key`].
    pub fn take_secret_key(&self, input: impl Read) -> Result<SecretKey<D>, FvError> {
        let mut frame = self.expect_frame(
            input,
            FrameKind::SECRET_KEY,
            "the secret key",
            trits_bytes(self.n()),
        )?;
        let coefficients = read_trits(&mut frame, self.n())?;
        frame.finish()?;
        let signs = self.parameters.secret() == SecretDistribution::Signs;
        if signs && coefficients.contains(&0) {
            return Err(FvError::Format(FormatError::BadValue {
                field: "secret key",
                problem: "a coefficient 0 where these parameters have -1 and 1".to_owned(),
            }));
        }
        self.secret_key(coefficients)
    }

    /// Bytes of a public key's file.
    #[must_use]
    pub fn public_key_bytes(&self) -> u64 {
        OVERHEAD_BYTES + SEED_BYTES + limbs_bytes(self.parameters.q(), self.n())
    }

    /// Writes a public key.
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn write_public_key(&self, out: impl Write, key: &PublicKey<D>) -> Result<(), FvError> {
        let payload = self.public_key_bytes() - OVERHEAD_BYTES;
        let mut frame = self.frame(out, FrameKind::PUBLIC_KEY, payload)?;
        frame.put_bytes(key.seed.as_bytes())?;
        self.put_poly(&mut frame, &key.b)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a public key of these parameters.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::ParameterMismatch`].
    pub fn read_public_key(&self, input: impl Read) -> Result<PublicKey<D>, FvError> {
        let payload = self.public_key_bytes() - OVERHEAD_BYTES;
        let mut frame = self.expect_frame(input, FrameKind::PUBLIC_KEY, "the public key", payload)?;
        let seed = Seed::from_bytes(frame.take_array()?);
        let basis = self.parameters.q().clone();
        let b = self.take_poly(&mut frame, &basis, Domain::Evaluation)?;
        frame.finish_file()?;
        Ok(PublicKey {
            a: self.expand(&seed, &basis)?,
            b,
            seed,
        })
    }

    /// Bytes of a relinearization key's file.
    #[must_use]
    pub fn relinearization_key_bytes(&self) -> u64 {
        OVERHEAD_BYTES + self.switching_key_bytes()
    }

    /// Writes a relinearization key.
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn write_relinearization_key(
        &self,
        out: impl Write,
        key: &RelinearizationKey<D>,
    ) -> Result<(), FvError> {
        let mut frame = self.frame(out, FrameKind::RELINEARIZATION_KEY, self.switching_key_bytes())?;
        self.put_switching_key(&mut frame, &key.0)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a relinearization key of these parameters.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::ParameterMismatch`].
    pub fn read_relinearization_key(&self, mut input: impl Read) -> Result<RelinearizationKey<D>, FvError> {
        let key = self.take_relinearization_key(&mut input)?;
        expect_end(&mut input, "the frame")?;
        Ok(key)
    }

    /// As [`Context::read_relinearization_key`], up to the end of the frame: others may follow.
    ///
    /// # Errors
    /// As [`Context::read_relinearization_key`].
    pub fn take_relinearization_key(&self, input: impl Read) -> Result<RelinearizationKey<D>, FvError> {
        let payload = self.switching_key_bytes();
        let mut frame = self.expect_frame(
            input,
            FrameKind::RELINEARIZATION_KEY,
            "the relinearization key",
            payload,
        )?;
        let key = self.take_switching_key(&mut frame)?;
        frame.finish()?;
        Ok(RelinearizationKey(key))
    }

    /// Writes Galois keys.
    ///
    /// # Errors
    /// [`FvError::Format`].
    pub fn write_galois_keys(
        &self,
        out: impl Write,
        keys: &[impl Borrow<GaloisKey<D>>],
    ) -> Result<(), FvError> {
        let payload = 4 + keys.len() as u64 * (8 + self.switching_key_bytes());
        let mut frame = self.frame(out, FrameKind::GALOIS_KEYS, payload)?;
        frame.put_u32(keys.len() as u32)?;
        for key in keys {
            let key = key.borrow();
            frame.put_u64(key.exponent)?;
            self.put_switching_key(&mut frame, &key.key)?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads Galois keys of these parameters.
    ///
    /// # Errors
    /// [`FvError::Format`], [`FvError::ParameterMismatch`].
    pub fn read_galois_keys(&self, mut input: impl Read) -> Result<Vec<GaloisKey<D>>, FvError> {
        let keys = self.take_galois_keys(&mut input)?;
        expect_end(&mut input, "the frame")?;
        Ok(keys)
    }

    /// As [`Context::read_galois_keys`], up to the end of the frame: others may follow.
    ///
    /// # Errors
    /// As [`Context::read_galois_keys`].
    pub fn take_galois_keys(&self, input: impl Read) -> Result<Vec<GaloisKey<D>>, FvError> {
        let most = 4 + self.n() as u64 * (8 + self.switching_key_bytes());
        let mut frame = self.expect_frame(input, FrameKind::GALOIS_KEYS, "the Galois keys", most)?;
        let count = frame.take_count("Galois keys", self.n())?;
        let mut keys = Vec::new();
        for _ in 0..count {
            let exponent = frame.take_u64()?;
            let ring = self.parameters.ring();
            if !ring.is_unit(exponent) || exponent >= ring.conductor() {
                return Err(FvError::Format(FormatError::BadValue {
                    field: "Galois key exponent",
                    problem: format!("{exponent} is not a unit modulo {}", ring.conductor()),
                }));
            }
            let key = self.take_switching_key(&mut frame)?;
            keys.push(GaloisKey { exponent, key });
        }
        frame.finish()?;
        Ok(keys)
    }

    fn switching_key_bytes(&self) -> u64 {
        let digits = self.key_elements() as u64;
        SEED_BYTES + digits * limbs_bytes(self.key_basis(), self.n())
    }

    fn put_switching_key(&self, out: &mut impl Write, key: &SwitchingKey<D>) -> Result<(), FvError> {
        out.put_bytes(key.seed.as_bytes())?;
        key.digits.iter().try_for_each(|(b, _)| self.put_poly(out, b))
    }

    fn take_switching_key(&self, input: &mut impl Read) -> Result<SwitchingKey<D>, FvError> {
        self.digits()?;
        let seed = Seed::from_bytes(input.take_array()?);
        let mut expanded: Vec<_> = (0..self.key_elements()).map(|_| None).collect();
        // While this thread reads one half of each digit, others make the other half of its seed.
        let read = rayon::in_place_scope(|scope| {
            for (i, expanded) in expanded.iter_mut().enumerate() {
                let seed = seed.derive("digit", i as u64);
                scope.spawn(move |_| *expanded = Some(self.expand(&seed, self.key_basis())));
            }
            let digits = 0..self.key_elements();
            let digits = digits.map(|_| self.take_poly(input, self.key_basis(), Domain::Evaluation));
            digits.collect::<Result<Vec<_>, _>>()
        })?;
        // All are there: the scope ends when they are.
        let digits = read.into_iter().zip(expanded.into_iter().flatten());
        let digits = digits.map(|(b, a)| Ok((b, a?)));
        Ok(SwitchingKey {
            seed,
            digits: digits.collect::<Result<_, FvError>>()?,
        })
    }

    fn put_poly(&self, out: &mut impl Write, poly: &D::Poly) -> Result<(), FvError> {
        Ok(write_limbs(
            out,
            self.device.basis(poly),
            &self.device.download(poly)?,
        )?)
    }

    fn take_poly(&self, input: &mut impl Read, basis: &Basis, domain: Domain) -> Result<D::Poly, FvError> {
        let words = read_limbs(input, basis, self.n())?;
        Ok(self.device.upload(basis, domain, &words)?)
    }

    fn frame<W: Write>(&self, out: W, kind: FrameKind, payload: u64) -> Result<FrameWriter<W>, FvError> {
        Ok(FrameWriter::new(out, kind, self.parameters.hash(), payload)?)
    }

    fn expect_frame<R: Read>(
        &self,
        input: R,
        kind: FrameKind,
        what: &'static str,
        most: u64,
    ) -> Result<FrameReader<R>, FvError> {
        // The parameters first: of other ones the length would be wrong too.
        let frame = FrameReader::expect(input, kind, u64::MAX)?;
        self.parameters.check_hash(what, &frame.header().parameters)?;
        frame.check_length(most)?;
        Ok(frame)
    }
}
