//! Files that grow part by part, each of which lasts.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::FormatError;
use crate::file::{Access, Existing, Wiping, error, rename};
use crate::temporary::{Temporary, lock, restrict};

/// A file that is written part by part, under a name of its own until it is whole. A part that is done is on disk and
/// stays, whatever becomes of the process; of a part in progress a piece may be left behind the others, which
/// [`Journal::resume`] takes away. One process at a time can write it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    out: Wiping,
    /// Bytes of the parts that are done.
    done: u64,
    /// Whether anything but the parts that are done may be in the file.
    dirty: bool,
    /// Until a part is done the file is of no use.
    useless: Option<Temporary>,
}

impl Journal {
    /// Begins a file. One that is there and to be replaced is so when something is written.
    ///
    /// # Errors
    /// [`FormatError::File`], also if another process writes it, or if it is not empty and is to be kept.
    pub fn begin(path: &Path, access: Access, existing: Existing) -> Result<Self, FormatError> {
        let mut options = OpenOptions::new();
        // What is there is cut away after it is locked.
        options.write(true).create(true).truncate(false);
        restrict(&mut options, access);
        let mut journal = Self::open(path, &options)?;
        let length = journal.out.file.metadata().map(|metadata| metadata.len());
        match length.map_err(|source| error(path, source))? {
            0 => journal.useless = Some(Temporary::of(path.to_path_buf())),
            _ if existing == Existing::Keep => return Err(error(path, ErrorKind::AlreadyExists.into())),
            _ => (),
        }
        Ok(journal)
    }

    /// Goes on with a file; [`Journal::keep`] says after which part.
    ///
    /// # Errors
    /// [`FormatError::File`], also if another process writes it.
    pub fn resume(path: &Path) -> Result<Self, FormatError> {
        Self::open(path, OpenOptions::new().write(true))
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<Self, FormatError> {
        let open = || {
            let file = options.open(path)?;
            if lock(&file, path)? {
                Ok(file)
            } else {
                let problem = "another process writes it; wait until that ends, or choose another output";
                Err(io::Error::new(ErrorKind::WouldBlock, problem))
            }
        };
        Ok(Self {
            path: path.to_path_buf(),
            out: Wiping::new(open().map_err(|source| error(path, source))?),
            done: 0,
            dirty: true,
            useless: None,
        })
    }

    /// Says that the first `bytes` of the file are parts that are done. Nothing may have been written before.
    pub fn keep(&mut self, bytes: u64) {
        self.done = bytes;
    }

    /// Says that what was written so far is a part that is done, and waits until it is on disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn part_done(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.file.sync_data()?;
        self.done = self.out.file.stream_position()?;
        if let Some(temporary) = self.useless.take() {
            temporary.keep();
        }
        Ok(())
    }

    /// Whether any part is done.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        self.done > 0
    }

    /// Gives the file its final name; what was written after the last part that is done belongs to it.
    ///
    /// # Errors
    /// [`FormatError::File`], with [`ErrorKind::AlreadyExists`] for an existing file that is to be kept.
    pub fn finish(mut self, path: &Path, existing: Existing) -> Result<(), FormatError> {
        let finish = |journal: &mut Self| {
            journal.part_done_at_end()?;
            rename(&journal.path, path, existing)
        };
        finish(&mut self).map_err(|source| error(path, source))
    }

    fn part_done_at_end(&mut self) -> io::Result<()> {
        self.cut_once()?;
        self.part_done()?;
        self.out.file.sync_all()
    }

    /// Takes away what is behind the parts that are done, before anything is written there.
    fn cut_once(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.dirty) {
            self.out.file.set_len(self.done)?;
            self.out.file.seek(SeekFrom::Start(self.done))?;
        }
        Ok(())
    }
}

impl Write for Journal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cut_once()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.out.discard();
        // What was not there before; a file that was only read stays as it is. If this fails, a reader sees to it.
        if !self.dirty {
            let file: &File = &self.out.file;
            let _ = file.set_len(self.done);
        }
    }
}
