//! Keeps compiled kernels in files, so that the next process need not compile them.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use sha2::{Digest, Sha256};

/// The beginning of a file; the SHA-256 of key and content, and the content, follow.
const MAGIC: &[u8; 16] = b"ringmill kernel1";

/// The identity of a compilation: the SHA-256 of all its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// The key of texts, in their order.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut state = Sha256::new();
        for text in texts {
            state.update((text.len() as u64).to_le_bytes());
            state.update(text);
        }
        Self(state.finalize().into())
    }

    fn file_name(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn digest(self, content: &[u8]) -> [u8; 32] {
        Sha256::new()
            .chain_update(self.0)
            .chain_update((content.len() as u64).to_le_bytes())
            .chain_update(content)
            .finalize()
            .into()
    }
}

/// A folder with results of compilations.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The user's cache: `ringmill/kernels` in XDG_CACHE_HOME or in `.cache` of HOME; `None` if neither is
    /// set.
    pub fn of_user() -> Option<Self> {
        let set = |name| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        // The specification says that relative paths are ignored.
        cache
            .is_absolute()
            .then(|| Self::at(cache.join("ringmill").join("kernels")))
    }

    /// The cache in a folder, which need not exist.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns a kept result if it exists and is whole.
    pub fn get(&self, key: Key) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.path(key)).ok()?;
        let (magic, rest) = bytes.split_first_chunk::<16>()?;
        let (digest, content) = rest.split_first_chunk::<32>()?;
        (magic == MAGIC && *digest == key.digest(content)).then_some(())?;
        Some(bytes.split_off(MAGIC.len() + 32))
    }

    /// Keeps a result if possible. Other processes see the whole file or nothing.
    pub fn put(&self, key: Key, content: &[u8]) {
        // A failure to keep the result does no harm: the kernels are compiled again.
        let _ = self.write(key, content);
    }

    fn write(&self, key: Key, content: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(&self.folder)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!(".{}-{number}.tmp", process::id()));
        let written = fill(&temporary, key, content).and_then(|()| fs::rename(&temporary, self.path(key)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(key.file_name())
    }
}

fn fill(path: &Path, key: Key, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&key.digest(content))?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn keys_tell_apart_where_texts_begin_and_end() {
        let key = Key::of(["ab", "c"]);
        assert_eq!(key, Key::of(["ab", "c"]));
        assert_ne!(key, Key::of(["a", "bc"]));
        assert_ne!(key, Key::of(["ab", "c", ""]));
        assert_ne!(key, Key::of(["c", "ab"]));
    }
}
