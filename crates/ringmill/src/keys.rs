//! Keys in files, and which of them belong together.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::OnceLock;

use ringmill_arith::sampling::Seed;
use ringmill_device::Device;
use ringmill_engine::Plan;
use ringmill_format::{Access, FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};
use ringmill_fv::{Context, FvError, Parameters};

use crate::files::{Counter, Digest, Digesting, Output, read, read_digested};
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

impl KeySet {
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
}

impl<D: Device> SecretKey<D> {
    pub(crate) fn open(path: &Path, context: &Context<D>) -> Result<Self, Error> {
        let (key, set) = read(path, |input| {
            let key = context.take_secret_key(&mut *input)?;
            Ok((key, KeySet::read_behind(input, context.parameters())?))
        })?;
        Ok(Self { key, set })
    }

    pub(crate) fn write(&self, out: &mut dyn Write, context: &Context<D>) -> Result<(), FvError> {
        context.write_secret_key(&mut *out, &self.key)?;
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
        let keys = ringmill_engine::EvaluationKeys::generate(plan, context, &secret.key, seed)?;
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

/// A secret key and the public key of the same set.
pub(crate) fn generate<D: Device>(
    context: &Context<D>,
    seed: &Seed,
) -> Result<(SecretKey<D>, PublicKey<D>), Error> {
    let key = context.generate_secret_key(&seed.derive("secret key", 0))?;
    let public = PublicKey::generate(context, &key, &seed.derive("public key", 0))?;
    let set = Some(public.set);
    Ok((SecretKey { key, set }, public))
}

/// Bytes of something in a file.
pub(crate) fn bytes(write: impl FnOnce(&mut dyn Write) -> Result<(), FvError>) -> Result<u64, Error> {
    let mut counter = Counter::default();
    write(&mut counter)?;
    Ok(counter.0)
}

/// A file of a key that was written.
#[derive(Debug, Clone, serde::Serialize)]
pub struct KeyFile {
    /// Where.
    pub path: std::path::PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Who needs it.
    pub what: &'static str,
}

/// Writes keys into their files ([`outputs`]). If one cannot be written, none is left.
pub(crate) fn save<D: Device>(
    [public_output, evaluation_output, secret_output]: &[Output; 3],
    context: &Context<D>,
    (secret, public): (&SecretKey<D>, &PublicKey<D>),
    evaluation: Option<&EvaluationKeys<D>>,
) -> Result<Vec<KeyFile>, Error> {
    let mut written = Vec::new();
    let mut write =
        |output: &Output, access, what, content: &dyn Fn(&mut dyn Write) -> Result<(), FvError>| {
            let ((), bytes) = output.write(access, |out| Ok(content(out)?))?;
            written.push(KeyFile {
                path: output.path().to_path_buf(),
                bytes,
                what,
            });
            Ok::<_, Error>(())
        };
    let mut all = || {
        let content = |out: &mut dyn Write| context.write_public_key(out, &public.key);
        write(public_output, Access::Public, "for whoever encrypts", &content)?;
        if let Some(keys) = evaluation {
            let content = |out: &mut dyn Write| keys.write(out, context);
            write(
                evaluation_output,
                Access::Public,
                "for whoever evaluates",
                &content,
            )?;
        }
        let what = "SECRET: for whoever decrypts, nobody else";
        write(secret_output, Access::Private, what, &|out| {
            secret.write(out, context)
        })
    };
    match all() {
        Ok(()) => Ok(written),
        Err(error) => {
            // Keys are of use together only.
            for key in &written {
                let _ = std::fs::remove_file(&key.path);
            }
            Err(error)
        }
    }
}

/// The files of all keys in a directory: `public.key`, `evaluation.key` and `secret.key`. Refuses those that are there,
/// unless they are to be replaced; makes the directory.
pub(crate) fn outputs(directory: &Path, replace: bool) -> Result<[Output; 3], Error> {
    if directory.is_file() {
        let error = std::io::Error::new(std::io::ErrorKind::NotADirectory, "is a file; name a directory");
        return Err(Error::io(directory, error));
    }
    std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    let outputs = ["public.key", "evaluation.key", "secret.key"]
        .map(|name| Output::new(directory.join(name)).replacing(replace));
    for output in &outputs {
        output.check(crate::files::Content::Binary)?;
    }
    Ok(outputs)
}
