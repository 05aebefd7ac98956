//! Keys in files, and which of them belong together.

mod directory;
mod sealed;

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::Plan;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};
use ringmill_fv::{Context, FvError, Parameters};

pub(crate) use self::directory::KeyDirectory;
pub use self::directory::KeyFile;
use self::directory::hint;
pub use self::sealed::{Passphrase, is_sealed};
use crate::files::{Counter, Digest, Digesting, read, read_digested};
use crate::observer::Stage;
use crate::session::Session;
use crate::{Error, hex};

/// Keys that were made together: the digest of the file of their public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeySet(pub Digest);

impl fmt::Display for KeySet {
    /// Enough of it to tell it from others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::format(&self.0[..8]))
    }
}

/// Stands for a key set that is not known.
const NO_SET: Digest = [0; 32];

impl KeySet {
    /// Writes a set, or that it is not known, into the head of a batch.
    pub(crate) fn put(set: Option<Self>, out: &mut impl Write) -> Result<(), FormatError> {
        out.put_bytes(&set.map_or(NO_SET, |set| set.0))
    }

    /// Reads what [`KeySet::put`] has written.
    pub(crate) fn take(input: &mut impl Read) -> Result<Option<Self>, FormatError> {
        let set = input.take_array()?;
        Ok(Some(set).filter(|set| *set != NO_SET).map(Self))
    }

    /// Refuses ciphertexts of another set than that of a key, if both are known: says what is wrong.
    pub(crate) fn check(
        set: Option<Self>,
        key: Option<&(Self, PathBuf)>,
        ciphertexts: &str,
    ) -> Result<(), String> {
        match (set, key) {
            (Some(set), Some((wanted, path))) if set != *wanted => Err(format!(
                "{ciphertexts} under the keys of set {set}, but {} is of set {wanted}; give the key that `ringmill \
                 keygen` made together with the others{}",
                path.display(),
                hint(path)
            )),
            _ => Ok(()),
        }
    }

    /// Writes it behind a key.
    fn write(self, out: &mut dyn Write, parameters: &Parameters) -> Result<(), FvError> {
        let mut frame = FrameWriter::new(out, FrameKind::KEY_SET, parameters.hash(), self.0.len() as u64)?;
        frame.put_bytes(&self.0)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads it and the hash of its parameters, up to the end of its frame.
    ///
    /// # Errors
    /// [`FormatError`] if it is damaged.
    pub fn read(input: impl Read) -> Result<(Self, Digest), FormatError> {
        let mut frame = FrameReader::expect(input, FrameKind::KEY_SET, size_of::<Digest>() as u64)?;
        let parameters = frame.header().parameters;
        let set = Self(frame.take_array()?);
        frame.finish()?;
        Ok((set, parameters))
    }

    /// Reads what stands behind a key; nothing in files of earlier versions.
    fn read_behind(input: &mut dyn Read, parameters: &Parameters) -> Result<Option<Self>, FvError> {
        let mut first = Vec::new();
        (&mut *input)
            .take(1)
            .read_to_end(&mut first)
            .map_err(FormatError::from)?;
        if first.is_empty() {
            return Ok(None);
        }
        let (set, of) = Self::read(first.as_slice().chain(input)).map_err(|error| match error {
            FormatError::Truncated | FormatError::BadMagic => FormatError::Excess("the key"),
            error => error,
        })?;
        parameters.check_hash("the name of the key set", &of)?;
        Ok(Some(set))
    }
}

/// A secret key: decrypts, and encrypts with less noise than the public key. Wiped when it is dropped.
pub struct SecretKey<D: Device> {
    pub(crate) key: ringmill_fv::SecretKey<D>,
    /// The set that it is of, if its file says so.
    pub(crate) set: Option<KeySet>,
    /// Its name for messages: its file's, if it is from one.
    pub(crate) name: PathBuf,
    /// Set when it is known that the job's promise holds for it.
    admitted: OnceLock<()>,
}

impl<D: Device> SecretKey<D> {
    /// Reads it from its file, where it may be under a passphrase.
    pub(crate) fn open(
        path: &Path,
        context: &Context<D>,
        passphrase: Option<&Passphrase>,
    ) -> Result<Self, Error> {
        let (key, set) = read(path, |input| {
            let key = sealed::take(input, context, passphrase)?;
            Ok((key, KeySet::read_behind(input, context.parameters())?))
        })?;
        Ok(Self {
            key,
            set,
            name: path.to_path_buf(),
            admitted: OnceLock::new(),
        })
    }

    /// Refuses a key for which the job's promise does not hold, before anything is made with it. Only a key from a file is
    /// looked at, and once.
    pub(crate) fn require_admitted(&self, session: &Session<D>) -> Result<(), Error> {
        if self.admitted.get().is_none() {
            let _running = session.begin(Stage::CheckingKey);
            let admitted = session.plan.check_secret_key(&session.context, &self.key);
            admitted.map_err(|error| Error::in_file(&self.name, error))?;
            self.admitted.get_or_init(|| ());
        }
        Ok(())
    }

