use std::io::{Read, Write};

use crate::{Access, FormatError, Put, open, write_atomically, write_in_parts};

#[test]
fn files_are_whole_or_not_there() {
    let directory = std::env::temp_dir().join(format!("ringmill-format-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("file");
    let entries = || std::fs::read_dir(&directory).unwrap().count();
    let write = |access, text: &'static [u8]| write_atomically(&path, access, |out| out.put_bytes(text));
    write(Access::Public, b"one").unwrap();
    let mut text = String::new();
    open(&path).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), entries()), ("one", 1));

    // A failure leaves what was there.
    let failed: Result<(), FormatError> = write_atomically(&path, Access::Public, |out| {
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
    write_atomically(&path, Access::Public, put).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), pieces.concat());

    for bad in [
        directory.join("none/file"),
        directory.join(".."),
        directory.clone(),
    ] {
        let result = write_atomically(&bad, Access::Public, |out| out.put_u8(1));
        assert!(matches!(result, Err(FormatError::File { .. })), "{bad:?}");
    }
    assert!(open(&directory.join("none")).is_err());
    assert_eq!(entries(), 1);
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(!directory.with_extension("tmp").exists());
}

#[test]
fn parts_that_are_done_are_kept() {
    let directory = std::env::temp_dir().join(format!("ringmill-parts-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (path, partial) = (directory.join("file"), directory.join("file.partial"));
    let entries = || std::fs::read_dir(&directory).unwrap().count();
    let part = vec![7; 70_000];
    let write = |parts: usize, fails: bool| {
        write_in_parts(&path, &partial, Access::Public, |out| {
            for _ in 0..parts {
                out.put_bytes(&part)?;
                out.part_done().unwrap();
            }
            // Longer than the buffer and shorter than it.
            out.put_bytes(&[1; 80_000])?;
            out.put_bytes(&[2; 100])?;
            if fails { Err(FormatError::BadTrit) } else { Ok(()) }
        })
    };
    assert!(!write(0, true).unwrap_err().kept);
    assert_eq!(entries(), 0);
    assert!(write(2, true).unwrap_err().kept);
    assert_eq!(std::fs::read(&partial).unwrap(), [&part[..], &part].concat());
    assert_eq!(entries(), 1);
    write(1, false).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 70_000 + 80_100);
    assert_eq!(entries(), 2);
    // Where it cannot be kept.
    std::fs::remove_file(&partial).unwrap();
    std::fs::create_dir(&partial).unwrap();
    assert!(!write(2, true).unwrap_err().kept);
    assert_eq!(entries(), 2);
    std::fs::remove_dir_all(&directory).unwrap();
}
