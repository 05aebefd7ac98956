//! Keys and ciphertexts to and from the frames of [`ringmill_fv::format`].

use std::io::{Read, Write};

use ringmill_arith::Basis;
use ringmill_device::Device;
use ringmill_fv::format::pack::{limbs_bytes, read_limbs, read_trits, trits_bytes, write_limbs, write_trits};
use ringmill_fv::format::{FrameReader, FrameWriter, Kind, Put, Take};
use ringmill_ring::Domain;

use super::{Base, Leveled, NtruError, PublicKey, SecretKey};

/// Ciphertexts that one file may declare.
const MOST_CIPHERTEXTS: usize = 1 << 20;

/// Bytes of a level.
const LEVEL_BYTES: u64 = 2;

impl<D: Device> Base<D> {
    /// Writes a secret key: the coefficients of f'. The file should be readable by its owner only
    /// ([`ringmill_fv::format::Access::Private`]).
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_secret_key(&self, out: impl Write, key: &SecretKey<D>) -> Result<(), NtruError> {
        let mut frame = self.frame(out, Kind::NtruSecretKey, trits_bytes(self.n()))?;
        write_trits(&mut frame, &key.coefficients)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads a secret key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`], [`NtruError::BadSecret`].
    pub fn read_secret_key(&self, input: impl Read) -> Result<SecretKey<D>, NtruError> {
        let payload = trits_bytes(self.n());
        let mut frame = self.expect(input, Kind::NtruSecretKey, "the secret key", payload)?;
        let coefficients = read_trits(&mut frame, self.n())?;
        frame.finish_file()?;
        self.secret_key(coefficients)?.ok_or(NtruError::BadSecret)
    }

    /// Writes a public key: h in evaluation domain.
    ///
    /// # Errors
    /// [`NtruError::Format`].
    pub fn write_public_key(&self, out: impl Write, key: &PublicKey<D>) -> Result<(), NtruError> {
        self.write_polys(out, Kind::NtruPublicKey, &[&key.h])
    }

    /// Reads a public key of these parameters.
    ///
    /// # Errors
    /// [`NtruError::Format`], [`NtruError::ParameterMismatch`].
    pub fn read_public_key(&self, input: impl Read) -> Result<PublicKey<D>, NtruError> {
        let pool = self.parameters().pool();
        let polys = self.read_polys(input, (Kind::NtruPublicKey, "the public key"), 1, pool)?;
        let h = polys.into_iter().next().ok_or(NtruError::NoOperands)?;
        Ok(PublicKey { h })
    }

    /// Writes polynomials of one basis in evaluation domain: a key.
    pub(crate) fn write_polys(
        &self,
        out: impl Write,
        kind: Kind,
        polys: &[&D::Poly],
    ) -> Result<(), NtruError> {
        let bytes = polys
            .iter()
            .map(|poly| limbs_bytes(self.device().basis(poly), self.n()));
        let mut frame = self.frame(out, kind, bytes.sum())?;
        polys
            .iter()
            .try_for_each(|poly| self.put_poly(&mut frame, poly))?;
        frame.finish()?;
        Ok(())
    }

    /// Reads so many polynomials over a basis in evaluation domain.
    pub(crate) fn read_polys(
        &self,
        input: impl Read,
        (kind, what): (Kind, &'static str),
        count: usize,
        basis: &Basis,
    ) -> Result<Vec<D::Poly>, NtruError> {
        let payload = count as u64 * limbs_bytes(basis, self.n());
        let mut frame = self.expect(input, kind, what, payload)?;
        let polys = (0..count).map(|_| self.take_poly(&mut frame, basis, Domain::Evaluation));
        let polys = polys.collect::<Result<Vec<_>, _>>()?;
        frame.finish_file()?;
        Ok(polys)
    }

    /// Writes polynomials of any levels, as coefficients: ciphertexts.
    pub(crate) fn write_leveled(&self, out: impl Write, polys: &[&Leveled<D>]) -> Result<(), NtruError> {
        let bytes = |a: &&Leveled<D>| LEVEL_BYTES + limbs_bytes(self.device().basis(&a.poly), self.n());
        let payload = 4 + polys.iter().map(bytes).sum::<u64>();
        let mut frame = self.frame(out, Kind::NtruCiphertexts, payload)?;
        frame.put_u32(polys.len() as u32)?;
        for a in polys {
            frame.put_u16(a.level as u16)?;
            self.put_poly(&mut frame, &self.in_domain(&a.poly, Domain::Coefficient)?)?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads polynomials that [`Base::write_leveled`] wrote, into a domain.
    pub(crate) fn read_leveled(
        &self,
        input: impl Read,
        domain: Domain,
    ) -> Result<Vec<Leveled<D>>, NtruError> {
        let parameters = self.parameters();
        let most = LEVEL_BYTES + limbs_bytes(parameters.pool(), self.n());
        let most = 4 + MOST_CIPHERTEXTS as u64 * most;
        let mut frame = self.expect(input, Kind::NtruCiphertexts, "the ciphertexts", most)?;
        let count = frame.take_count("ciphertexts", MOST_CIPHERTEXTS)?;
        let mut polys = Vec::new();
        for _ in 0..count {
            let level = usize::from(frame.take_u16()?);
            let poly = self.take_poly(&mut frame, parameters.q_at(level)?, Domain::Coefficient)?;
            let poly = self.device().transform(poly, domain)?;
            polys.push(Leveled { poly, level });
        }
        frame.finish_file()?;
        Ok(polys)
    }

    fn put_poly(&self, out: &mut impl Write, poly: &D::Poly) -> Result<(), NtruError> {
        let words = self.device().download(poly)?;
        Ok(write_limbs(out, self.device().basis(poly), &words)?)
    }

    fn take_poly(&self, input: &mut impl Read, basis: &Basis, domain: Domain) -> Result<D::Poly, NtruError> {
        let words = read_limbs(input, basis, self.n())?;
        Ok(self.device().upload(basis, domain, &words)?)
    }

    fn frame<W: Write>(&self, out: W, kind: Kind, payload: u64) -> Result<FrameWriter<W>, NtruError> {
        Ok(FrameWriter::new(out, kind, self.parameters().hash(), payload)?)
    }

    fn expect<R: Read>(
        &self,
        input: R,
        kind: Kind,
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