    /// Writes it, under a passphrase if there is one.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        context: &Context<D>,
        passphrase: Option<&Passphrase>,
    ) -> Result<(), FvError> {
        match passphrase {
            Some(passphrase) => sealed::write(&mut *out, context, &self.key, passphrase)?,
            None => context.write_secret_key(&mut *out, &self.key)?,
        }
        match self.set {
            Some(set) => set.write(out, context.parameters()),
            None => Ok(()),
        }
    }
}

/// A public key: encrypts. Anybody may have it.
pub struct PublicKey<D: Device> {
    pub(crate) key: ringmill_fv::PublicKey<D>,
    pub(crate) set: KeySet,
}

impl<D: Device> PublicKey<D> {
    fn generate(
        context: &Context<D>,
        secret: &ringmill_fv::SecretKey<D>,
        seed: &Seed,
    ) -> Result<Self, Error> {
        let key = context.generate_public_key(secret, seed)?;
        let mut digest = Digesting::new(std::io::sink());
        context.write_public_key(&mut digest, &key)?;
        let set = KeySet(digest.digest());
        Ok(Self { key, set })
    }

    pub(crate) fn open(path: &Path, context: &Context<D>) -> Result<Self, Error> {
        let (key, digest) = read_digested(path, |input| context.read_public_key(input))?;
        let set = KeySet(digest);
        Ok(Self { key, set })
    }
}

/// Keys to evaluate with: for whoever evaluates. They decrypt nothing.
pub struct EvaluationKeys<D: Device> {
    pub(crate) keys: ringmill_engine::EvaluationKeys<D>,
    pub(crate) set: Option<KeySet>,
    digest: OnceLock<Digest>,
}

impl<D: Device> EvaluationKeys<D> {
    pub(crate) fn generate(
        plan: &Plan,
        context: &Context<D>,
        secret: &SecretKey<D>,
        seed: &Seed,
    ) -> Result<Self, Error> {
        Self::of(
            ringmill_engine::EvaluationKeys::generate(plan, context, &secret.key, seed)?,
            context,
            secret,
        )
    }

    /// The keys that a program over messages needs: for these automorphisms, and for products.
    pub(crate) fn generate_for(
        exponents: &[u64],
        context: &Context<D>,
        secret: &SecretKey<D>,
        seed: &Seed,
    ) -> Result<Self, Error> {
        let galois = exponents.iter();
        let galois = galois.map(|exponent| context.generate_galois_key(&secret.key, *exponent, seed));
        let galois = galois.collect::<Result<Vec<_>, _>>()?;
        let relinearization = context.generate_relinearization_key(&secret.key, seed)?;
        Self::of(
            ringmill_engine::EvaluationKeys::new(relinearization, galois),
            context,
            secret,
        )
    }

    fn of(
        keys: ringmill_engine::EvaluationKeys<D>,
        context: &Context<D>,
        secret: &SecretKey<D>,
    ) -> Result<Self, Error> {
        context.device().finish()?;
        Ok(Self {
            keys,
            set: secret.set,
            digest: OnceLock::new(),
        })
    }

    pub(crate) fn open(path: &Path, context: &Context<D>) -> Result<Self, Error> {
        let ((keys, set), digest) = read_digested(path, |input| {
            let relinearization = context.take_relinearization_key(&mut *input)?;
            let galois = context.take_galois_keys(&mut *input)?;
            let set = KeySet::read_behind(input, context.parameters())?;
            Ok((ringmill_engine::EvaluationKeys::new(relinearization, galois), set))
        })?;
        Ok(Self {
            keys,
            set,
            digest: digest.into(),
        })
    }

    /// Writes the relinearization key, then Galois keys, each a frame, and the set that they are of.
    pub(crate) fn write(&self, mut out: &mut dyn Write, context: &Context<D>) -> Result<(), FvError> {
        context.write_relinearization_key(&mut out, self.keys.relinearization())?;
        let galois: Vec<_> = self.keys.galois().collect();
        context.write_galois_keys(&mut *out, &galois)?;
        match self.set {
            Some(set) => set.write(out, context.parameters()),
            None => Ok(()),
        }
    }

    /// The digest of their file, whether they have been written or not.
    pub(crate) fn digest(&self, context: &Context<D>) -> Result<Digest, FvError> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let mut out = Digesting::new(std::io::sink());
        self.write(&mut out, context)?;
        Ok(*self.digest.get_or_init(|| out.digest()))
    }
}

/// A secret key and the public key of the same set: for a plan, one for which its promise holds.
pub(crate) fn generate<D: Device>(
    context: &Context<D>,
    plan: Option<&Plan>,
    seed: &Seed,
) -> Result<(SecretKey<D>, PublicKey<D>), Error> {
    let secret = seed.derive("secret key", 0);
    let key = match plan {
        Some(plan) => plan.generate_secret_key(context, &secret)?,
        None => context.generate_secret_key(&secret)?,
    };
    let public = PublicKey::generate(context, &key, &seed.derive("public key", 0))?;
    let secret = SecretKey {
        key,
        set: Some(public.set),
        name: PathBuf::from("the secret key"),
        admitted: OnceLock::from(()),
    };
    Ok((secret, public))
}

/// Bytes of something in a file.
pub(crate) fn bytes(write: impl FnOnce(&mut dyn Write) -> Result<(), FvError>) -> Result<u64, Error> {
    let mut counter = Counter::default();
    write(&mut counter)?;
    Ok(counter.0)
}
