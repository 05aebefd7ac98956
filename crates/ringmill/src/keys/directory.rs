//! The directory of a key set: all of its files are those of one set, whenever the writer ends.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use ringmill_device::Device;
use ringmill_format::{Access, Existing, FrameKind, FrameReader, Prepared, Take, sync_directory};
use ringmill_fv::{Context, FvError};
use serde::Serialize;

use super::{EvaluationKeys, KeySet, Passphrase, PublicKey, SecretKey};
use crate::files::{Content, Digesting, Output, clean};
use crate::{Error, Observer};

const PUBLIC: &str = "public.key";
const EVALUATION: &str = "evaluation.key";
const SECRET: &str = "secret.key";

/// A file of a key that was written.
#[derive(Debug, Clone, Serialize)]
pub struct KeyFile {
    /// Where.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Who needs it.
    pub what: &'static str,
}

/// A directory that a key set is written to: `public.key`, `secret.key` and, for a circuit, `evaluation.key`.
///
/// A set is replaced in four steps: all new files are written under temporary names; the old secret and evaluation keys
/// get second names that end in `.previous`; the new files get their names, the public key last; the second names go.
/// The public key tells how far that went, as the others name the set that they are of. Until it is there nobody can
/// encrypt under the new set, and [`KeyDirectory::open`] brings the old one back.
pub(crate) struct KeyDirectory {
    path: PathBuf,
    existing: Existing,
}

