use std::io::{Read, Write};

use crate::format::{Access, FormatError, Put, open, write_atomically};

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
