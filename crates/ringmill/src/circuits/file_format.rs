//! The formats of circuit files.

use std::path::Path;

/// A format of circuit files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFormat {
    /// Bristol Fashion, or Bristol Format.
    Bristol,
    /// AIGER, as text or in binary.
    Aiger,
    /// BLIF.
    Blif,
}

impl FileFormat {
    /// The format that the end of a name stands for.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        match ending.to_ascii_lowercase().as_str() {
            "aag" | "aig" => Some(Self::Aiger),
            "blif" => Some(Self::Blif),
            _ => None,
        }
    }

    /// The format of a file that begins so, by its first word: Bristol Fashion has numbers only where the others have
    /// a word.
    pub(super) fn of_beginning(bytes: &[u8]) -> Self {
        if bytes.starts_with(b"aag ") || bytes.starts_with(b"aig ") {
            return Self::Aiger;
        }
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut code = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        match code.next() {
            Some(line) if line.starts_with(b".model") => Self::Blif,
            _ => Self::Bristol,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_words_tell() {
        let of_name = |name: &str| FileFormat::of_name(Path::new(name));
        assert_eq!(of_name("dir.blif/a.aag"), Some(FileFormat::Aiger));
        assert_eq!(of_name("A.AIG"), Some(FileFormat::Aiger));
        assert_eq!(of_name("a.blif"), Some(FileFormat::Blif));
        assert_eq!(
            (of_name("a.txt"), of_name("blif"), of_name("-")),
            (None, None, None)
        );
        let beginnings: [(&str, FileFormat); 7] = [
            ("aag 1 1 0 1 0\n", FileFormat::Aiger),
            ("aig 1 1 0 1 0\n", FileFormat::Aiger),
            ("# by hand\n\n.model a\n", FileFormat::Blif),
            (".model", FileFormat::Blif),
            ("aage 1\n", FileFormat::Bristol),
            ("1 3\n2 1 1\n", FileFormat::Bristol),
            ("", FileFormat::Bristol),
        ];
        for (text, format) in beginnings {
            assert_eq!(FileFormat::of_beginning(text.as_bytes()), format, "{text}");
        }
    }
}