impl KeyDirectory {
    /// Makes the directory if need be. Ends what an earlier writer was killed in the middle of. Refuses keys that are
    /// there, unless they are to be replaced.
    pub fn open(path: &Path, replace: bool, observer: &dyn Observer) -> Result<Self, Error> {
        if path.is_file() {
            let error = io::Error::new(ErrorKind::NotADirectory, "is a file; name a directory");
            return Err(Error::io(path, error));
        }
        fs::create_dir_all(path).map_err(|error| Error::io(path, error))?;
        let existing = if replace {
            Existing::Replace
        } else {
            Existing::Keep
        };
        let directory = Self {
            path: path.to_path_buf(),
            existing,
        };
        clean(&directory.file(SECRET), observer);
        for name in [EVALUATION, SECRET] {
            directory.settle(name, observer)?;
        }
        directory.check()?;
        Ok(directory)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn output(&self, name: &str) -> Output {
        Output::new(self.file(name)).replacing(self.existing == Existing::Replace)
    }

    fn check(&self) -> Result<(), Error> {
        let there = |name: &str| self.file(name).symlink_metadata().is_ok();
        if self.existing == Existing::Keep
            && !there(PUBLIC)
            && let Some(name) = [EVALUATION, SECRET].into_iter().find(|name| there(name))
        {
            let problem = "is there without its public key: a key generation was stopped before all keys were in \
                           place; add --force to begin again";
            let error = io::Error::new(ErrorKind::AlreadyExists, problem);
            return Err(Error::io(&self.file(name), error));
        }
        let check = |name| self.output(name).check(Content::Binary);
        [PUBLIC, EVALUATION, SECRET].into_iter().try_for_each(check)
    }

    /// Writes keys, the secret one under a passphrase if there is one. If one cannot be written, the directory is as before.
    pub fn save<D: Device>(
        &self,
        context: &Context<D>,
        (secret, public): (&SecretKey<D>, &PublicKey<D>),
        evaluation: Option<&EvaluationKeys<D>>,
        passphrase: Option<&Passphrase>,
    ) -> Result<Vec<KeyFile>, Error> {
        let prepare = |name, access, content: &dyn Fn(&mut dyn Write) -> Result<(), FvError>| {
            let file = self.output(name).write_aside(access, |out| Ok(content(out)?))?;
            Ok::<_, Error>((name, file))
        };
        let mut files = Vec::new();
        if let Some(keys) = evaluation {
            files.push(prepare(EVALUATION, Access::Public, &|out| {
                keys.write(out, context)
            })?);
        }
        files.push(prepare(SECRET, Access::Private, &|out| {
            secret.write(out, context, passphrase)
        })?);
        files.push(prepare(PUBLIC, Access::Public, &|out| {
            context.write_public_key(out, &public.key)
        })?);
        self.place(files)?;
        let names = [PUBLIC, EVALUATION, SECRET].into_iter();
        let names = names.filter(|name| *name != EVALUATION || evaluation.is_some());
        names.map(|name| self.written(name)).collect()
    }

    fn written(&self, name: &'static str) -> Result<KeyFile, Error> {
        let path = self.file(name);
        let metadata = path.metadata().map_err(|error| Error::io(&path, error))?;
        Ok(KeyFile {
            path,
            bytes: metadata.len(),
            what: match name {
                PUBLIC => "for whoever encrypts",
                EVALUATION => "for whoever evaluates",
                _ => "SECRET: for whoever decrypts, nobody else",
            },
        })
    }

    /// Gives new files their names, the public key's last, and takes the old ones away.
    fn place(&self, files: Vec<(&'static str, Prepared)>) -> Result<(), Error> {
        let mut aside = Vec::new();
        let mut placed = Vec::new();
        let result = self.put_aside(&mut aside).and_then(|()| {
            for (name, file) in files {
                let path = self.file(name);
                let result = file.place(self.existing);
                result.map_err(|error| Error::in_file(&path, error.into()))?;
                placed.push(name);
            }
            Ok(())
        });
        if result.is_err() {
            for name in placed.iter().filter(|name| !aside.contains(*name)) {
                // Nothing can be done if this fails too.
                let _ = fs::remove_file(self.file(name));
            }
            for name in aside {
                let _ = restore(&self.file(name));
            }
            return result;
        }
        for name in aside {
            let path = self.file(name);
            remove(&previous(&path))?;
            if !placed.contains(&name) {
                // The new set has no such key.
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Gives the old secret and evaluation keys second names. (The old public key needs none: it is replaced last.)
    fn put_aside(&self, aside: &mut Vec<&'static str>) -> Result<(), Error> {
        if self.existing == Existing::Keep {
            return Ok(());
        }
        for name in [EVALUATION, SECRET] {
            let path = self.file(name);
            if path.symlink_metadata().is_err() {
                continue;
            }
            let second = previous(&path);
            // Where files can have one name only, the old key is away until the new one is there.
            let moved = fs::hard_link(&path, &second).or_else(|_| fs::rename(&path, &second));
            moved.map_err(|error| Error::io(&path, error))?;
            aside.push(name);
        }
        sync_directory(&self.file(SECRET));
        Ok(())
    }

    /// Ends a replacement that was interrupted, for one file: keeps whichever of its two versions is of the set of the
    /// public key.
    fn settle(&self, name: &str, observer: &dyn Observer) -> Result<(), Error> {
        let path = self.file(name);
        let second = previous(&path);
        if second.symlink_metadata().is_err() {
            return Ok(());
        }
        let public = self.public_set()?;
        if public.is_some() && set_of(&path)? == public {
            return remove(&second);
        }
        let set = set_of(&second)?;
        // Keys of earlier versions do not say.
        if name == SECRET || set.is_none() || set == public {
            restore(&path).map_err(|error| Error::io(&path, error))?;
            observer.note(&format!(
                "note: {} is the previous one again: the key generation that was to replace it was stopped",
                path.display()
            ));
            return Ok(());
        }
        // The new set has no such key.
        remove(&second)?;
        remove(&path)
    }

    /// The set of the public key, if there is one.
    fn public_set(&self) -> Result<Option<KeySet>, Error> {
        let path = self.file(PUBLIC);
        match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(&path, error)),
            Ok(mut file) => {
                let mut digest = Digesting::new(io::sink());
                io::copy(&mut file, &mut digest).map_err(|error| Error::io(&path, error))?;
                Ok(Some(KeySet(digest.digest())))
            }
        }
    }
}

/// The second name of a key that is being replaced.
fn previous(path: &Path) -> PathBuf {
    let mut name = path.to_path_buf().into_os_string();
    name.push(".previous");
    name.into()
}

/// Brings a key back from its second name.
fn restore(path: &Path) -> io::Result<()> {
    let second = previous(path);
    fs::rename(&second, path)?;
    // Two names of one file: then renaming does nothing.
    match fs::remove_file(&second) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path, error)),
        _ => Ok(()),
    }
}

/// The set that a key says it is of: in the last frame of its file. None also if the file is not there, or damaged.
fn set_of(path: &Path) -> Result<Option<KeySet>, Error> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => io::BufReader::new(file.map_err(|error| Error::io(path, error))?),
    };
    let mut last = None;
    while let Ok(mut frame) = FrameReader::new(&mut file) {
        let named = frame.header().kind == FrameKind::KEY_SET;
        last = named.then(|| frame.take_array().map(KeySet).ok()).flatten();
        if frame.skip().is_err() || frame.finish().is_err() {
            return Ok(None);
        }
    }
    Ok(last)
}

/// Advice where a key turns out to be of another set than it should be.
pub(crate) fn hint(path: &Path) -> String {
    let second = previous(path);
    if second.symlink_metadata().is_err() {
        return String::new();
    }
    format!(
        "; {} is there because a `ringmill keygen --force` was stopped: run that again, or take this file",
        second.display()
    )
}
