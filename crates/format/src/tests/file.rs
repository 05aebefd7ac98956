use std::io::{Read, Write};

use crate::{Access, Existing, FormatError, Journal, Put, open, prepare, remove_stale, write_atomically};

#[test]
fn files_are_whole_or_not_there() {
    let directory = std::env::temp_dir().join(format!("ringmill-format-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("file");
    let entries = || std::fs::read_dir(&directory).unwrap().count();
    let write = |access, text: &'static [u8]| {
        write_atomically(&path, access, Existing::Replace, |out| out.put_bytes(text))
    };
    write(Access::Public, b"one").unwrap();
    let mut text = String::new();
    open(&path).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), entries()), ("one", 1));

    // A failure leaves what was there.
    let failed: Result<(), FormatError> = write_atomically(&path, Access::Public, Existing::Replace, |out| {
        out.put_bytes(&[0; 100_000])?;
        Err(FormatError::BadTrit)
    });
    assert!(matches!(failed, Err(FormatError::BadTrit)));
    assert_eq!(
        (std::fs::read(&path).unwrap().as_slice(), entries()),
        (b"one".as_slice(), 1)
    );

    write(Access::Private, b"two").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    // In many pieces of all sizes.
    let pieces: Vec<Vec<u8>> = [1, 60_000, 70_000, 5, 65_536, 200_000]
        .iter()
        .map(|&len| vec![len as u8; len])
        .collect();
    let put = |out: &mut dyn Write| pieces.iter().try_for_each(|piece| out.put_bytes(piece));
    write_atomically(&path, Access::Public, Existing::Replace, put).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), pieces.concat());

    for bad in [
        directory.join("none/file"),
        directory.join(".."),
        directory.clone(),
    ] {
        let result = write_atomically(&bad, Access::Public, Existing::Replace, |out| out.put_u8(1));
        assert!(matches!(result, Err(FormatError::File { .. })), "{bad:?}");
    }
    assert!(open(&directory.join("none")).is_err());
    assert_eq!(entries(), 1);
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(!directory.with_extension("tmp").exists());
}

/// An output that came while the file was written stays.
#[test]
fn files_that_are_there_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let put = |out: &mut dyn Write| out.put_bytes(b"new");
    let ((), prepared) = prepare(&path, Access::Public, put).unwrap();
    std::fs::write(&path, b"old").unwrap();
    let error = prepared.place(Existing::Keep).unwrap_err();
    let FormatError::File { source, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(source.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let ((), prepared) = prepare(&path, Access::Public, put).unwrap();
    prepared.place(Existing::Replace).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Of a process that was killed; one that is being written is locked, and others are not ours.
#[test]
fn stale_files_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let names = [
        ".secret.key.1-0.ringmill.tmp",
        "secret.key.1-0.ringmill.tmp",
        ".other.tmp",
    ];
    for name in names {
        std::fs::write(at(name), b"secret").unwrap();
    }
    std::fs::create_dir(at(".directory.ringmill.tmp")).unwrap();
    let ((), prepared) = prepare(&at("file"), Access::Private, |out| out.put_u8(1)).unwrap();
    assert_eq!(remove_stale(directory.path()), [at(names[0])]);
    assert!(remove_stale(directory.path()).is_empty());
    prepared.place(Existing::Keep).unwrap();
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 4);
    assert!(remove_stale(&at("nowhere")).is_empty());
}

#[test]
fn parts_that_are_done_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (path, whole) = (directory.path().join("partial"), directory.path().join("whole"));
    let part = |value: u8| vec![value; 70_000];
    let begin = |existing| Journal::begin(&path, Access::Public, existing);

    // Of no part nothing is left.
    let mut journal = begin(Existing::Keep).unwrap();
    journal.put_bytes(&part(1)).unwrap();
    assert!(!journal.has_parts());
    drop(journal);
    assert!(!path.exists());

    // A part that is done is there while the process goes on; what comes after it goes with the process.
    let mut journal = begin(Existing::Keep).unwrap();
    journal.put_bytes(&part(1)).unwrap();
    journal.put_bytes(&[1; 5]).unwrap();
    journal.part_done().unwrap();
    journal.put_bytes(&part(2)).unwrap();
    assert!(journal.has_parts());
    assert!(
        std::fs::read(&path)
            .unwrap()
            .starts_with(&[part(1), vec![1; 5]].concat())
    );
    for other in [begin(Existing::Replace), Journal::resume(&path)] {
        assert!(
            other
                .unwrap_err()
                .to_string()
                .contains("another process writes it")
        );
    }
    drop(journal);
    assert_eq!(std::fs::read(&path).unwrap().len(), 70_005);

    // A piece of a part, as a process that was killed leaves it.
    let torn = [part(1), vec![9; 100]].concat();
    std::fs::write(&path, &torn).unwrap();
    assert!(begin(Existing::Keep).is_err());
    for existing in [Existing::Keep, Existing::Replace] {
        let mut journal = match existing {
            Existing::Keep => Journal::resume(&path).unwrap(),
            Existing::Replace => begin(existing).unwrap(),
        };
        journal.keep(70_000);
        drop(journal);
        assert_eq!(std::fs::read(&path).unwrap(), torn);
    }
    let mut journal = Journal::resume(&path).unwrap();
    journal.keep(70_000);
    journal.put_bytes(&part(3)).unwrap();
    journal.part_done().unwrap();
    journal.put_u8(4).unwrap();
    std::fs::write(&whole, b"other").unwrap();
    assert!(journal.finish(&whole, Existing::Keep).is_err());
    assert_eq!(std::fs::read(&whole).unwrap(), b"other");
    let expected = [&part(1)[..], &part(3), &[4]].concat();
    assert_eq!(std::fs::read(&path).unwrap(), expected);
    let mut journal = Journal::resume(&path).unwrap();
    journal.keep(expected.len() as u64);
    journal.finish(&whole, Existing::Replace).unwrap();
    assert_eq!(std::fs::read(&whole).unwrap(), expected);
    assert!(!path.exists());
}
